"""The one way from launches to profiles, whatever front end made them: kept from an earlier run, or simulated now.

A front end makes :class:`~gpusim.simulate.work.Work` of what it is given; :func:`predict` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpusim.errors import ParameterError
from gpusim.hardware.occupancy import occupancy
from gpusim.isa.array_use import arrays_read, arrays_written, reads_data
from gpusim.kept.alone import check_wanted
from gpusim.simulate import kept_results
from gpusim.simulate.launch import memory_of

if TYPE_CHECKING:
    from datetime import datetime

    from gpusim.hardware.spec import Gpu
    from gpusim.profiles.profile import Profile
    from gpusim.progress import Progress
    from gpusim.results.causes import Cause, CodeLine
    from gpusim.results.touches import Touch
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
    key : str or None
        Of all that decided the prediction, contents of arrays too; None where it is not known.
    """

    works: Sequence[Work]
    gpu: Gpu
    how: How
    place: int
    key: str | None

    @property
    def source(self) -> str:
        """File of the launch's code; empty where it is not known."""
        return self.works[self.place].launch.program.source

    @property
    def l2_bytes(self) -> int:
        """Bytes of the L2 of its GPU."""
        return self.gpu.l2.size_bytes

    def lines(self, cause: Cause) -> Sequence[CodeLine]:
        """Lines of the launch's code that a cause is in, by their instructions; none where it is none of code."""
        from gpusim.simulate import spared  # imports numba, which a kept prediction does without

        return spared.lines(self.works[self.place].launch.program, cause)

    def __call__(
        self, *causes: Cause, free: Sequence[str] = (), once: Sequence[str] = (), progress: Progress | None = None
    ) -> Profile:
        """Predict it without some causes; launches before it are as they were.

        Parameters
        ----------
        *causes : Cause
        free : sequence of str
            Arrays whose loads and stores cost nothing beyond their instructions, as if registers held them.
        once : sequence of str
            Arrays of which L1 keeps nothing.
        progress : callable, optional
            Called with (blocks done, blocks, text).

        Returns
        -------
        Profile

        Raises
        ------
        ParameterError
            Arrays that decide what it touches hold something else by now.
        GpusimError
            As for :func:`predict`.
        """
        work = self.works[self.place]
        if reads_data(work.launch.program):
            self._check_contents(work)
        launch = replace(work.launch, without=tuple(sorted(causes)), free=tuple(sorted(free)), once=tuple(sorted(once)))
        works = [*self.works[: self.place], replace(work, launch=launch, watched=False)]
        how = replace(self.how, values=False, timeline=None, progress=progress)
        return predict(works, self.gpu, how)[self.place]

    def touches(self, block: int = 0, warp: int = 0, progress: Progress | None = None) -> Sequence[Touch]:
        """Find where the lanes of a warp go, as :func:`gpusim.simulate.touching.touches` does."""
        from gpusim.simulate.touching import touches  # imports numba

        launch = self.works[self.place].launch
        held = occupancy(self.gpu, launch.threads, launch.registers_per_thread, launch.shared_bytes)
        return touches(launch, self.gpu, held, block, warp, progress)

    def _check_contents(self, work: Work) -> None:
        """Refuse arrays that decide what a launch touches, and that it or the user has changed since."""
        changed = self.key is not None and kept_results.key(self.works, self.gpu, self.how) != self.key
        arrays = [name for name, value in work.launch.arguments.items() if memory_of(value) is not None]
        if self.how.values:
            written = arrays_written(work.launch.program, arrays)
            changed |= written is None or bool(written & arrays_read(work.launch.program, arrays))
        if changed:
            raise ParameterError(
                f"{work.name}: arrays that decide what it touches hold something else by now: predict it anew first"
            )


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
    key = kept_results.key(works, gpu, how)
    found = _kept_or_simulated(works, gpu, how, key)
    for times in _notes:
        times.extend(profile.kept for profile in found)
    return [replace(profile, rerun=Rerun(works, gpu, how, k, key)) for k, profile in enumerate(found)]


def _kept_or_simulated(works: Sequence[Work], gpu: Gpu, how: How, key: str | None) -> list[Profile]:
    """Profiles of an earlier run, or of one now, which are kept by their key."""
    if not (how.fresh or _anew) and (found := kept_results.load(key)):
        return found
    check_wanted()
    from gpusim.simulate.simulation import simulate

    found = simulate(works, gpu, how)
    kept_results.keep(key, found)
    return found
