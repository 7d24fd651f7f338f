"""The one way from launches to profiles: guarded, warmed, counted, sampled and summed up, whatever front end made them.

A front end makes :class:`Work` of what it is given; :func:`predict` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from gpusim.errors import ParameterError, check_flags, shown
from gpusim.simulate.clock import clocked
from gpusim.simulate.counting import count
from gpusim.simulate.guard import fitting, watched
from gpusim.simulate.metrics import summary

if TYPE_CHECKING:
    import numpy as np

    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.profiles.profile import Profile
    from gpusim.progress import Progress
    from gpusim.results.timeline import Recording
    from gpusim.results.traffic import Formula
    from gpusim.simulate.counted import CacheState, Counts
    from gpusim.simulate.known_errors import Way
    from gpusim.simulate.launch import Launch


@dataclass(frozen=True)
class Work:
    """A launch as a front end hands it over, and what is known of it besides.

    Attributes
    ----------
    launch : Launch
    name : str
        What it is called.
    params : mapping
        Its sizes.
    way : str
        How the program came about: ``"description"``, ``"machine_code"``, or ``"other"``, whose errors nobody knows.
    family : str
        Of the kernel, if it is one of the catalogue.
    textbook : mapping of str to Formula
        What closed forms say of it.
    flops : int or None
        Floating-point operations of the algorithm.
    watched : bool
        Execute a few blocks under watch beside it.
    step : str
        Which launch of several it is, as progress tells it.
    take : callable, optional
        Given the arrays after the launch, where values are computed.
    source : object
        What the front end made it of.
    """

    launch: Launch
    name: str
    params: Mapping[str, Any]
    way: Way
    family: str = ""
    textbook: Mapping[str, Formula] = field(default_factory=dict)
    flops: int | None = None
    watched: bool = False
    step: str = ""
    take: Callable[[Mapping[str, np.ndarray]], None] | None = None
    source: object = None


@dataclass(frozen=True)
class How:
    """How launches are to be predicted.

    Attributes
    ----------
    cache : {"cold", "warm"}
        Caches flushed before the first launch (as Nsight Compute does), or left as the same launches left them.
    sample : bool, optional
        Run only part of a large launch; None decides by its size.
    values : bool
        Compute what launches compute; then all blocks are run.
    limit : int, optional
        Warp instructions beyond which a run is taken not to end; by default only one that gets nowhere is.
    progress : callable, optional
        Called with (blocks done, blocks, text).
    timeline : Recording, optional
        Record what one SM does, cycle by cycle.

    Raises
    ------
    ParameterError
        What is no state of the caches, cannot be told of progress, or is no flag.
    """

    cache: str = "cold"
    sample: bool | None = None
    values: bool = False
    limit: int | None = None
    progress: Progress | None = None
    timeline: Recording | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.cache, str) or self.cache not in ("cold", "warm"):
            raise ParameterError(f"cache must be 'cold' or 'warm', not {shown(self.cache)}")
        if self.progress is not None and not callable(self.progress):
            raise ParameterError(f"progress must be a function of (done, total, text), not {shown(self.progress)}")
        check_flags(values=self.values, sample=self.sample)

    @property
    def warming(self) -> How:
        """How the same launches are run before, to leave the caches as they do."""
        return replace(self, values=False, sample=False if self.values else self.sample, timeline=None)


_listeners: list[Callable[[Work], None]] = []


@contextmanager
def listening(hear: Callable[[Work], None]) -> Iterator[None]:
    """Be told of every launch that is predicted meanwhile, before it is.

    Parameters
    ----------
    hear : callable
        Called with each.
    """
    _listeners.append(hear)
    try:
        yield
    finally:
        _listeners.remove(hear)


def predict(works: Sequence[Work], gpu: Gpu, how: How) -> list[Profile]:
    """Predict launches that follow one another, each of which finds L2 as the one before left it.

    Parameters
    ----------
    works : sequence of Work
    gpu : Gpu
    how : How

    Returns
    -------
    list of Profile
        One of each launch.

    Raises
    ------
    GpusimError
        A launch that the GPU cannot hold, an access out of bounds, ...
    """
    for hear in _listeners:
        for work in works:
            hear(work)
    l2: CacheState | None = None
    if how.cache == "warm":
        for work in works:
            l2 = _run(work, gpu, how.warming, l2, keep_l2=True).counts.l2
        works = [replace(work, watched=False) for work in works]  # they were, the first time
    found = []
    for work in works:
        ran = _run(work, gpu, how, l2, keep_l2=len(works) > 1)
        if work.take is not None:
            work.take(ran.counts.outputs)
        l2 = ran.counts.l2
        found.append(_profile(work, ran, how.cache))
    return found


class _Ran(NamedTuple):
    """What came of a launch, and where it ran."""

    counts: Counts
    held: Occupancy
    gpu: Gpu


def _run(work: Work, gpu: Gpu, how: How, l2: CacheState | None, *, keep_l2: bool) -> _Ran:
    """Count what a launch does, if it fits, at the clock at which the GPU runs it."""
    launch, gpu = work.launch, clocked(gpu, work.launch.program)
    held, progress = fitting(launch, gpu, work.name), _naming(how.progress, work.step)
    guard = watched(launch, gpu, held, how.limit, progress) if work.watched else nullcontext(progress)
    with guard as tell:
        counts = count(
            launch, gpu, held, sample=how.sample, l2=l2, keep_l2=keep_l2, values=how.values, progress=tell,
            limit=how.limit, recording=how.timeline,
        )  # fmt: skip
    return _Ran(counts, held, gpu)


def _naming(progress: Progress | None, step: str) -> Progress | None:
    """Tell which launch the progress belongs to."""
    if progress is None or not step:
        return progress
    return lambda done, total, text: progress(done, total, f"{step}: {text}")


def _profile(work: Work, ran: _Ran, cache: str) -> Profile:
    """Everything that is known of a launch."""
    what = work.name, work.params, ran.gpu, work.launch, ran.held, ran.counts
    return replace(summary(*what, cache, work.way, work.family), textbook=work.textbook, flops=work.flops)
