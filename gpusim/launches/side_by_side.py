"""Calls that take long, in several processes: launches of a file, the rows of a sweep."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any


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
        Processes.

    Yields
    ------
    int
        Which call it was.
    object
        What it gave.
    """
    import joblib

    here = Path.cwd()
    tasks = (joblib.delayed(_elsewhere)(here, function, n, call) for n, call in enumerate(calls))
    yield from joblib.Parallel(n_jobs=min(jobs, len(calls)), return_as="generator_unordered")(tasks)


def _elsewhere(folder: Path, function: Callable[..., Any], number: int, call: Mapping[str, Any]) -> tuple[int, Any]:
    """A call made by another process, where names of files mean what they do here."""
    os.chdir(folder)
    os.environ["GPUSIM_QUIET"] = "1"  # the process that waits for it shows how far all are
    return number, function(**call)
