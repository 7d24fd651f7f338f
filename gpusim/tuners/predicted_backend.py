"""What Kernel Tuner launches CUDA with: compiled, executed and timed by gpusim.

Source: Kernel Tuner 1.5, ``kernel_tuner/backends/backend.py`` (what a backend offers), ``core.py`` (when it is asked),
``observers/observer.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from kernel_tuner.backends.backend import GPUBackend
from kernel_tuner.observers.observer import BenchmarkObserver

import gpusim
from gpusim.errors import ParameterError, ResourcesError, shown
from gpusim.frontends.cuda import profile
from gpusim.results.metric import DURATION
from gpusim.simulate.work import How

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.hardware import Gpu
    from gpusim.profiles.profile import Profile

MS = 1000  # of a second

TOO_MANY_RESOURCES = "too many resources requested for launch"
"""By these words Kernel Tuner knows a launch that fails, and goes on."""

SETTLED = {"cuda_sm_percentage": "a part of a GPU is a GPU of its own: copy its TOML file"}
"""Parameters that Kernel Tuner sets on a GPU, and cannot here; what to do."""


@dataclass
class Memory:
    """An array on the simulated GPU: the host's, until a launch is to change it.

    Attributes
    ----------
    array : ndarray
    is_own : bool
        Whether launches may change it.
    """

    array: np.ndarray
    is_own: bool = False

    def take(self, source: np.ndarray) -> None:
        """Hold what the host's array holds now."""
        self.array, self.is_own = np.array(source), True

    def changeable(self) -> np.ndarray:
        """The array, as a launch may change it."""
        if not self.is_own:
            self.take(self.array)
        return self.array


@dataclass
class Launching:
    """What is known of the kernel that was compiled last.

    Attributes
    ----------
    dynamic_shared : int
        Bytes.
    symbols : mapping
        Values of ``__constant__`` variables.
    """

    dynamic_shared: int = 0
    symbols: Mapping[str, Any] = field(default_factory=dict)


class Backend(GPUBackend):
    """A simulated GPU, as Kernel Tuner's core takes one.

    Attributes
    ----------
    last : Profile
        Of the launch that was timed last.
    """

    gpu: ClassVar[Gpu]
    how: ClassVar[How]

    @classmethod
    def of(cls, gpu: Gpu, how: How) -> type[Backend]:
        """The backend of a GPU, as a class, which is what Kernel Tuner makes one of."""
        return type("PredictedBackend", (cls,), {"gpu": gpu, "how": how})

    def __init__(
        self, device: int = 0, iterations: int = 1, compiler_options: Sequence[str] | None = None,
        observers: Sequence[BenchmarkObserver] | None = None,
    ) -> None:  # fmt: skip
        self.name = f"{self.gpu.name} (gpusim)"
        self.max_threads = self.gpu.sm.max_threads_per_block
        self.units = {"time": "ms", "time_low": "ms", "time_high": "ms"}
        self.env = {
            "device_name": self.name, "gpusim_version": gpusim.__version__, "caches": self.how.cache,
            "sample": self.how.sample, "compute_capability": "".join(map(str, self.gpu.compute_capability)),
            "iterations": iterations, "compiler_options": list(compiler_options or []),
        }  # fmt: skip
        self.last: Profile | None = None
        self._options = list(compiler_options or [])
        self._launching = Launching()
        self._is_timing = False
        self.observers = [*(observers or []), Time()]
        for observer in self.observers:
            observer.register_device(self)

    def ready_argument_list(self, arguments: Sequence[Any]) -> list[Any]:
        """Arrays as memory of the GPU, numbers as they are.

        Raises
        ------
        ParameterError
            An argument is neither.
        """
        for position, one in enumerate(arguments, 1):
            if not isinstance(one, np.ndarray | np.generic):
                kind = f"{type(one).__name__} {shown(one)}"
                raise ParameterError(f"argument {position} must be an array or a number of NumPy's, not {kind}")
        return [Memory(one) if isinstance(one, np.ndarray) else one for one in arguments]

    def compile(self, instance: Any) -> Kernel:
        """Machine code of a kernel with its parameters as macros."""
        from gpusim import cuda

        self._launching = Launching()
        for name in SETTLED.keys() & instance.params:
            raise ParameterError(f"{name} cannot be set: {SETTLED[name]}")
        module = cuda.compile(instance.kernel_string, gpu=self.gpu, options=self._options, kernel=instance.name)
        return module.kernel()

    def copy_shared_memory_args(self, smem_args: Mapping[str, int]) -> None:
        """Bytes of dynamic shared memory."""
        self._launching.dynamic_shared = int(smem_args["size"])

    def copy_constant_memory_args(self, cmem_args: Mapping[str, Any]) -> None:
        """Values of ``__constant__`` variables."""
        self._launching.symbols = dict(cmem_args)

    def copy_texture_memory_args(self, texmem_args: Mapping[str, Any]) -> None:
        """There are none; they were refused before.

        Raises
        ------
        ParameterError
        """
        raise ParameterError("texmem_args: texture references are gone since CUDA 12")

    def start_event(self) -> None:
        """From now on launches are timed, and compute no values."""
        self._is_timing = True

    def stop_event(self) -> None:
        """From now on launches compute their values."""
        self._is_timing = False

    def kernel_finished(self) -> bool:
        """Every launch has ended when it returns."""
        return True

    def synchronize(self) -> None:
        """There is nothing to wait for."""

    def run_kernel(
        self, func: Kernel, gpu_args: Sequence[Any], threads: Sequence[int], grid: Sequence[int], stream: Any = None
    ) -> None:
        """Predict a launch, or compute what it computes.

        Raises
        ------
        RuntimeError
            The GPU lacks the resources: in words that Kernel Tuner knows.
        GpusimError
            Any other error of a launch.
        """
        how = self.how if self._is_timing else replace(self.how, cache="cold", sample=None, values=True)
        args = [self._argument(one) for one in gpu_args]
        try:
            found = profile(
                func, tuple(grid), tuple(threads), args, gpu=self.gpu, symbols=self._launching.symbols or None,
                dynamic_shared=self._launching.dynamic_shared, cache=how.cache, sample=how.sample, values=how.values,
                limit=how.limit, jobs=how.jobs,
            )  # fmt: skip
        except ResourcesError as error:
            self._is_timing = False
            raise RuntimeError(f"{TOO_MANY_RESOURCES}: {error}") from error
        if self._is_timing:
            self.last = found

    def _argument(self, one: Any) -> Any:
        if not isinstance(one, Memory):
            return one
        return one.array if self._is_timing else one.changeable()

    def memset(self, allocation: Memory, value: int, size: int) -> None:
        """Set bytes of an array."""
        allocation.changeable().reshape(-1).view(np.uint8)[:size] = value

    def memcpy_dtoh(self, dest: np.ndarray, src: Memory) -> None:
        """Copy to the host."""
        np.copyto(dest, src.array)

    def memcpy_htod(self, dest: Memory, src: np.ndarray) -> None:
        """Copy from the host."""
        dest.take(src)


