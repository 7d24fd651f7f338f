"""CUDA C++ as a library of the host: g++, and headers that stand for CUDA's."""

from __future__ import annotations

import atexit
import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
COMPILER = shutil.which("g++")
FLAGS = ["-std=c++20", "-O1", "-fPIC", "-fno-strict-aliasing", "-fwrapv", "-ffp-contract=off", "-frounding-math"]


def library(source: Path) -> ctypes.CDLL:
    """Compile a source that includes ``cuda.h`` and load it; the threads of a block are fibers."""
    made = source.with_suffix(".so")
    _build(source, made, "-shared", str(_fibers()))
    return ctypes.CDLL(str(made))


def aligned(values: np.ndarray) -> np.ndarray:
    """A copy on 16 bytes, as vectors need it."""
    room = np.zeros(values.nbytes + 16, np.uint8)
    first = -room.ctypes.data % 16
    copy = room[first : first + values.nbytes].view(values.dtype).reshape(values.shape)
    copy[...] = values
    return copy


@cache
def _fibers() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="gpusim-host-")
    atexit.register(folder.cleanup)
    _build(HERE / "fibers.cpp", made := Path(folder.name) / "fibers.o", "-c")
    return made


def _build(source: Path, output: Path, *options: str) -> None:
    assert COMPILER is not None
    flags = [*FLAGS, "-w", f"-I{HERE}"]
    subprocess.run([COMPILER, *flags, str(source), *options, "-o", str(output)], check=True)
