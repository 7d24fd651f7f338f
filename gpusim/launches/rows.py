"""Predictions of one kernel for many parameters or GPUs, a row each: a row that fails leaves the others alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gpusim.errors import GpusimError
from gpusim.launches.profiling import TimeLimitError
from gpusim.launches.side_by_side import elsewhere, side_by_side
from gpusim.progress import Progress

ALONE_S = 4.0
"""Seconds for which rows are predicted one after another here, before other processes help.

A process takes as long to start.  Rows that are kept, and few short ones, are done by then."""

Row = Any
"""A profile, or the error that a row ended with."""


def predict_rows(
    calls: Sequence[Callable[..., Any]], jobs: int, progress: Progress, *, here: bool = False
) -> list[Row]:
    """Predict every row.

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
    began: float | None = None
    waits = here or not elsewhere()
    while waits and len(found) < len(calls) and (here or jobs == 1 or not began or time.monotonic() < began + ALONE_S):
        number = len(found)
        tell = partial(_of_row, progress, number, len(calls))
        found[number] = attempt(partial(calls[number], progress=tell, jobs=jobs))
        began = began or time.monotonic()  # by now the engine is loaded
    others = list(range(len(found), len(calls)))
    tasks = [{"call": calls[number]} for number in others]
    for number, row in side_by_side(attempt, tasks, jobs) if tasks else ():
        found[others[number]] = row
        progress(len(found), len(calls), f"{len(found)} of {len(calls)} done")
    return [found[number] for number in range(len(calls))]


def attempt(call: Callable[..., Any]) -> Row:
    """A row, or why there is none; who watches it may end it, and with it all others."""
    try:
        return call()
    except TimeLimitError:
        raise
    except GpusimError as error:
        return GpusimError(str(error))  # of a kind that goes from process to process


def _of_row(progress: Progress, number: int, count: int, done: int, total: int, text: str) -> None:
    """A report from within a row, as one on all of them."""
    progress(number, count, f"{number + 1} of {count}: {text}")
