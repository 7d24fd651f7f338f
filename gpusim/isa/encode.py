"""Program -> flat arrays for the engine.

Every operand becomes a row of 32 lanes.  Rows from 0 on are a warp's own: R0..Rn-1
and the uniform registers.  Rows that all warps share have negative numbers, ~0, ~1,
...: zeros (RZ, as a pair or more), sinks (writes to RZ), the constant-bank words
in use, and the immediates.  So the engine fetches a register, a constant and an
immediate in the same way.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from gpusim.isa.opcodes import INFO, Flag, Op, Pipe
from gpusim.isa.program import RZ, Instr, Kind, Operand, Program, const
from gpusim.isa.widths import is_double, source_words

N_ZERO, N_SINK = 4, 4
FIRST_CONST = N_ZERO + N_SINK


class F(IntEnum):
    """Columns of :attr:`Image.code`."""

    OP = 0
    GUARD = 1  # predicate row; bit 4 negates
    DST = 2
    A = 3
    B = 4
    C = 5
    MODS = 6  # neg a, b, c in bits 0-2; abs a, b, c in bits 3-5; half of a, b, c in bits 6-8, 9-11, 12-14
    SUB = 7
    WIDTH = 8
    OFFSET = 9
    TARGET = 10
    FLAGS = 11
    Q0 = 12  # predicate destinations
    Q1 = 13
    P0 = 14  # predicate sources; bit 4 negates
    P1 = 15
    P2 = 16
    STALL = 17
    WRITE_SB = 18
    READ_SB = 19
    WAIT = 20
    ARRAY = 21
    LINE = 22
    CACHE = 23
    PIPE = 24
    SKIP = 25  # instructions left out just before this one (counting images)
    SKIP_ISSUE = 26  # their issue cycles
    LIGHT = 27  # 1: only the address matters, no value is moved (counting images)
    REPEAT = 28  # accesses this one stands for, all of the same bank pattern (counting images)
    INDEX = 29  # index of the instruction in the program


N_FIELDS = 30
PRED_TRUE, PRED_SINK = 7, 16
PRED_FALSE = PRED_TRUE | 16
N_PRED_ROWS = 17  # P0-P6, PT, UP0-UP6, UPT, and a sink for writes to PT


class Image(NamedTuple):
    """A program as the engine runs it.

    Attributes
    ----------
    code : int32 array, shape (n, N_FIELDS)
    n_private : int
        Rows of a warp's own.
    shared_values : uint32 array
        Values of the rows all warps share; constants are filled in by :func:`bind_constants`.
    const_first : int
        Byte offset in bank 0 of the first constant row.
    n_const : int
        Constant words in use.
    """

    code: np.ndarray
    n_private: int
    shared_values: np.ndarray
    const_first: int
    n_const: int


class _Rows:
    """Hands out rows for operands."""

    def __init__(self, program: Program) -> None:
        operands = [o for i in program.instrs for o in (*i.srcs, *((i.dst,) if i.dst else ()))]
        uniform = [o.index for o in operands if o.kind is Kind.UREG]
        self.uniform = program.n_registers
        self.n_private = max(self.uniform + (max(uniform) + 2 if uniform else 0), 1)
        used = [o.index for o in operands if o.kind is Kind.CONST]
        used += [i.offset + i.width - 4 for i in program.instrs if i.op is Op.LDC]
        used += [i.offset for i in program.instrs if i.op is Op.LDC]
        self.const_first = min(used) if used else program.const_base
        self.n_const = (max(used) + 8 - self.const_first) // 4 if used else 0
        self.imm: dict[tuple[int, ...], int] = {}
        self.n_imm = 0

    def source(self, operand: Operand) -> int:
        if operand.kind is Kind.REG:
            return ~0 if operand.index == RZ else operand.index
        if operand.kind is Kind.UREG:
            return self.uniform + operand.index
        if operand.kind is Kind.CONST:
            return ~(FIRST_CONST + (operand.index - self.const_first) // 4)
        if operand.kind is Kind.IMM:
            return self.immediate((operand.index,))
        raise ValueError(f"{operand} is no register, constant or immediate")

    def immediate(self, words: tuple[int, ...]) -> int:
        """Row of an immediate, that of its lowest word where it has more."""
        if words not in self.imm:
            self.imm[words] = self.n_imm
            self.n_imm += len(words)
        return ~(FIRST_CONST + self.n_const + self.imm[words])

    def source_of(self, instr: Instr, position: int) -> int:
        """As :meth:`source`; a 64-bit immediate is the upper word of an fp64, else extended."""
        operand = instr.srcs[position]
        if operand.kind is not Kind.IMM or source_words(instr, position) != 2:
            return self.source(operand)
        if is_double(instr, position):
            return self.immediate((0, operand.index))
        negative = operand.index >> 31 and not instr.flags & Flag.UNSIGNED
        return self.immediate((operand.index, 0xFFFFFFFF if negative else 0))

    def destination(self, operand: Operand | None) -> int:
        if operand is None or operand.index == RZ:
            return ~N_ZERO
        return self.source(operand)

    @property
    def n_shared(self) -> int:
        return FIRST_CONST + self.n_const + self.n_imm


def _predicate(operand: Operand) -> int:
    row = operand.index + (8 if operand.kind is Kind.UPRED else 0)
    return row | (16 if operand.neg else 0)


def _predicate_destination(operand: Operand) -> int:
    row = operand.index + (8 if operand.kind is Kind.UPRED else 0)
    return PRED_SINK if row in (7, 15) else row


def _modifiers(srcs: tuple[Operand, ...]) -> int:
    return sum((o.neg << i) | (o.abs << (i + 3)) | (o.half << (3 * i + 6)) for i, o in enumerate(srcs))


def _no_carry(instr: Instr) -> bool:
    """Whether a predicate source that is not there must read as false: a carry, or what LOP3's verdict is or'ed with."""
    return bool(instr.flags & Flag.X) or instr.op in (Op.LEA_HI_X, Op.LOP3) and not instr.flags & Flag.PAND


def _pipe(instr: Instr) -> Pipe:
    """The pipe an instruction issues to: of those that compute, the uniform one if their result is uniform."""
    pipe = INFO[instr.op].pipe if instr.op in INFO else Pipe.ALU
    results = [o for o in (instr.dst, *instr.pdsts[:1]) if o is not None]
    uniform = any(o.kind in (Kind.UREG, Kind.UPRED) for o in results)
    return Pipe.UNIFORM if uniform and pipe not in (Pipe.CONTROL, Pipe.LSU) else pipe


def _encode_one(row: np.ndarray, index: int, instr: Instr, rows: _Rows) -> None:
    row[F.OP], row[F.PIPE], row[F.INDEX] = instr.op, _pipe(instr), index
    row[F.GUARD] = _predicate(instr.guard)
    row[F.DST] = rows.destination(instr.dst)
    row[F.A : F.C + 1] = ~0
    for position in range(len(instr.srcs)):
        row[F.A + position] = rows.source_of(instr, position)
    if instr.op is Op.LDC:
        row[F.A] = rows.source(const(instr.offset))
    row[F.MODS] = _modifiers(instr.srcs)
    row[F.SUB], row[F.WIDTH], row[F.FLAGS] = instr.sub, instr.width, instr.flags
    row[F.OFFSET], row[F.TARGET], row[F.CACHE] = instr.offset, instr.target, instr.cache
    row[F.Q0 : F.Q1 + 1] = PRED_SINK
    row[F.P0 : F.P2 + 1] = PRED_FALSE if _no_carry(instr) else PRED_TRUE
    for column, operand in zip((F.Q0, F.Q1), instr.pdsts, strict=False):
        row[column] = _predicate_destination(operand)
    for column, operand in zip((F.P0, F.P1, F.P2), instr.psrcs, strict=False):
        row[column] = _predicate(operand)
    row[F.STALL], row[F.WRITE_SB], row[F.READ_SB], row[F.WAIT] = instr.control
    row[F.ARRAY], row[F.LINE], row[F.REPEAT] = instr.array, instr.line, 1


def encode(program: Program) -> Image:
    """Flatten a program.

    Parameters
    ----------
    program : Program

    Returns
    -------
    Image
        With constants still zero; see :func:`bind_constants`.
    """
    rows = _Rows(program)
    code = np.zeros((len(program), N_FIELDS), np.int32)
    for index, instr in enumerate(program.instrs):
        _encode_one(code[index], index, instr, rows)
    values = np.zeros(rows.n_shared, np.uint32)
    for words, number in rows.imm.items():
        first = FIRST_CONST + rows.n_const + number
        values[first : first + len(words)] = words
    return Image(code, rows.n_private, values, rows.const_first, rows.n_const)


def bind_constants(image: Image, bank: bytes) -> Image:
    """Fill the constant rows from the launch's constant bank 0.

    Parameters
    ----------
    image : Image
    bank : bytes
        Contents of bank 0 from offset 0.
    """
    values = image.shared_values.copy()
    padded = bank.ljust(image.const_first + 4 * image.n_const, b"\0")
    words = np.frombuffer(padded, np.uint8)[image.const_first : image.const_first + 4 * image.n_const]
    values[FIRST_CONST : FIRST_CONST + image.n_const] = words.copy().view(np.uint32)
    return image._replace(shared_values=values)
