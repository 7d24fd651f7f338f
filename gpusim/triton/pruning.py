"""Predicted times for Triton's autotuner: which configurations are worth measuring.

Source: Triton 3.5 to 3.9, ``triton/runtime/autotuner.py``: what ``prune_configs_by`` is asked, and which errors the
autotuner takes for a configuration that cannot be.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gpusim import hardware
from gpusim.errors import ParameterError, ResourcesError, shown
from gpusim.frontends.addresses import Memory
from gpusim.patches import Patches
from gpusim.simulate.work import Sample
from gpusim.triton import session as sessions
from gpusim.triton.arrays import Array, is_tensor, numpy_type, taken
from gpusim.triton.driver import Driver
from gpusim.triton.session import Session

HOST = "cpu"
"""What PyTorch calls the host."""


class PerfModel:
    """A function of a configuration's arguments that gives its predicted time.

    Parameters
    ----------
    kernel : JITFunction, Autotuner, or a function that gives one
    session : Session
        Where its launches are predicted.
    """

    def __init__(self, kernel: Any, session: Session) -> None:
        self._kernel, self._session = kernel, session

    def __call__(self, *, grid: Any, warmup: bool = False, **given: Any) -> float:
        """Seconds of a launch.

        Parameters
        ----------
        grid : tuple of int or callable
        warmup : bool
            The autotuner says so; nothing depends on it.
        **given
            Arguments by name, constants, ``num_warps`` and the like.

        Returns
        -------
        float
            Infinity where the GPU or the compiler refuses the configuration.

        Raises
        ------
        GpusimError
            A launch that ends in an error, or that gpusim does not simulate.
        """
        session, function = self._session, _function(self._kernel)
        session.memory, session.launches = Memory(), []
        stand_ins = StandIns(session.memory)
        args = {name: stand_ins.of(position, value) for position, (name, value) in enumerate(given.items(), 1)}
        refusals = _refusals()
        with session.benchmarking(computes=False) as seconds, Predicting(session):
            try:
                function.run(grid=grid, warmup=False, **args)
            except refusals:
                return math.inf
        return math.fsum(seconds)


class Predicting:
    """Triton launches on a session's GPU meanwhile, whichever GPU there is.

    Parameters
    ----------
    session : Session
    """

    def __init__(self, session: Session) -> None:
        self._session, self._patches = session, Patches()

    def __enter__(self) -> None:
        jit = sessions.needs("triton.runtime.jit", "triton")
        self._patches.set(jit.driver, "_active", Driver(self._session, lambda: None))

    def __exit__(self, *error: object) -> None:
        self._patches.undo()


class StandIns:
    """Arrays of the host in the place of those that lie on a GPU.

    Only integers are copied, for they may say where a kernel reads and writes; other arrays are as large, and zero.

    Parameters
    ----------
    memory : Memory
        Where they lie.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._by_storage: dict[int, np.ndarray] = {}

    def of(self, position: int, value: Any) -> Any:
        """An argument as it is predicted with.

        Parameters
        ----------
        position : int
            From 1 on.
        value : object
        """
        if isinstance(value, tuple) and type(value) is tuple:
            return tuple(self.of(position, one) for one in value)
        if hasattr(value, "base") and hasattr(value, "block_shape"):  # a tensor descriptor
            found = copy.copy(value)
            found.base = self.of(position, value.base)
            return found
        return self._array(value) if _is_elsewhere(value) else taken(position, value, self._memory)

    def _array(self, tensor: Any) -> Array:
        """An array for a tensor of a GPU, as far from the beginning of its memory as that."""
        dtype, storage = numpy_type(tensor), tensor.untyped_storage()
        whole = self._by_storage.get(storage._cdata)
        if whole is None:
            whole = self._by_storage[storage._cdata] = _contents(tensor, storage)
        first = tensor.storage_offset() * dtype.itemsize
        strides = [step * dtype.itemsize for step in tensor.stride()]
        array = np.ndarray(tuple(tensor.shape), dtype, whole, first, strides)  # a view, so its place in it is known
        return Array(array, self._memory)


def _contents(tensor: Any, storage: Any) -> np.ndarray:
    """Bytes in the place of those of a GPU."""
    if tensor.dtype.is_floating_point or tensor.dtype.is_complex or tensor.is_meta:
        return np.zeros(storage.nbytes(), np.uint8)  # of which the host's memory holds nothing until it is written to
    import torch

    whole = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
    return np.asarray(whole.cpu())


