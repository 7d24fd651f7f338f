"""How many processors of this host gpusim uses."""

from __future__ import annotations

import os
import sys

from gpusim.errors import ParameterError

JOBS = "GPUSIM_JOBS"
MOST = 1 << 16
DIGITS, MOST_SHOWN = 9, 40  # of a number that is read, of one that is told of


def processors(asked: int | None = None) -> int:
    """Processors to use: as many as asked for, or as ``GPUSIM_JOBS`` says, or all that this process may use.

    All are those it is bound to, or fewer where its container has a quota.

    Parameters
    ----------
    asked : int, optional
        Within 1 and `MOST`.

    Raises
    ------
    ParameterError
        ``GPUSIM_JOBS`` is no such number.
    """
    said = os.environ.get(JOBS, "")
    if asked is not None:
        return asked
    if said:
        if not (said.isascii() and said.isdigit() and len(said) <= DIGITS and 1 <= int(said) <= MOST):
            raise ParameterError(f"{JOBS}={said[:MOST_SHOWN]!r}: it must be a whole number within 1 and {MOST}")
        return int(said)
    return _usable()


def _usable() -> int:
    bound = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    if bound == 1:
        return 1
    import joblib  # it knows of quotas

    return int(joblib.cpu_count())
