"""Which way the engine is compiled; the decorators of all that is.

numba's documented functions are enough, and slow (:mod:`gpusim.engine.compiling.plain`).  Where numba is as it was
tried, parts of it that are its own affair make the same code sooner (:mod:`gpusim.engine.compiling.parts`).
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numba

from gpusim.engine.compiling import plain

PLAIN = "GPUSIM_PLAIN_NUMBA"
"""Environment variable: unless it is empty or 0, numba is used as it is documented."""
OLDEST, BEYOND = (0, 61), (0, 69)
"""Releases of numba from and below which its own parts are as they are used; pyproject.toml says the same."""
TRIED = ("0.61.2", "0.68.1")
"""Those that ``make matrix`` runs.  Others between them are tried on something small first, in each process."""


def doubt(version: str) -> str:
    """Why a release of numba is not used with its own parts; nothing if it may be.

    Examples
    --------
    >>> doubt("0.61.2")
    ''
    >>> doubt("0.69.0rc1")
    'numba 0.69.0rc1 is not one of 0.61 to 0.68'
    """
    release = tuple(int("".join(c for c in part if c.isdigit()) or 0) for part in version.split(".")[:2])
    if OLDEST <= release < BEYOND:
        return ""
    return f"numba {version} is not one of {OLDEST[0]}.{OLDEST[1]} to {BEYOND[0]}.{BEYOND[1] - 1}"


def chosen() -> Any:
    """The module that compiles; where numba is not as it was tried, a line on standard error says so."""
    if os.environ.get(PLAIN, "0") not in ("", "0"):
        return plain
    why = doubt(numba.__version__)
    try:
        if not why:
            return _own_parts()
    except Exception as error:  # whatever another release makes of it
        first = (str(error).splitlines() or [""])[0]
        why = f"numba {numba.__version__} is not as gpusim knows it ({type(error).__name__}: {first})"
    print(f"gpusim: {why}; compiling takes longer, results are the same", file=sys.stderr)
    os.environ[PLAIN] = "1"  # processes that this one starts do the same, and need not say so
    return plain


def _own_parts() -> Any:
    from gpusim.engine.compiling import parts

    if numba.__version__ not in TRIED:
        parts.prove()
    return parts


MODE = chosen()

jit, inline, spliced, cold = MODE.jit, MODE.inline, MODE.spliced, MODE.cold
compile_for_calls, compile_whole, whole, is_kept = (
    MODE.compile_for_calls,
    MODE.compile_whole,
    MODE.whole,
    MODE.is_kept,
)
