"""Rows that a command predicts, side by side: those that fail are told of, and leave the others alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def told(gpu: str, params: Mapping[str, Any]) -> str:
    """A row in words: its parameters and its GPU.

    Examples
    --------
    >>> told("h200", {"n": 512, "tile": 16})
    '--n 512 --tile 16 on h200'
    """
    return " ".join([*(f"--{name} {value}" for name, value in params.items()), "on", gpu])


def predicted(calls: Sequence[Callable[..., Any]], names: Sequence[str], jobs: int | None) -> list[Any]:
    """Predict every row, showing progress on standard error, and there what became of those that failed.

    Parameters
    ----------
    calls : sequence of callable
        As for :func:`gpusim.launches.rows.predict_rows`.
    names : sequence of str
        What messages call them.
    jobs : int or None
        Processors to work with; None: all.

    Returns
    -------
    list
        In their order; None for each that failed.

    Raises
    ------
    GpusimError
        If there is only one and it fails, or if all do.
    """
    from gpusim.errors import GpusimError
    from gpusim.launches.rows import predict_rows
    from gpusim.processors import processors
    from gpusim.progress import ProgressLine

    with ProgressLine() as progress:
        if len(calls) == 1:
            return [calls[0](progress=progress, jobs=jobs)]
        found = predict_rows(calls, processors(jobs), progress)
    failed = {n: row for n, row in enumerate(found) if isinstance(row, GpusimError)}
    if len(failed) == len(found):
        raise GpusimError(f"none of {len(found)} could be predicted: {failed[0]}")
    for number, error in failed.items():
        print(f"gpusim: {names[number]}: {error}", file=sys.stderr)
    return [None if number in failed else row for number, row in enumerate(found)]
