"""Calls that take long, in several processes: launches of a file, the rows of a sweep."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gpusim.processors import JOBS
from gpusim.progress import QUIET


def side_by_side(
    function: Callable[..., Any], calls: Sequence[Mapping[str, Any]], jobs: int
) -> Iterator[tuple[int, Any]]:
    """What calls give, as they end.

    Parameters
    ----------
    function : callable
        Of a module, so that another process finds it.
    calls : sequence of mapping
        Arguments by name.
    jobs : int
        Processors to work with: a process for each call, as far as they go, and threads of it where some are left.

    Yields
    ------
    int
        Which call it was.
    object
        What it gave.
    """
    import joblib

    here, processes = Path.cwd(), min(jobs, len(calls))
    tasks = (joblib.delayed(_elsewhere)(here, jobs // processes, function, n, call) for n, call in enumerate(calls))
    yield from joblib.Parallel(n_jobs=processes, return_as="generator_unordered")(tasks)


def _elsewhere(
    folder: Path, jobs: int, function: Callable[..., Any], number: int, call: Mapping[str, Any]
) -> tuple[int, Any]:
    """A call made by another process with so many processors, where names of files mean what they do here."""
    os.chdir(folder)
    os.environ |= {QUIET: "1", JOBS: str(jobs)}  # the process that waits for it shows how far all are
    return number, function(**call)
