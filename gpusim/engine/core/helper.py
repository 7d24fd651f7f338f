"""The function that runs what a program has out of the interpreter's loop: which one, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import int64, uint32

from gpusim.engine.compiling.jit import compile_for_calls
from gpusim.engine.compiling.watching import kept
from gpusim.engine.core.asynchronous import OPS
from gpusim.engine.core.checking.observing import checked
from gpusim.engine.core.out_of_line import out_of_line, with_asynchronous
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I
from gpusim.engine.state.reference import MACHINE


def needed(code: np.ndarray) -> Callable[..., Any]:
    """What runs what a program's code has out of line, if anything."""
    pipes = code[:, I.PIPE]
    if np.any(pipes == I.CHECKED_PIPE):
        return checked
    if not np.any(pipes == I.OUT_OF_LINE_PIPE):
        return none_needed
    return with_asynchronous if np.any(np.isin(code[:, I.OP], OPS)) else out_of_line


def helper(code: np.ndarray) -> Any:
    """The same, compiled."""
    return _compiled(needed(code))


@kept
def _compiled(function: Callable[..., Any]) -> Any:
    return compile_for_calls(function, int64(MACHINE, int64, int64, int64, int64, uint32, int64))


def none_needed(m, index, w, block, sm, on, t):
    """For programs that have no such instructions."""
    return S.FAILURE