class Predicted(BenchmarkObserver):
    """What has results of the launch that was timed last."""

    @property
    def profile(self) -> Profile:
        """That launch."""
        found: Profile | None = self.dev.last
        assert found is not None
        return found


class Time(Predicted):
    """Predicted time, and between what it lies."""

    def get_results(self) -> dict[str, Any]:
        """Milliseconds, and how far to trust them."""
        duration = self.profile[DURATION]
        time = MS * float(self.profile.seconds)
        found: dict[str, Any] = {"time": time, "times": [time], "claim": duration.claim.value}
        if duration.interval is not None:
            scale = time / duration.value
            found |= {
                "time_low": float(scale * duration.interval.low),
                "time_high": float(scale * duration.interval.high),
            }
        return found


class Counters(Predicted):
    """Predicted counters.

    Parameters
    ----------
    names : sequence of str
        As Nsight Compute calls them.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)

    def get_results(self) -> dict[str, Any]:
        """Values by name, in the units of Nsight Compute."""
        return {name: self.profile[name].value for name in self._names}


def runner_of(sequential: type) -> type:
    """Kernel Tuner's runner, without what only a GPU needs: its first launch again, and several of each.

    Parameters
    ----------
    sequential : type
        ``SequentialRunner``.
    """

    class PredictingRunner(sequential):
        def __init__(self, source: Any, kernel: Any, device: Any, iterations: int, observers: Any) -> None:
            super().__init__(source, kernel, device, 1, observers)
            self.warmed_up = True
            check = self.dev.check_kernel_output
            self.dev.check_kernel_output = lambda *args: _check_output(check, *args)

    return PredictingRunner


def _check_output(
    check: Any, func: Kernel, gpu_args: Any, instance: Any, answer: Any, atol: Any, verify: Any, verbose: bool
) -> None:
    """Kernel Tuner's check; where there is a function and no answer, it asks CuPy, which need not be there."""
    if not answer and verify:
        given, answer = verify, [one if isinstance(one, np.ndarray) else None for one in instance.arguments]

        def verify(answer: Any, results: Any, atol: Any) -> bool:
            return bool(given(None, results, atol=atol))

    check(func, gpu_args, instance, answer, atol, verify, verbose)
