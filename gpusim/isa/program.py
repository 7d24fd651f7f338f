"""Program: what the executor runs, whoever produced it.

A :class:`Program` is a list of :class:`~gpusim.isa.instruction.Instr` with physical registers
(R0-R254 and the zero register, UR0-UR62, P0-P6, the constant bank), labelled
with the line it comes from.  :mod:`gpusim.isa.encode` flattens it to arrays.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from gpusim.isa.instruction import Instr
from gpusim.isa.opcodes import Op
from gpusim.isa.printer import format_control, format_instr


class ArrayInfo(NamedTuple):
    """An array the program touches: a global buffer (by parameter) or a shared one."""

    name: str
    space: str  # "global" | "shared"
    dtype: str  # "f32", "f16", "bf16", "i32", "u32", ...
    offset: int  # shared: byte offset in the block's shared memory; global: parameter's offset in bank 0
    nbytes: int  # shared: size; global: 0 (its size is the launch's)


class ParamInfo(NamedTuple):
    """A kernel parameter and where the launch puts it in constant bank 0."""

    name: str
    kind: str  # "buffer" (64-bit address) | "i32" | "u32" | "f32" | "raw": whatever the argument is
    offset: int
    nbytes: int = 0  # of a "raw" one


def lines_of(places: Sequence[tuple[str, int]]) -> list[str]:
    """What stands in lines of source files now; nothing where there is no such line.

    Parameters
    ----------
    places : sequence of (str, int)
        File and line of each.
    """
    for file in {file for file, _ in places}:
        linecache.checkcache(file)
    return [linecache.getline(*place) for place in places]


HEAP, GRID_WORKSPACE = "malloc (the device's heap)", "this_grid() (its workspace)"
"""Names of what the system keeps in global memory for a program."""


class Variable(NamedTuple):
    """A variable in global memory that belongs to the program, and what it holds when a launch begins."""

    name: str
    offset: int  # from the first one, in bytes
    data: bytes
    room: int = 0  # bytes, where it is more than what it holds at first; the rest is zero

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return max(len(self.data), self.room)


@dataclass(frozen=True)
class Program:
    """A kernel as flat instructions, with what a launch needs to know of it."""

    name: str
    instrs: tuple[Instr, ...]
    n_registers: int
    shared_bytes: int = 0
    local_bytes: int = 0
    params: tuple[ParamInfo, ...] = ()
    arrays: tuple[ArrayInfo, ...] = ()
    source: str = ""  # file the lines refer to
    max_threads: int | None = None  # of a block, where code was compiled for so many at most
    const_base: int = 0  # where parameters start in constant bank 0
    banks: Mapping[int, bytes] = field(default_factory=dict)  # contents of the constant banks other than 0
    unknown: Mapping[int, str] = field(default_factory=dict)  # text of each UNKNOWN instruction, by index
    shared_base: int = 0  # address of the first byte of shared memory
    variables: tuple[Variable, ...] = ()  # in global memory, before all buffers
    barriers: int = 16  # that a block may use
    places: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    """File and line of the instructions that come from a file other than `source`, by index (their `line` is that of
    the call in `source` that was inlined, else 0)."""
    arch: str = ""
    """Architecture that it is for, such as ``"sm_90"``: says what lies before the parameters.  Empty: nothing does."""
    most_registers: int = 0
    """Registers that a thread has after the largest USETMAXREG that takes some of its block's; 0: there is none."""
    cluster: tuple[int, int, int] | None = None
    """Blocks of a cluster along x, y, z, where code was compiled for such."""
    most_in_cluster: int | None = None
    """Blocks that a cluster may have, where code was compiled for so many at most."""
    system_pointers: tuple[int, ...] = ()
    """Where words of addresses lie in constant bank 0 that the driver puts there, of memory beside all arrays."""
    grid_of_clusters: bool = False
    """Whether a launch counts its grid in clusters."""
    shared_padding: int = 0
    """Bytes at the end of `shared_bytes` that the source does not declare, for what is read wider than it is."""
    masks: Mapping[int, int | None] = field(default_factory=dict)
    """By the index of an instruction at which lanes of a warp meet, the register that names these; None: all do."""

    @cached_property
    def bank_bytes(self) -> Mapping[int, int]:
        """Size of each constant bank."""
        end = max((p.offset + max(p.nbytes, 8) for p in self.params), default=0)
        return {**{bank: len(data) for bank, data in self.banks.items()}, 0: max(end, self.const_base)}

    def variable(self, name: str) -> Variable | None:
        """The variable of this name, if there is one."""
        return next((one for one in self.variables if one.name == name), None)

    def has(self, *ops: Op) -> bool:
        """Whether an instruction is of one of these opcodes."""
        return any(instr.op in ops for instr in self.instrs)

    def __len__(self) -> int:
        return len(self.instrs)

    def __str__(self) -> str:
        return self.listing()

    def place_of(self, index: int) -> tuple[str, int]:
        """File and line of an instruction: where it was inlined in the program's own file, if it was."""
        line = self.instrs[index].line
        if line:
            return self.source, line
        return self.places.get(index, (self.source, 0))

    def listing(self, *, control: bool = False, source: bool = False) -> str:
        """The instructions, in the manner of a disassembly.

        Parameters
        ----------
        control : bool
            Also show stall counts and scoreboards.
        source : bool
            Also show the source line that an instruction came from, where it changes.
        """
        head = f"// {self.name}: {len(self)} instructions, {self.n_registers} registers"
        if self.shared_bytes:
            head += f", {self.shared_bytes} B shared"
        return "\n".join([head, *self._lines(control, source)])

    def _lines(self, control: bool, source: bool) -> Iterator[str]:
        """Lines of the listing after the first one."""
        labels, last = {i.target for i in self.instrs if i.op.info.has_target}, 0
        if source:
            linecache.checkcache(self.source)
        for index, instr in enumerate(self.instrs):
            if index in labels:
                yield f"L{index}:"
            if source and instr.line and instr.line != last:
                last = instr.line
                yield f"        // {linecache.getline(self.source, last).strip()}"
            where = f"   // line {instr.line}" if instr.line else ""
            prefix = f"{format_control(instr)}  " if control else ""
            yield f"{index:5d}  {prefix}{format_instr(instr)}{where}"
