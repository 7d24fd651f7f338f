"""The one way from launches to profiles, whatever front end made them: kept from an earlier run, or simulated now.

A front end makes :class:`~gpusim.simulate.work.Work` of what it is given; :func:`predict` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpusim.errors import ParameterError
from gpusim.isa.array_use import reads_data
from gpusim.simulate import kept_results

if TYPE_CHECKING:
    from datetime import datetime

    from gpusim.hardware.spec import Gpu
    from gpusim.profiles.profile import Profile
    from gpusim.progress import Progress
    from gpusim.results.causes import Cause
    from gpusim.simulate.work import How, Work


@dataclass(frozen=True)
class Rerun:
    """A launch as it was predicted, to be predicted again without some causes of its time.

    Attributes
    ----------
    works : sequence of Work
    gpu : Gpu
    how : How
    place : int
        Which of the works it is.
    """

    works: Sequence[Work]
    gpu: Gpu
    how: How
    place: int

    @property
    def l2_bytes(self) -> int:
        """Bytes of the L2 of its GPU."""
        return self.gpu.l2.size_bytes

    def __call__(self, *causes: Cause, free: Sequence[str] = (), progress: Progress | None = None) -> Profile:
        """Predict it without some causes; launches before it are as they were.

        Parameters
        ----------
        *causes : Cause
        free : sequence of str
            Arrays whose loads and stores cost nothing beyond their instructions, as if registers held them.
        progress : callable, optional
            Called with (blocks done, blocks, text).

        Returns
        -------
        Profile

        Raises
        ------
        ParameterError
            The launch has computed values, and what it touches depends on what arrays hold: that may be another now.
        GpusimError
            As for :func:`predict`.
        """
        work = self.works[self.place]
        if self.how.values and reads_data(work.launch.program):
            raise ParameterError(
                f"{work.name} has changed arrays that decide what it touches: profile it with values=False"
            )
        launch = replace(work.launch, without=tuple(sorted(causes)), free=tuple(sorted(free)))
        works = [*self.works[: self.place], replace(work, launch=launch, watched=False)]
        how = replace(self.how, values=False, timeline=None, progress=progress)
        return predict(works, self.gpu, how)[self.place]


_listeners: list[Callable[[Work], None]] = []
_anew: list[bool] = []
_notes: list[list[datetime | None]] = []


@contextmanager
def noting() -> Iterator[list[datetime | None]]:
    """Note when the profiles were simulated that are given meanwhile: None for now, as ``Profile.kept`` has it.

    Yields
    ------
    list of datetime or None
        That grows.
    """
    _notes.append([])
    try:
        yield _notes[-1]
    finally:
        _notes.pop()


@contextmanager
def simulating_anew() -> Iterator[None]:
    """Simulate whatever is predicted meanwhile, as ``fresh`` does for one prediction."""
    _anew.append(True)
    try:
        yield
    finally:
        _anew.pop()


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

    What was predicted of the same before is given again (:mod:`gpusim.simulate.kept_results`).

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
    found = _kept_or_simulated(works, gpu, how)
    for times in _notes:
        times.extend(profile.kept for profile in found)
    return [replace(profile, rerun=Rerun(works, gpu, how, k)) for k, profile in enumerate(found)]


def _kept_or_simulated(works: Sequence[Work], gpu: Gpu, how: How) -> list[Profile]:
    """Profiles of an earlier run, or of one now, which are kept."""
    key = kept_results.key(works, gpu, how)
    if not (how.fresh or _anew) and (found := kept_results.load(key)):
        return found
    from gpusim.simulate.simulation import simulate

    found = simulate(works, gpu, how)
    kept_results.keep(key, found)
    return found
