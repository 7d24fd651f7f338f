"""The guess with which a launch runs: arrays grow while it reaches beyond them, smaller sizes are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from gpusim.errors import EndlessError, GpusimError, NotEnoughMemoryError, ParameterError
from gpusim.launches.guessing import MOST_GROWN

if TYPE_CHECKING:
    from gpusim.launches.guessing import Guess

PATIENCE_S = 30.0
"""Seconds that a launch may take while smaller sizes may do."""
GROWN = 1 << 28
"""Elements of an array that grew, while smaller sizes may do."""
TIMES = 16
"""So many times as long is an array whose first growth was not enough."""
GROWTHS = 3
"""So often do arrays grow while smaller sizes may do; shared memory has an end of its own."""

Run = Callable[["Guess", "float | None"], object]


def first_that_runs(tries: Iterable[Guess], run: Run, tell: Callable[[str], None]) -> Guess:
    """Take the first guess with which a launch runs, its arrays enlarged until the launch reaches beyond none of them.

    Parameters
    ----------
    tries : iterable of Guess
        With ever smaller sizes.
    run : callable
        Runs the launch for so many seconds at most, if a number is given, and raises what went wrong.
    tell : callable
        Told of each array that grows, and when smaller sizes are tried.

    Returns
    -------
    Guess
        With which it ran.
    """
    first: tuple[Guess, GpusimError] | None = None
    left = list(tries)
    while left:
        guessed = left.pop(0)
        done, error = _fitted(guessed, run, tell, is_last=not left)
        if error is None:
            return done
        first = first or (done, error)
        if left:
            tell("smaller sizes are tried")
    assert first is not None
    tell(f"guessed: {' '.join(first[0].lines())}")
    raise first[1]


def _fitted(
    guessed: Guess, run: Run, tell: Callable[[str], None], *, is_last: bool
) -> tuple[Guess, GpusimError | None]:
    """A guess with arrays as long as a launch needs; and what went wrong all the same."""
    from gpusim.launches.profiling import TimeLimitError
    from gpusim.simulate.driving import SimulationError

    growths = 0
    while True:
        try:
            run(guessed, None if is_last else PATIENCE_S)
        except (SimulationError, EndlessError, ParameterError, TimeLimitError, NotEnoughMemoryError) as error:
            larger, why = _enlarged(guessed, error, TIMES if growths else 2, MOST_GROWN if is_last else GROWN)
            growths += larger is None or larger.shared == guessed.shared
            if larger is None or (growths > GROWTHS and not is_last):
                return guessed, error
            tell(why)
            guessed = larger
        else:
            return guessed, None


def _enlarged(guessed: Guess, error: GpusimError, times: int, most: int) -> tuple[Guess | None, str]:
    """A guess with more of what a launch reaches beyond, and what to say of it."""
    from gpusim.simulate.driving import SimulationError

    if not isinstance(error, SimulationError):
        return None, ""
    if error.is_of_shared:
        more = guessed.with_more_shared()
        return more, f"shared memory is read or written past its end: {more.shared} bytes are dynamic" if more else ""
    if not error.array:
        return None, ""
    return guessed.enlarged(error.array, error.past, times, most), _why(error.array, error.past)


def _why(array: str, past: int) -> str:
    """Why arrays grow."""
    if array == "*":
        return "an array is read or written past its end, in another one: larger ones are taken"
    return f"{array} is read or written {past} bytes past its end: a larger one is taken"
