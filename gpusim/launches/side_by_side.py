"""Calls that take long, in several processes: launches of a file, the rows of a sweep."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gpusim.processors import JOBS
from gpusim.progress import QUIET


def side_by_side(
    function: Callable[..., Any], calls: Sequence[Mapping[str, Any]], jobs: int
) -> Iterator[tuple[int, Any]]:
    """What calls give, as they end.

    Where a process is killed from outside, the calls that are left go on in half as many processes.

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
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    left, processes = dict(enumerate(calls)), min(jobs, len(calls))
    while left:
        try:
            for number, found in _spread(function, dict(left), jobs, processes):
                del left[number]
                yield number, found
        except TerminatedWorkerError:
            processes = max(min(processes, len(left)) // 2, 1)
            said = f"a process was killed, maybe for want of memory: {len(left)} are left, and go on in {processes}"
            print(f"gpusim: {said}", file=sys.stderr)


def _spread(
    function: Callable[..., Any], calls: Mapping[int, Mapping[str, Any]], jobs: int, processes: int
) -> Iterator[tuple[int, Any]]:
    """What calls give, in so many processes, each with its share of processors."""
    import joblib

    if processes == 1:
        yield from ((number, function(**call)) for number, call in calls.items())
        return
    here, each = Path.cwd(), max(jobs // processes, 1)
    tasks = [joblib.delayed(_elsewhere)(here, each, function, number, call) for number, call in calls.items()]
    yield from joblib.Parallel(n_jobs=processes, return_as="generator_unordered")(tasks)


def _elsewhere(
    folder: Path, jobs: int, function: Callable[..., Any], number: int, call: Mapping[str, Any]
) -> tuple[int, Any]:
    """A call made by another process with so many processors, where names of files mean what they do here."""
    os.chdir(folder)
    os.environ |= {QUIET: "1", JOBS: str(jobs)}  # the process that waits for it shows how far all are
    return number, function(**call)
