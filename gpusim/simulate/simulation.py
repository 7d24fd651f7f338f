"""Launches run one after the other: guarded, warmed, counted and summed up."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gpusim.processors import processors
from gpusim.simulate.clock import clocked
from gpusim.simulate.counting import count
from gpusim.simulate.guard import fitting, watched
from gpusim.simulate.l2_state import flushed
from gpusim.simulate.metrics import summary
from gpusim.simulate.without import gpu_without, held_without
from gpusim.simulate.workers import Workers

if TYPE_CHECKING:
    from gpusim.hardware.occupancy import Occupancy
    from gpusim.hardware.spec import Gpu
    from gpusim.profiles.profile import Profile
    from gpusim.progress import Progress
    from gpusim.simulate.counted import CacheState, Counts
    from gpusim.simulate.machines import Machines
    from gpusim.simulate.work import How, Work


def simulate(works: Sequence[Work], gpu: Gpu, how: How) -> list[Profile]:
    """Run launches that follow one another.

    Parameters
    ----------
    works, gpu, how
        As for :func:`gpusim.simulate.prediction.predict`.

    Returns
    -------
    list of Profile
        One of each launch.

    Raises
    ------
    GpusimError
        A launch that the GPU cannot hold, an access out of bounds, ...
    """
    l2 = flushed(gpu) if how.cache == "flushed" else None
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


def carry_on(work: Work, gpu: Gpu, how: How, l2: CacheState | None, machines: Machines) -> tuple[Profile, CacheState]:
    """Run a launch that finds L2 as one before has left it, or empty.

    Parameters
    ----------
    work, gpu, how
        As for :func:`simulate`.
    l2 : CacheState or None
    machines : Machines
        Those that ran launches before.

    Returns
    -------
    profile : Profile
    l2 : CacheState
        As the launch leaves it.
    """
    ran = _run(work, gpu, how, l2, keep_l2=True, machines=machines)
    assert ran.counts.l2 is not None
    return _profile(work, ran, how.cache), ran.counts.l2


class _Ran(NamedTuple):
    """What came of a launch, and where it ran."""

    counts: Counts
    held: Occupancy
    gpu: Gpu


def _run(
    work: Work, gpu: Gpu, how: How, l2: CacheState | None, *, keep_l2: bool, machines: Machines | None = None
) -> _Ran:
    """Count what a launch does, if it fits, at the clock at which the GPU runs it."""
    launch, gpu = work.launch, gpu_without(clocked(gpu, work.launch.program), work.launch.without)
    held, progress = held_without(fitting(launch, gpu, work.name), launch, gpu), _naming(how.progress, work.step)
    guard = watched(launch, gpu, held, how.limit, progress, one=how.sample == "quick")
    with guard if work.watched else nullcontext(progress) as tell:
        counts = count(
            launch, gpu, held, sample=how.sample, l2=l2, keep_l2=keep_l2, values=how.values, progress=tell,
            limit=how.limit, recording=how.timeline, workers=Workers(processors(how.jobs)), machines=machines,
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
    known = {} if work.closed_forms is None else work.closed_forms()._asdict()
    found = summary(*what, cache, work.way, work.family)
    return replace(found, notes=(*work.notes, *found.notes), **known)
