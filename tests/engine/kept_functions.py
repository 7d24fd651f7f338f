"""Functions that are quick to compile, for tests of where compiled code is kept; each process asks for the answers.

They call each other in all the ways the engine's do: by one that is inlined and by one that is not, by several wholes,
with literals and without a value for an argument.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from numba import int64, njit

from gpusim.engine.compiling import store
from gpusim.engine.compiling.jit import compile_for_calls, inline, jit, spliced

NUMBERS = range(-3, 9)


@jit
def squared(x):
    return x * x


@jit
def larger(x, y):
    return max(squared(x), y)


@inline
def bounded(x, low=-2):
    return larger(max(x, low), 1) + squared(x)


@spliced
def both(x):
    return bounded(x) - larger(x, 2)


def by_address(x):
    return larger(x, 3) + 1


def by_another(x):
    return both(x) + bounded(x, 0)


@jit
def from_python(x, y):
    return larger(x, y) - 2 * squared(y)


ASKED: dict[str, tuple[Callable[[], list[int]], list[int]]] = {
    "by_address": (lambda: called(by_address), [max(x * x, 3) + 1 for x in NUMBERS]),
    "by_another": (
        lambda: called(by_another),
        [max(max(x, -2) ** 2, 1) + x * x - max(x * x, 2) + max(max(x, 0) ** 2, 1) + x * x for x in NUMBERS],
    ),
    "from_python": (lambda: [from_python(x, 5) for x in NUMBERS], [max(x * x, 5) - 50 for x in NUMBERS]),
}
"""By the function that is asked: what compiled code answers, and what Python says."""


def called(function: Callable[..., Any]) -> list[int]:
    """What a function says that is called by its address."""
    routine: Any = compile_for_calls(function, int64(int64)).ctypes
    return [routine(x) for x in NUMBERS]


def answers(names: Sequence[str] = tuple(ASKED)) -> str:
    """What compiled code says, as JSON."""
    return json.dumps([ASKED[name][0]() for name in names])


def right_answers(names: Sequence[str] = tuple(ASKED)) -> str:
    """What Python says."""
    return json.dumps([ASKED[name][1] for name in names])


def answer_all() -> None:
    """For each line read, a folder and names, a process that has compiled none asks them; prints its exit status."""
    njit(int64(int64))(lambda x: max(x, 0))  # what numba itself loads and compiles once
    for line in sys.stdin:
        folder, names = json.loads(line)
        child = os.fork()
        if not child:
            os._exit(answer(Path(folder), names))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def answer(folder: Path, names: Sequence[str]) -> int:
    """0 if compiled code that is kept in a folder says what is right, and nothing is warned of."""
    store.FOLDER = folder
    warnings.simplefilter("error")
    try:
        return 0 if answers(names) == right_answers(names) else 1
    except BaseException:
        traceback.print_exc()
        return 2
