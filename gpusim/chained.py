"""A chain of kernels, its parameters and a GPU -> a Profile for each launch, and what they come to together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpusim import catalog, hardware, prediction
from gpusim.errors import ParameterError, shown
from gpusim.names import Suggesting
from gpusim.parameters import check_how
from gpusim.prediction import Prediction, Progress
from gpusim.result import Profile
from gpusim.simulate import place

if TYPE_CHECKING:
    from gpusim.algorithm import Arrays
    from gpusim.chain import Chain, ChainLaunch, StepLaunch
    from gpusim.simulate import CacheState


@dataclass(frozen=True)
class ChainProfile(Suggesting):
    """What is predicted of the launches of a chain.

    Attributes
    ----------
    chain : str
    params : mapping of str to int
        Complete.
    gpu : str
    cache : str
        ``"cold"``: empty before the first launch; ``"warm"``: as the whole chain left them.
    steps : tuple of Profile
        One for each launch, in their order; each finds L2 as the one before left it.
    labels : tuple of str
        A name for each.
    nbytes : mapping of str to int
        Bytes of every array.
    inputs, outputs : tuple of str
        Arrays that are there before, and that are asked for; the others pass from one launch to another.
    """

    chain: str
    params: Mapping[str, int]
    gpu: str
    cache: str
    steps: tuple[Profile, ...]
    labels: tuple[str, ...]
    nbytes: Mapping[str, int]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def between(self) -> tuple[str, ...]:
        """Arrays that one launch writes for another to read."""
        return tuple(name for name in self.nbytes if name not in {*self.inputs, *self.outputs})

    def total(self, name: str) -> float:
        """Sum of a figure over the launches.

        Parameters
        ----------
        name : str
            A property of :class:`~gpusim.Profile` that adds up, such as ``"dram_bytes"``.

        Returns
        -------
        float
            NaN where it is not known of a launch.
        """
        return float(sum(getattr(step, name) for step in self.steps))

    @property
    def seconds(self) -> float:
        """Time of the launches one after the other, without what lies between them."""
        return self.total("seconds")

    @property
    def dram_bytes_read(self) -> float:
        """Bytes read from device memory."""
        return self.total("dram_bytes_read")

    @property
    def dram_bytes_written(self) -> float:
        """Bytes written to device memory; what L2 still holds at the end is not among them."""
        return self.total("dram_bytes_written")

    @property
    def dram_bytes(self) -> float:
        """Bytes read from and written to device memory."""
        return self.total("dram_bytes")

    @property
    def flops(self) -> int:
        """Floating-point operations."""
        return sum(step.flops or 0 for step in self.steps)

    def __repr__(self) -> str:
        from gpusim.report import chains, text

        return text(chains([self]))

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain dicts, lists, strings and numbers, ready for JSON."""
        return {
            "chain": self.chain,
            "params": dict(self.params),
            "gpu": self.gpu,
            "cache": self.cache,
            "steps": [{"step": label, **step.to_dict()} for label, step in zip(self.labels, self.steps, strict=True)],
        }


def predict_chain(
    chain: str | Chain,
    gpu: str | hardware.Gpu = "h200",
    *,
    cache: str = "cold",
    sample: bool | None = None,
    progress: Progress | None = None,
    kernels: Sequence[str] | None = None,
    limit: int | None = None,
    **params: int,
) -> ChainProfile:
    """Predict what the kernels of a chain move and how long they take, one launched after the other.

    Each finds L2 as the launch before left it.

    Parameters
    ----------
    chain : str or Chain
        Name as in ``gpusim kernels``, or a chain of your own.
    gpu, sample, progress, kernels, limit
        As for :func:`gpusim.predict`.
    cache : {"cold", "warm"}
        Caches empty before the first launch, or as the last left them.
    **params : int
        Sizes and tiles of the chain.

    Returns
    -------
    ChainProfile

    Raises
    ------
    GpusimError
        As :func:`gpusim.predict`.

    Examples
    --------
    >>> found = predict_chain("attention-standard", "h200", H=1, N=128, d=32)
    >>> found.labels
    ('attention-scores', 'softmax-online', 'matmul-batched-nn')
    >>> found.dram_bytes_read  # Q, K, V, the code of three kernels: S and P come and go in L2
    62720.0
    """
    check_how(cache, progress, sample=sample)
    known, spec = _chain(chain, kernels), hardware.given(gpu)
    bound = known.launch(**params)
    steps = list(_predictions(bound, spec, sample, limit))
    l2 = None
    if cache == "warm":
        for step, label in zip(steps, known.labels, strict=True):
            l2 = step.count(l2, keep_l2=True, progress=_naming(progress, label)).l2
    profiles = tuple(_profiles(steps, known.labels, l2, cache, progress))
    labels, arrays = tuple(known.labels), (bound.nbytes, bound.inputs, known.outputs)
    return ChainProfile(known.name, bound.params, spec.name, cache, profiles, labels, *arrays)


