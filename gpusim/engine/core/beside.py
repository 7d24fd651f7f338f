"""Another process that compiles meanwhile: numba keeps one core busy, and what is called by address stands alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import numpy as np

from gpusim.children import Child
from gpusim.engine.alu import routines
from gpusim.engine.compiling.compilation import Compilation, Function, work
from gpusim.engine.compiling.jit import is_kept
from gpusim.engine.compiling.store import FOLDER
from gpusim.engine.compiling.watching import tell
from gpusim.engine.core import helper
from gpusim.folders import usable
from gpusim.isa.encode import N_FIELDS, F
from gpusim.processors import processors

LEAST_WORK = 20_000.0
"""Bytes of code that are worth a process; to start it takes as long as to compile a tenth of them."""
BETWEEN_LOOKS = 0.2
"""Seconds between two looks at what the other process has compiled."""
START = "import sys; sys.path[:] = {path!r}; from gpusim.engine.core import beside; beside.compile_rows(sys.argv[1:])"


@contextmanager
def compiled_beside(code: np.ndarray) -> Iterator[None]:
    """Have another process compile what a program calls by address, into the cache folder, and wait for it at the end.

    Nothing happens where there is one core, or too little is missing, or nothing can be kept.  What the process
    does not get done is compiled by whoever needs it.

    Parameters
    ----------
    code : int32 array, shape (instructions, N_FIELDS)
    """
    missing = [each for each in by_address(code) if not is_kept(each)]
    if processors() < 2 or sum(work(*missing).values()) < LEAST_WORK or not usable(FOLDER):
        yield
        return
    rows = [f"{op}:{pipe}" for op, pipe in np.unique(code[:, [F.OP, F.PIPE]], axis=0)]
    start = [sys.executable, "-c", START.format(path=sys.path), *rows]
    with Child(start, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        yield
        _wait(child, missing)


def by_address(code: np.ndarray) -> list[Function]:
    """What the interpreter calls by address to run a program."""
    return [*routines.functions(code[:, F.OP]), helper.needed(code)]


def compile_rows(rows: Sequence[str]) -> None:
    """Compile what instructions need, each given as ``opcode:pipe``."""
    code = np.zeros((len(rows), N_FIELDS), np.int32)
    code[:, [F.OP, F.PIPE]] = [[int(number) for number in row.split(":")] for row in rows]
    routines.addresses(code[:, F.OP])
    helper.helper(code)


def _wait(child: Child, missing: Sequence[Function]) -> None:
    """Wait for the other process, and tell whoever watches what it has compiled."""
    left, over = list(missing), False
    while not over:
        over = child.process.poll() is not None
        done = [each for each in left if is_kept(each)]
        for function in work(*done):
            tell(Compilation.lowered, function)
        for each in done:
            tell(Compilation.finished, each)
            left.remove(each)
        with suppress(subprocess.TimeoutExpired):
            child.process.wait(BETWEEN_LOOKS)
