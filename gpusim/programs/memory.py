"""Device memory of a program: a file in memory that its process and this one map, and what lies in it."""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from gpusim.cuda.program import ALIGNMENT, HEAP_BYTES, WORKSPACE_BYTES
from gpusim.engine.core.device_heap import CHECKED, N_HEAP, UNIT
from gpusim.engine.state.columns import GLOBAL_BASE
from gpusim.isa.program import GRID_WORKSPACE, HEAP
from gpusim.simulate.launch import MAP_NORESERVE, Memory, zeros
from gpusim.simulate.textures import table

_ROW = struct.Struct("<4Q")
_OF_HOST = " (of the host)"


def any_of_host(names: Iterable[str]) -> bool:
    """Whether one of some arrays is pinned memory of the host, as :attr:`Allocation.name` tells."""
    return any(name.endswith(_OF_HOST) for name in names)


class Kind(IntEnum):
    """What an allocation is: as ``runtime.h`` has it."""

    DEVICE = 0
    MANAGED = 1
    HOST = 2
    VARIABLES = 3
    FREED = 4


class Allocation(NamedTuple):
    """A row of the runtime's table."""

    first: int
    nbytes: int
    number: int
    kind: Kind

    @property
    def name(self) -> str:
        """What messages call it."""
        what = {Kind.MANAGED: " (managed)", Kind.HOST: _OF_HOST}.get(self.kind, "")
        return f"allocation {self.number}{what}"


class DeviceMemory:
    """Device memory, and what lies in it.

    Parameters
    ----------
    nbytes : int
        Of which those are taken from the host that are written to.  Behind them lies what the system keeps: by what
        blocks of a cooperative launch wait for one another, and the heap of device code.
    """

    def __init__(self, nbytes: int) -> None:
        self.file = os.memfd_create("gpusim device memory")
        whole = nbytes + ALIGNMENT + HEAP_BYTES
        os.ftruncate(self.file, whole)
        self._pages = mmap.mmap(self.file, whole, flags=mmap.MAP_SHARED | MAP_NORESERVE)
        self._system = int(GLOBAL_BASE) + nbytes
        self._heap: np.ndarray | None = None
        self.bytes = np.frombuffer(self._pages, np.uint8)
        self.allocations: list[Allocation] = []
        self.freed: list[Allocation] = []
        self._variables: dict[int, Sequence[tuple[str, int, int]]] = {}
        self._textures: list[tuple[int, ...]] = []
        self._as_launched: Memory | None = None

    def close(self) -> None:
        """Let go of the file."""
        os.close(self.file)

    def at(self, address: int, nbytes: int) -> np.ndarray:
        """Bytes from an address of the device on."""
        start = address - int(GLOBAL_BASE)
        return self.bytes[start : start + nbytes]

    def allocated(self, table: bytes) -> None:
        """Take what the runtime says that there is.

        Parameters
        ----------
        table : bytes
            A row each.
        """
        rows = [
            Allocation(first, nbytes, number, Kind(kind)) for first, nbytes, number, kind in _ROW.iter_unpack(table)
        ]
        self.allocations = [one for one in rows if one.kind is not Kind.FREED]
        self.freed = [one for one in rows if one.kind is Kind.FREED]
        self._as_launched = None

    def placed(self, base: int, variables: Sequence[tuple[str, int, int]]) -> None:
        """Take the variables of a module, for which the runtime has an allocation that begins at `base`."""
        self._variables[base] = variables
        self._as_launched = None

    def is_variables(self, one: Allocation) -> bool:
        """Whether an allocation is that of a module's variables."""
        return one.first in self._variables

    def texture(self, row: tuple[int, ...]) -> int:
        """Handle of a texture, of the same one the same.

        Parameters
        ----------
        row : tuple of int
            What the engine is told of it.
        """
        if row not in self._textures:
            self._textures.append(row)
            self._as_launched = None
        return 1 + self._textures.index(row)

    @property
    def now(self) -> Memory:
        """All of it as launches have it."""
        if self._as_launched is None:
            textures = table(self._textures)
            self._as_launched = Memory(self.bytes.view(np.uint32), list(self._arrays()), self._heap, textures)
        return self._as_launched

    @property
    def is_hosts_too(self) -> bool:
        """Whether the program's own code may change some of it, without a call of the runtime."""
        return any(one.kind in (Kind.MANAGED, Kind.HOST) for one in self.allocations)

    def clear_workspace(self) -> None:
        """Have nobody wait: what blocks of a cooperative launch before left there is no launch's after it."""
        self.at(self._system, WORKSPACE_BYTES)[:] = 0

    def with_heap(self) -> None:
        """Have a heap, for device code that calls malloc."""
        if self._heap is None:
            self._heap = zeros(N_HEAP + CHECKED * (HEAP_BYTES // UNIT), np.int64)
            self._as_launched = None

    def _arrays(self) -> Iterator[tuple[str, int, int]]:
        yield GRID_WORKSPACE, self._system, WORKSPACE_BYTES
        if self._heap is not None:
            yield HEAP, self._system + ALIGNMENT, HEAP_BYTES
        for one in self.allocations:
            if self.is_variables(one):
                yield from self._variables[one.first]
            elif one.nbytes:
                yield one.name, one.first, one.nbytes
