"""What runs a program, compiled before it runs: its routines, what it has out of line, the machine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from gpusim.engine.alu import routines
from gpusim.engine.compiling.compilation import Compilation, Function
from gpusim.engine.compiling.jit import is_kept
from gpusim.engine.compiling.watching import watched
from gpusim.engine.core import machine
from gpusim.engine.core.asynchronous import OPS as ASYNCHRONOUS
from gpusim.engine.core.beside import by_address, compiled_beside
from gpusim.isa.encode import CHECKED_PIPE, N_FIELDS, OUT_OF_LINE_PIPE, F
from gpusim.isa.opcodes import Op

_ready: set[Function] = set()
"""What this process can call already."""


def every_instruction() -> np.ndarray:
    """Code that needs all there is."""
    code = np.zeros((len(Op), N_FIELDS), np.int32)
    code[:, F.OP], code[:, F.PIPE] = list(Op), OUT_OF_LINE_PIPE
    return code


def every_kind() -> list[np.ndarray]:
    """Code that needs all there is, without asynchronous copies, with nothing out of line, and such that is checked."""
    code = every_instruction()
    checked = code.copy()
    checked[:, F.PIPE] = CHECKED_PIPE
    return [code, code[~np.isin(code[:, F.OP], ASYNCHRONOUS)], code[:0], checked]


def wholes(code: np.ndarray) -> list[Function]:
    """What is compiled to run a program, each function with all that it calls.

    Parameters
    ----------
    code : int32 array, shape (instructions, N_FIELDS)
    """
    return [*by_address(code), machine.advance.py_func]


def make_ready(code: np.ndarray, show: Callable[[Compilation], AbstractContextManager[Any]]) -> None:
    """Compile what a program needs, or load it.

    Parameters
    ----------
    code : int32 array, shape (instructions, N_FIELDS)
    show : callable
        Takes a :class:`~gpusim.engine.compiling.compilation.Compilation`, and gives a context in which it is shown;
        called only if something is to be compiled.
    """
    needed = wholes(code)
    if _ready.issuperset(needed):
        return
    began = is_kept(machine.advance.py_func)
    with watched(needed, f"compiling {'more of ' if began else ''}the engine, once", show, is_kept):
        with nullcontext() if began else compiled_beside(code):
            machine.load(code[:0])
        routines.addresses(code[:, F.OP])
        machine.load(code)
    _ready.update(needed)
