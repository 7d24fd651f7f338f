"""Predictions of one kernel for many parameters or GPUs, a row each: a row that fails leaves the others alone."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from gpusim.errors import GpusimError
from gpusim.kept.alone import NotKeptError, kept_alone
from gpusim.kept.store import FORGET
from gpusim.launches.profiling import TimeLimitError
from gpusim.launches.side_by_side import elsewhere, side_by_side
from gpusim.progress import QUIET, Progress

ALONE_S = 4.0
"""Seconds for which rows are predicted one after another here, before other processes help.

A process takes as long to start.  Few short rows are done by then."""

LOOK_S = 10.0
"""Seconds for which is looked which rows are kept, before any is predicted; a row takes some milliseconds."""

Row = Any
"""A profile, or the error that a row ended with."""

Call = Callable[..., Any]


def predict_rows(
    calls: Sequence[Call], jobs: int, progress: Progress, *, here: bool = False, tells: bool = True
) -> list[Row]:
    """Predict every row.

    Rows that are kept come first; a line on standard error says how many there are.  So does one if it is interrupted.

    Parameters
    ----------
    calls : sequence of callable
        Each predicts a row, and takes ``progress`` and ``jobs``: :func:`gpusim.predict` with all else filled in, as
        :func:`functools.partial` does.
    jobs : int
        Processors to work with.
    progress : callable
        Called with (rows done, rows, text).
    here : bool
        In this process alone, for calls that no other process can be sent.
    tells : bool
        Say how many are kept; not of one batch among many.

    Returns
    -------
    list of Profile, ChainProfile or GpusimError
        In the order of `calls`.

    Raises
    ------
    TimeLimitError
        ``progress`` raises it: there is no time for all of them.
    """
    found: dict[int, Row] = {}
    try:
        found |= _kept(calls, progress)
        if tells:
            _say_what_is_there(calls, found)
        for number, row in _predicted(calls, found, jobs, progress, here=here):
            found[number] = row
    except KeyboardInterrupt:
        _say_what_is_kept(calls, found)
        raise
    return [found[number] for number in range(len(calls))]


def _predicted(
    calls: Sequence[Call], found: Mapping[int, Row], jobs: int, progress: Progress, *, here: bool
) -> Iterator[tuple[int, Row]]:
    """Rows that are not ``found``, as they end: first some in this process, then side by side."""
    began: float | None = None
    left = [number for number in range(len(calls)) if number not in found]
    waits = here or not elsewhere()
    while waits and left and (here or jobs == 1 or not began or time.monotonic() < began + ALONE_S):
        number = left.pop(0)
        tell = partial(_of_row, progress, len(found), len(calls))
        yield number, attempt(partial(calls[number], progress=tell, jobs=jobs))
        began = began or time.monotonic()  # by now the engine is loaded
    tasks = [{"call": calls[number]} for number in left]
    for number, row in side_by_side(attempt, tasks, jobs) if tasks else ():
        yield left[number], row
        progress(len(found), len(calls), f"{len(found)} of {len(calls)} done")


def _kept(calls: Sequence[Call], progress: Progress) -> dict[int, Row]:
    """Rows that need no prediction: those that are kept, and those that cannot be launched."""
    found: dict[int, Row] = {}
    if len(calls) < 2 or elsewhere() or any(_is_fresh(call) for call in calls):
        return found
    until = time.monotonic() + LOOK_S
    for number, call in enumerate(calls):
        if time.monotonic() > until:
            break
        progress(len(found), len(calls), "looking for what is kept")
        try:
            with kept_alone():
                found[number] = attempt(partial(call, progress=_silent, jobs=1))
        except NotKeptError:
            continue
    return found


def _say_what_is_there(calls: Sequence[Call], found: Mapping[int, Row]) -> None:
    """Say how much is kept, where it is a part."""
    there = _done(found)
    if there and len(found) < len(calls) and not os.environ.get(QUIET):
        print(f"gpusim: {there} of {len(calls)} are there already, from an earlier run", file=sys.stderr)


def _done(found: Mapping[int, Row]) -> int:
    """How many rows were predicted."""
    return sum(not isinstance(row, GpusimError) for row in found.values())


def _is_fresh(call: Call) -> bool:
    """Whether it is to be simulated, whatever is kept."""
    return bool(getattr(call, "keywords", {}).get("fresh"))


def _say_what_is_kept(calls: Sequence[Call], found: Mapping[int, Row]) -> None:
    """Say how much of the work is not lost."""
    done = _done(found)
    if not done or os.environ.get(FORGET):
        return
    again = "the same command without --fresh" if any(map(_is_fresh, calls)) else "the same command"
    print(f"gpusim: {done} of {len(calls)} are done and kept: {again} goes on from there", file=sys.stderr)


def attempt(call: Callable[..., Any]) -> Row:
    """A row, or why there is none; who watches it may end it, and with it all others."""
    try:
        return call()
    except TimeLimitError:
        raise
    except GpusimError as error:
        return GpusimError(str(error))  # of a kind that goes from process to process


def _silent(done: int, total: int, text: str) -> None:
    """Show nothing of a row that is only looked for."""


def _of_row(progress: Progress, number: int, count: int, done: int, total: int, text: str) -> None:
    """A report from within a row, as one on all of them."""
    progress(number, count, f"{number + 1} of {count}: {text}")