def _predictions(bound: ChainLaunch, gpu: hardware.Gpu, sample: bool | None, limit: int | None) -> Iterator[Prediction]:
    """Every step, with its arrays where the chain has them."""
    at = place(bound.nbytes)
    for step in bound.steps:
        places = {spec.name: at[name] for name, spec in step.arrays}
        yield Prediction(step.step.algorithm, step.bound, gpu, sample, limit, places)


def _profiles(
    steps: Sequence[Prediction], labels: Sequence[str], l2: CacheState | None, cache: str, progress: Progress | None
) -> Iterator[Profile]:
    for step, label in zip(steps, labels, strict=True):
        counts = step.count(l2, keep_l2=True, progress=_naming(progress, label))
        l2 = counts.l2
        yield step.profile(counts, cache)


def _naming(progress: Progress | None, label: str) -> Progress | None:
    """Tell which launch the progress belongs to."""
    if progress is None:
        return None
    return lambda done, total, text: progress(done, total, f"{label}: {text}")


def run_chain(chain: str | Chain, arrays: Arrays, gpu: str | hardware.Gpu = "h200", **params: int) -> Arrays:
    """Execute the kernels of a chain for their values, one after the other.

    Parameters
    ----------
    chain : str or Chain
    arrays : dict of str to ndarray
        Every input by name, in the shape that the first kernel to read it gives it.
    gpu : str or Gpu
    **params : int

    Returns
    -------
    dict of str to ndarray
        Every array after the last launch.

    Raises
    ------
    GpusimError
        As :func:`gpusim.run`.
    """
    known = _chain(chain)
    found: Arrays = prediction.by_name(known.name, arrays)
    for step in known.launch(**params).steps:
        found |= _run_step(step, found, gpu)
    return found


def _run_step(launch: StepLaunch, found: Arrays, gpu: str | hardware.Gpu) -> Arrays:
    """Arrays of a step after it, by the chain's names."""
    own = {spec.name: _shaped(name, found[name], spec.shape) for name, spec in launch.arrays if name in found}
    after = prediction.run(launch.step.algorithm, own, gpu, checked=True, **launch.bound.params)
    return {launch.step.array(name): array for name, array in after.items()}


def _shaped(name: str, array: Any, shape: tuple[int, ...]) -> np.ndarray:
    """An array of a chain in the shape that a kernel gives it."""
    if not isinstance(array, np.ndarray):
        raise ParameterError(f"{name} must be a NumPy array, not {type(array).__name__}")
    if array.size != math.prod(shape):
        raise ParameterError(f"{name} must have the elements of {shape}, not of {array.shape}")
    return array.reshape(shape)


def _chain(chain: Any, folders: Sequence[str] | None = None) -> Chain:
    """The chain of a name, or as given.

    Raises
    ------
    ParameterError
        It is neither of these.
    """
    from gpusim.chain import Chain

    if isinstance(chain, str):
        return catalog.chain(chain, () if folders is None else folders)
    if not isinstance(chain, Chain):
        raise ParameterError(f"a chain is a name or a Chain, not {shown(chain)}")
    return chain


def count_elements(chain: Chain, gpu: str | hardware.Gpu = "h200", **params: int) -> dict[str, tuple[float, float]]:
    """Count the elements of each array that the threads of all kernels load and store as the chain runs.

    Parameters
    ----------
    chain : Chain
    gpu : str or Gpu
    **params : int

    Returns
    -------
    dict of str to (float, float)
        Elements loaded and stored.
    """
    total: dict[str, np.ndarray] = {}
    for step, bound in chain.launch(**params).steps:
        for name, moved in prediction.count_elements(step.algorithm, gpu, **bound.params).items():
            total[step.array(name)] = total.get(step.array(name), np.zeros(2)) + moved
    return {name: (float(loaded), float(stored)) for name, (loaded, stored) in total.items()}
