"""Program: what the executor runs, whoever produced it.

A :class:`Program` is a list of :class:`Instr` with physical registers
(R0-R254 and the zero register, UR0-UR62, P0-P6, the constant bank), labelled
with the line it comes from.  :mod:`gpusim.isa.encode` flattens it to arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from gpusim.isa.opcodes import Op

RZ = 255
URZ = 255  # in machine code before Blackwell 63, and there were no more
PT = 7
N_SCOREBOARDS = 6
NO_SCOREBOARD = 7
INSTRUCTION_BYTES = 16
"""Of machine code since sm_70; addresses in a program count so many for each."""


class Kind(IntEnum):
    """Where an operand lives."""

    REG = 0
    UREG = 1
    CONST = 2  # index = bank << 16 | byte offset in it
    IMM = 3  # index = 32-bit pattern, as an unsigned int; 64-bit of an instruction on integers of 8 bytes
    PRED = 4
    UPRED = 5


class Half(IntEnum):
    """Which halves of a register a 16-bit pair operation takes as its (low, high) operands."""

    BOTH = 0  # H1_H0: as they lie
    LOW = 1  # H0_H0
    HIGH = 2  # H1_H1
    WORD = 3  # the whole register as one fp32
    BYTE_1 = 4  # one byte, of a conversion from 8 bits (byte 0: BOTH)
    BYTE_2 = 5
    BYTE_3 = 6
    TURNED = 7  # H0_NH1: in each other's place, the upper one negated: a complex number times i


class Operand(NamedTuple):
    """One operand; 64-bit values name the lower register of an aligned pair."""

    kind: Kind
    index: int  # type: ignore[assignment]
    neg: bool = False  # arithmetic negation, logical for a predicate, inversion where the X flag is set
    abs: bool = False
    half: int = Half.BOTH

    @property
    def place(self) -> tuple[int, int]:
        """Bank and byte offset of a word of a constant bank, as :func:`const` puts them together."""
        return self.index >> 16, self.index & 0xFFFF


def reg(index: int, *, neg: bool = False, absolute: bool = False) -> Operand:
    """General-purpose register ``R<index>`` (255 is RZ)."""
    return Operand(Kind.REG, index, neg, absolute)


def imm(value: int, *, wide: bool = False) -> Operand:
    """An immediate of 32 bits, or of 64, given as a signed or unsigned int."""
    return Operand(Kind.IMM, value & (0xFFFFFFFFFFFFFFFF if wide else 0xFFFFFFFF))


def const(offset: int, bank: int = 0, *, neg: bool = False) -> Operand:
    """32-bit word at byte ``offset`` of a constant bank."""
    return Operand(Kind.CONST, bank << 16 | offset, neg)


def ureg(index: int, *, neg: bool = False) -> Operand:
    """Uniform register ``UR<index>`` (255 is URZ)."""
    return Operand(Kind.UREG, index, neg)


def pred(index: int, *, neg: bool = False) -> Operand:
    """Predicate register ``P<index>`` (7 is PT, always true)."""
    return Operand(Kind.PRED, index, neg)


TRUE = pred(PT)


class Control(NamedTuple):
    """Dependencies as ptxas encodes them.

    stall: cycles before this warp may issue again; write_sb / read_sb: the
    scoreboard (0-5, 7 = none) released when the result is written / the sources
    are read; wait: bit mask of scoreboards to wait for before issue; reuse: bit mask of sources that the next
    instruction finds where this one read them.
    """

    stall: int = 1
    write_sb: int = NO_SCOREBOARD
    read_sb: int = NO_SCOREBOARD
    wait: int = 0
    reuse: int = 0


NO_CONTROL = Control()


@dataclass(frozen=True, slots=True)
class Instr:
    """One warp instruction.

    Attributes
    ----------
    op : Op
    dst : Operand or None
        First destination register (its width follows from ``op`` and ``width``).
    srcs : tuple of Operand
        Sources a, b, c.
    guard : Operand
        Predicate that decides, lane by lane, whether it acts.
    pdsts, psrcs : tuple of Operand
        Predicate destinations and sources.
    sub : int
        Variant within the opcode: comparison, function, truth table, ...
    width : int
        Bytes a lane moves (memory instructions): 1, 2, 4, 8 or 16; 8 of what else takes words: of register pairs.
    offset : int
        Byte offset added to the address (memory instructions).
    target : int
        Index of the instruction branched to (BRA, BSSY), else -1.
    flags : int
        Bits of :class:`~gpusim.isa.opcodes.Flag`.
    cache : int
        :class:`~gpusim.isa.opcodes.Cache` of a global access.
    control : Control
    line : int
        Line in the source the program was made from, 0 if unknown.
    array : int
        Index in :attr:`Program.arrays` of the array it touches, -1 if unknown.
    """

    op: Op
    dst: Operand | None = None
    srcs: tuple[Operand, ...] = ()
    guard: Operand = TRUE
    pdsts: tuple[Operand, ...] = ()
    psrcs: tuple[Operand, ...] = ()
    sub: int = 0
    width: int = 4
    offset: int = 0
    target: int = -1
    flags: int = 0
    cache: int = 0
    control: Control = NO_CONTROL
    line: int = 0
    array: int = -1


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


class Variable(NamedTuple):
    """A variable in global memory that belongs to the program, and what it holds when a launch begins."""

    name: str
    offset: int  # from the first one, in bytes
    data: bytes


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

    @cached_property
    def bank_bytes(self) -> Mapping[int, int]:
        """Size of each constant bank."""
        end = max((p.offset + max(p.nbytes, 8) for p in self.params), default=0)
        return {**{bank: len(data) for bank, data in self.banks.items()}, 0: max(end, self.const_base)}

    def __len__(self) -> int:
        return len(self.instrs)

    def __str__(self) -> str:
        from gpusim.isa.printer import format_program

        return format_program(self)
