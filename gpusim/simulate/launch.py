"""A Launch: a program with grid, block and arguments, laid out in memory as a driver would."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gpusim.engine.state import GLOBAL_BASE
from gpusim.isa.program import Program

ALIGNMENT = 512  # bytes; what CUDA's allocators give (CUDA C++ Programming Guide: at least 256)


class Buffer(NamedTuple):
    """A global array of which only the size matters."""

    nbytes: int


Argument = np.ndarray | Buffer | int | float


@dataclass(frozen=True)
class Launch:
    """What to run.

    Attributes
    ----------
    program : Program
    grid, block : tuple of int
        Blocks, and threads of a block, in x, y, z.
    arguments : mapping of str to ndarray, Buffer, int or float
        By parameter name.
    dynamic_shared : int
        Bytes.
    outputs : tuple of str
        Buffers that hold nothing yet (reading one before writing it is an error in checked runs).
    """

    program: Program
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: Mapping[str, Argument]
    dynamic_shared: int = 0
    outputs: tuple[str, ...] = field(default=())

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return math.prod(self.grid)

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return math.prod(self.block)

    @property
    def warps(self) -> int:
        """Warps of a block."""
        return -(-self.threads // 32)

    @property
    def shared_bytes(self) -> int:
        """Static and dynamic shared memory of a block."""
        return self.program.shared_bytes + self.dynamic_shared


class Layout(NamedTuple):
    """Where each buffer lies.

    Attributes
    ----------
    address : dict
        First byte of each buffer.
    nbytes : dict
    total : int
        Bytes from ``GLOBAL_BASE`` to the end.
    """

    address: dict[str, int]
    nbytes: dict[str, int]
    total: int


def lay_out(launch: Launch) -> Layout:
    """Place buffers one after another, each on a 512-byte boundary."""
    address, nbytes, end = {}, {}, int(GLOBAL_BASE)
    for param in launch.program.params:
        if param.kind != "buffer":
            continue
        address[param.name], nbytes[param.name] = end, int(launch.arguments[param.name].nbytes)  # type: ignore[union-attr]
        end += -(-nbytes[param.name] // ALIGNMENT) * ALIGNMENT
    return Layout(address, nbytes, end - int(GLOBAL_BASE))


_FORMATS = {"i32": "<i", "u32": "<I", "f32": "<f"}


def constant_bank(launch: Launch, layout: Layout) -> bytes:
    """Constant bank 0 with the parameters where the program expects them."""
    params = launch.program.params
    end = max((p.offset + 8 for p in params), default=0)
    bank = bytearray(end)
    for param in params:
        if param.kind == "buffer":
            struct.pack_into("<Q", bank, param.offset, layout.address[param.name])
        else:
            struct.pack_into(_FORMATS[param.kind], bank, param.offset, launch.arguments[param.name])
    return bytes(bank)


def fill_memory(launch: Launch, layout: Layout) -> np.ndarray:
    """Global memory with the contents of every array, as 32-bit words."""
    memory = np.zeros(layout.total, np.uint8)
    for name, address in layout.address.items():
        value = launch.arguments[name]
        if isinstance(value, np.ndarray):
            start = address - int(GLOBAL_BASE)
            memory[start : start + value.nbytes] = np.ascontiguousarray(value).reshape(-1).view(np.uint8)
    return memory.view(np.uint32)


def read_back(launch: Launch, layout: Layout, memory: np.ndarray) -> dict[str, np.ndarray]:
    """Contents of every array after a run, in the shapes given."""
    raw = memory.view(np.uint8)
    found = {}
    for name, address in layout.address.items():
        value = launch.arguments[name]
        if isinstance(value, np.ndarray):
            start = address - int(GLOBAL_BASE)
            found[name] = raw[start : start + value.nbytes].copy().view(value.dtype).reshape(value.shape)
    return found
