"""Functions that are quick to compile, for tests of where compiled code is kept; each process asks for the answers."""

from __future__ import annotations

import json
from typing import Any

from numba import int64

from gpusim.engine.jit import compile_for_calls, jit

NUMBERS = range(-3, 9)


@jit
def squared(x):
    return x * x


@jit
def larger(x, y):
    return max(squared(x), y)


def by_address(x):
    return larger(x, 3) + 1


@jit
def from_python(x, y):
    return larger(x, y) - 2 * squared(y)


def answers() -> str:
    """What compiled code says, as JSON."""
    routine: Any = compile_for_calls(by_address, int64(int64)).ctypes
    return json.dumps([[routine(x) for x in NUMBERS], [from_python(x, 5) for x in NUMBERS]])


def right_answers() -> str:
    """What Python says."""
    return json.dumps([[max(x * x, 3) + 1 for x in NUMBERS], [max(x * x, 5) - 50 for x in NUMBERS]])
