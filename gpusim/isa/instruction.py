"""One warp-level instruction and its operands: physical registers, constants, immediates, predicates."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
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
        Bits of :class:`~gpusim.isa.variants.Flag`.
    cache : int
        :class:`~gpusim.isa.variants.Cache` of a global access.
    control : Control
    line : int
        Line in the source the program was made from, 0 if unknown.
    array : int
        Index in :attr:`gpusim.isa.program.Program.arrays` of the array it touches, -1 if unknown.
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

    @property
    def jumps_by_register(self) -> bool:
        """Whether a register says where it goes."""
        info = self.op.info
        return info.may_jump_by_register and (bool(self.srcs) or not info.has_target)
