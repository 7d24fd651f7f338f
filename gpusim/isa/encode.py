"""Program -> flat arrays for the engine.

Every operand becomes a row of 32 lanes.  Rows from 0 on are a warp's own: R0..Rn-1
and the uniform registers.  Rows that all warps share have negative numbers, ~0, ~1,
...: zeros (RZ, as a pair or more), sinks (writes to RZ), the constant-bank words
in use (a stretch of each bank), and the immediates.  So the engine fetches a
register, a constant and an immediate in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from gpusim.isa.instruction import NO_SCOREBOARD, RZ, URZ, Instr, Kind, Operand, const
from gpusim.isa.opcode_info import Pipe, Takes
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.variants import Flag, Special
from gpusim.isa.widths import source, source_words

MOST_WORDS = 16  # registers of an operand: of the matrix A of a DMMA.16x8x16
N_ZERO = N_SINK = MOST_WORDS
FIRST_CONST = N_ZERO + N_SINK
_UPPER_WORDS = (Takes.DOUBLE, Takes.FLOAT, Takes.F2F_SOURCE, Takes.INTEGER)  # of these, if pairs, immediates are


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
    IS_BRANCH = 30
    D = 31  # a fourth source: the uniform base of an atomic's address
    # what counting images note of the code that they leave out after an instruction
    ROUNDS = 40  # 16 times the latencies of shared loads that its warp waits for there, one after another
    OVERLAP = 41  # cycles of them in which it has something else to do
    BESIDE = 42  # cycles that the code takes besides
    ROWS = 43  # a warp's own rows, a bit each, that it uses from this one on until it waits (counting images)
    SPARED = 44  # lanes of 32 for which it does not pay, in a run without a cause of time (gpusim.simulate.spared)
    # what time needs (gpusim.simulate.units)
    UNIT = 32  # the unit of its scheduler that it issues to
    BUSY = 33  # ticks that unit takes no other; of a memory instruction, that its scheduler's queue lets no other go
    LATENCY = 34  # cycles until its scoreboard is released, of what is no memory instruction
    IDLE = 35  # 1: it only takes time; nobody needs what it computes (timed images)
    TWIN = 36  # a shared load: place where it notes its wavefronts, or negated where an earlier one did (timed images)
    READS = 37  # places that registers are read to (gpusim.simulate.reads); -1: no time is taken for them
    HOLD = 38  # cycles more than others that it holds up its scheduler
    LATER = 39  # cycles later that what goes to the load/store pipe or the special functions reads its registers


N_FIELDS = 48
NO_ROW = ~0  # the row of zeros: an operand that is not there
ASYNC = 1 << 6  # in the column WAIT: wait for groups of LDGSTS or of products by a warpgroup
_ASYNCHRONOUS = Op.DEPBAR, Op.WARPGROUP_DEPBAR
CHECKED_PIPE, OUT_OF_LINE_PIPE = 14, 15  # in the column PIPE: run out of the interpreter's loop; the first, looked at
PRED_TRUE, PRED_SINK = 7, 16
PRED_FALSE = PRED_TRUE | 16
N_PRED_ROWS = 32  # P0-P6, PT, UP0-UP6, UPT, a sink for writes to PT; the rest fills two cache lines


class Stretch(NamedTuple):
    """Words of a constant bank that have rows."""

    bank: int
    first: int  # byte offset in the bank
    n_words: int
    row: int  # of the first word, among the shared rows


class Image(NamedTuple):
    """A program as the engine runs it.

    Attributes
    ----------
    code : int32 array, shape (n, N_FIELDS)
    n_private : int
        Rows of a warp's own.
    shared_values : uint32 array
        Values of the rows all warps share; constants are filled in by :func:`bind_constants`.
    stretches : tuple of Stretch
        Where the constant rows come from.
    first_uniform : int
        A warp's first uniform register among its own rows.
    place : int32 array
        Where each instruction of the program is in `code`.
    reads : frozenset of str, optional
        Arrays whose values it reads, by their parameters; None: of any.
    """

    code: np.ndarray
    n_private: int
    shared_values: np.ndarray
    stretches: tuple[Stretch, ...]
    first_uniform: int
    place: np.ndarray
    reads: frozenset[str] | None = None


class _Rows:
    """Hands out rows for operands."""

    def __init__(self, program: Program) -> None:
        operands = [o for i in program.instrs for o in (*i.srcs, *((i.dst,) if i.dst else ()))]
        uniform = [o.index + MOST_WORDS for o in operands if o.kind is Kind.UREG and o.index != URZ]
        uniform += [i.srcs[0].index + source_words(i, 0) for i in program.instrs if source(i, 0) is Takes.COMMAND]
        self.uniform = max(program.n_registers, program.most_registers)
        self.n_private = max(self.uniform + max(uniform, default=0), 1)
        self.stretches = _stretches(program, [o.index for o in operands if o.kind is Kind.CONST])
        self.n_const = sum(s.n_words for s in self.stretches)
        self.imm: dict[tuple[int, ...], int] = {}
        self.n_imm = 0

    def source(self, operand: Operand) -> int:
        if operand.kind is Kind.REG:
            return NO_ROW if operand.index == RZ else operand.index
        if operand.kind is Kind.UREG:
            return NO_ROW if operand.index == URZ else self.uniform + operand.index
        if operand.kind is Kind.CONST:
            return self._constant(*operand.place)
        if operand.kind is Kind.IMM:
            return self.immediate((operand.index,))
        raise ValueError(f"{operand} is no register, constant or immediate")

    def _constant(self, bank: int, offset: int) -> int:
        stretch = next(s for s in self.stretches if s.bank == bank)
        return ~(stretch.row + (offset - stretch.first) // 4)

    def immediate(self, words: tuple[int, ...]) -> int:
        """Row of an immediate, that of its lowest word where it has more."""
        if words not in self.imm:
            self.imm[words] = self.n_imm
            self.n_imm += len(words)
        return ~(FIRST_CONST + self.n_const + self.imm[words])

    def source_of(self, instr: Instr, position: int) -> int:
        """As :meth:`source`; an immediate of 64 bits is all there, the upper word, or extended."""
        operand = instr.srcs[position]
        if operand.kind is not Kind.IMM or source_words(instr, position) != 2:
            return self.source(operand)
        if source(instr, position) in _UPPER_WORDS:
            return self.immediate((0, operand.index))
        if source(instr, position) is Takes.WIDE:
            return self.immediate((operand.index & 0xFFFFFFFF, operand.index >> 32))
        negative = operand.index >> 31 and not instr.flags & Flag.UNSIGNED
        return self.immediate((operand.index, 0xFFFFFFFF if negative else 0))

    def destination(self, operand: Operand | None) -> int:
        row = NO_ROW if operand is None else self.source(operand)
        return ~N_ZERO if row == NO_ROW else row

    @property
    def n_shared(self) -> int:
        return FIRST_CONST + self.n_const + self.n_imm


def is_indexed(instr: Instr) -> bool:
    """Whether an LDC's address is known only when it runs."""
    return bool(instr.srcs) and instr.srcs[0].index != (URZ if instr.srcs[0].kind is Kind.UREG else RZ)