def _is_elsewhere(value: Any) -> bool:
    """Whether it is a tensor in other memory than the host's; while a simulated GPU is active, all are in that."""
    return is_tensor(value) and (value.is_meta or (value.device.type != HOST and sessions.active() is None))


def _function(kernel: Any) -> Any:
    """What launches one configuration of a kernel.

    Raises
    ------
    ParameterError
        It is no kernel of Triton's.
    """
    kernel = kernel if hasattr(kernel, "run") or not callable(kernel) else kernel()
    autotuner = sessions.needs("triton.runtime.autotuner", "triton").Autotuner
    found = kernel
    while found is not None:
        if isinstance(found, autotuner):
            kernel = found.fn
        found = getattr(found, "fn", None)
    if not hasattr(kernel, "run"):
        raise ParameterError(
            f"a kernel that triton.jit or triton.autotune makes is needed, or a function that gives it, "
            f"not {shown(kernel)}"
        )
    return kernel


def _refusals() -> tuple[type[BaseException], ...]:
    """What is raised where the compiler or the GPU refuses a configuration."""
    triton = sessions.needs("triton.runtime.errors", "triton")
    compiler = sessions.needs("triton.compiler.errors", "triton")
    return triton.OutOfResources, triton.PTXASError, compiler.CompileTimeAssertionFailure, ResourcesError


def perf_model(
    kernel: Any, gpu: str | hardware.Gpu = "h200", *, cache: str = "cold", sample: Sample = "quick",
    jobs: int | None = None,
) -> PerfModel:  # fmt: skip
    """A performance model for ``triton.autotune(..., prune_configs_by={"perf_model": ..., "top_k": 8})``.

    Each configuration is compiled by Triton and predicted with the sizes of the arguments.  No array is written to.

    Parameters
    ----------
    kernel : JITFunction, Autotuner, or callable
        The kernel, or a function without arguments that gives it: ``lambda: matmul``, within ``matmul``'s decorator.
    gpu : str or Gpu
        As for :func:`gpusim.profile`; on a machine with a GPU the same one, mostly.
    cache : {"cold", "warm", "flushed"}
        What a launch finds.
    sample : bool or "quick", optional
        How much of a launch is run, as for :func:`gpusim.profile`.  ``"quick"`` is of cold caches.
    jobs : int, optional
        Processors of this host to work with; by default all of them.

    Returns
    -------
    callable
        Seconds of a configuration; infinity where it cannot be launched.

    Raises
    ------
    GpusimError
        There is no such GPU; when it is called, Triton is not installed, or a launch ends in an error.

    Examples
    --------
    >>> model = perf_model(lambda: matmul, "h200")
    >>> by = {"perf_model": model, "top_k": 8}  # for triton.autotune(configs, key, prune_configs_by=by)
    """
    return PerfModel(kernel, Session(gpu, cache=cache, sample=sample, jobs=jobs))


def rank(
    kernel: Any, configs: Sequence[Any], grid: Any, *args: Any, gpu: str | hardware.Gpu = "h200", cache: str = "cold",
    sample: Sample = "quick", jobs: int | None = None, **meta: Any,
) -> list[tuple[Any, float]]:  # fmt: skip
    """Configurations of a kernel by their predicted times, the fastest first.

    Parameters
    ----------
    kernel : JITFunction or Autotuner
    configs : sequence of triton.Config
    grid : tuple of int or callable
    *args, **meta
        Arguments of the launch.
    gpu, cache, sample, jobs
        As for :func:`perf_model`.

    Returns
    -------
    list of (Config, float)
        Seconds of each; infinity where it cannot be launched.

    Raises
    ------
    GpusimError
        As :func:`perf_model`.
    """
    model = perf_model(kernel, gpu, cache=cache, sample=sample, jobs=jobs)
    given: Mapping[str, Any] = {**dict(zip(kernel.arg_names, args, strict=False)), **meta}
    times: Callable[[Any], float] = lambda config: model(grid=grid, **given, **config.all_kwargs())  # noqa: E731
    return sorted(((config, times(config)) for config in configs), key=lambda pair: pair[1])