def _stretches(program: Program, used: list[int]) -> tuple[Stretch, ...]:
    """Of each bank the words from the first to the last one that an operand or an LDC names."""
    for i in program.instrs:
        if i.op is Op.LDC and not is_indexed(i):
            used += [i.sub << 16 | i.offset, i.sub << 16 | i.offset + max(i.width - 4, 0)]
    found, row = [], FIRST_CONST
    for bank in sorted({u >> 16 for u in used}):
        offsets = [u & 0xFFFF for u in used if u >> 16 == bank]
        first = min(offsets) & ~3
        found.append(Stretch(bank, first, (max(offsets) + 8 - first) // 4, row))
        row += found[-1].n_words
    return tuple(found)


def _predicate(operand: Operand) -> int:
    row = operand.index + (8 if operand.kind is Kind.UPRED else 0)
    return row | (16 if operand.neg else 0)


def _predicate_destination(operand: Operand) -> int:
    row = operand.index + (8 if operand.kind is Kind.UPRED else 0)
    return PRED_SINK if row in (7, 15) else row


def _modifiers(srcs: tuple[Operand, ...]) -> int:
    return sum((o.neg << i) | (o.abs << (i + 3)) | (o.half << (3 * i + 6)) for i, o in enumerate(srcs))


def _no_carry(instr: Instr) -> bool:
    """Whether a predicate source that is not there reads as false: a carry, or what LOP3's verdict is or'ed with."""
    return bool(instr.flags & Flag.X) or (instr.op.info.absent_false and not instr.flags & Flag.PAND)


def _pipe(instr: Instr) -> Pipe:
    """The pipe an instruction issues to: of those that compute, the uniform one if their result is uniform."""
    pipe = instr.op.info.pipe
    results = [o for o in (instr.dst, *instr.pdsts[:1]) if o is not None]
    uniform = any(o.kind in (Kind.UREG, Kind.UPRED) for o in results)
    return Pipe.UNIFORM if uniform and pipe not in (Pipe.CONTROL, Pipe.LSU) else pipe


def _is_rows(instr: Instr) -> bool:
    """Whether an LDC reads whole words of a known address, which are rows of the image."""
    return instr.width >= 4 and not is_indexed(instr)


def _is_out_of_line(instr: Instr) -> bool:
    """Whether :mod:`gpusim.engine.core.out_of_line` runs it, not the interpreter: the opcode, or this form of it."""
    uniform = instr.dst is not None and instr.dst.kind is Kind.UREG
    if instr.op is Op.S2R:
        return uniform or instr.sub > Special.SMID
    if instr.op is Op.LDC:
        return uniform or not _is_rows(instr)
    if instr.op is Op.BAR:
        return bool(instr.srcs or instr.psrcs or instr.sub >> 4 or instr.flags & Flag.ARRIVE)
    if instr.op is Op.BRA:
        return bool(instr.flags & (Flag.DIVERGED | Flag.CONVERGED) or instr.sub)
    return instr.op.info.out_of_line


def _encode_one(row: np.ndarray, index: int, instr: Instr, rows: _Rows) -> None:
    row[F.OP], row[F.PIPE], row[F.INDEX] = instr.op, OUT_OF_LINE_PIPE if _is_out_of_line(instr) else _pipe(instr), index
    row[F.GUARD] = _predicate(instr.guard)
    row[F.DST] = rows.destination(instr.dst)
    row[F.A : F.C + 1] = NO_ROW
    row[F.D] = NO_ROW
    for position, column in zip(range(len(instr.srcs)), (F.A, F.B, F.C, F.D), strict=False):
        row[column] = rows.source_of(instr, position)
    if instr.op is Op.LDC and _is_rows(instr):
        row[F.A], row[F.B] = NO_ROW, rows.source(const(instr.offset, instr.sub))
    row[F.MODS] = _modifiers(instr.srcs)
    row[F.SUB], row[F.WIDTH], row[F.FLAGS] = instr.sub, instr.width, instr.flags
    row[F.OFFSET], row[F.TARGET], row[F.CACHE] = instr.offset, instr.target, instr.cache
    row[F.Q0 : F.Q1 + 1] = PRED_SINK
    row[F.P0 : F.P2 + 1] = PRED_FALSE if _no_carry(instr) else PRED_TRUE
    for column, operand in zip((F.Q0, F.Q1), instr.pdsts, strict=False):
        row[column] = _predicate_destination(operand)
    for column, operand in zip((F.P0, F.P1, F.P2), instr.psrcs, strict=False):
        row[column] = _predicate(operand)
    row[F.STALL : F.WAIT + 1] = control_columns(instr)
    row[F.ARRAY], row[F.LINE], row[F.REPEAT], row[F.IS_BRANCH] = instr.array, instr.line, 1, instr.op.info.is_branch


def control_columns(instr: Instr) -> tuple[int, int, int, int]:
    """Columns STALL, WRITE_SB, READ_SB, WAIT; every loop takes time, so a jump does."""
    stall, write, read, wait, _ = instr.control
    return max(stall, instr.op.info.is_branch), write, read, wait | (ASYNC if instr.op in _ASYNCHRONOUS else 0)


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
    place = np.arange(len(program), dtype=np.int32)
    return Image(code, rows.n_private, values, rows.stretches, rows.uniform, place)


def closed(image: Image) -> Image:
    """The image with an END after its last instruction, unless that is one that nothing follows.

    A jump into the padding at the end of a program would come there.
    """
    last = image.code[-1]
    unguarded = last[F.GUARD] == last[F.P0] == PRED_TRUE and not last[F.FLAGS] & (Flag.DIVERGED | Flag.CONVERGED)
    if Op(last[F.OP]).info.ends and unguarded:
        return image
    end = np.zeros((1, N_FIELDS), np.int32)
    end[:, [F.OP, F.PIPE, F.INDEX, F.STALL, F.REPEAT]] = Op.END, Pipe.CONTROL, last[F.INDEX], 1, 1
    end[:, [F.DST, F.A, F.B, F.C, F.D]] = NO_ROW
    end[:, [F.GUARD, F.P0, F.P1, F.P2]] = PRED_TRUE
    end[:, [F.Q0, F.Q1]] = PRED_SINK
    end[:, [F.WRITE_SB, F.READ_SB]] = NO_SCOREBOARD
    end[:, [F.TARGET, F.ARRAY]] = -1
    return image._replace(code=np.concatenate([image.code, end]))


def bind_constants(image: Image, banks: Mapping[int, bytes]) -> Image:
    """Fill the constant rows.

    Parameters
    ----------
    image : Image
    banks : mapping of int to bytes
        Contents of each bank from offset 0; what lies beyond reads as 0.
    """
    values = image.shared_values.copy()
    for bank, first, n, row in image.stretches:
        padded = banks.get(bank, b"")[first : first + 4 * n].ljust(4 * n, b"\0")
        values[row : row + n] = np.frombuffer(padded, np.uint32)
    return image._replace(shared_values=values)
