"""How many registers the operands of instructions that compute take: pairs, and fragments of matrices."""

from __future__ import annotations

from typing import NamedTuple

from gpusim.isa.opcodes import Convert, Mma, Op
from gpusim.isa.program import Instr

_F64_SOURCES = {Op.DADD: 2, Op.DMUL: 2, Op.DFMA: 3, Op.DSETP: 2}
_PAIR_RESULTS = {Op.IMAD_WIDE, Op.DADD, Op.DMUL, Op.DFMA}
_PAIRS = {Op.MOV: 1, Op.SEL: 2, Op.IADD3: 3, Op.ISETP: 2, Op.IMNMX: 2}  # sources that are pairs where the width is 8
_INTEGERS_64 = (Convert.S64, Convert.U64)


class Fragments(NamedTuple):
    """Registers of a warp that each matrix of a product takes."""

    a: int
    b: int
    c: int  # and d


_FRAGMENTS = {
    Mma.F16_16816_F32: Fragments(4, 2, 4),
    Mma.F16_16816_F16: Fragments(4, 2, 2),
    Mma.F16_1688_F32: Fragments(2, 1, 4),
    Mma.F16_1688_F16: Fragments(2, 1, 2),
    Mma.BF16_16816_F32: Fragments(4, 2, 4),
    Mma.BF16_1688_F32: Fragments(2, 1, 4),
    Mma.TF32_1684_F32: Fragments(2, 1, 4),
    Mma.TF32_1688_F32: Fragments(4, 2, 4),
    Mma.S8_16816: Fragments(2, 1, 4),
    Mma.S8_16832: Fragments(4, 2, 4),
    Mma.U8_16816: Fragments(2, 1, 4),
    Mma.U8_16832: Fragments(4, 2, 4),
    Mma.F64_884: Fragments(2, 2, 4),
    Mma.S8_8816: Fragments(1, 1, 2),
    Mma.U8_8816: Fragments(1, 1, 2),
}


def fragments(instr: Instr) -> Fragments | None:
    """Registers of the matrices of a tensor-core instruction, None for another one."""
    return _FRAGMENTS[Mma(instr.sub)] if instr.op in (Op.HMMA, Op.IMMA, Op.DMMA) else None


def _float_type(instr: Instr) -> int:
    return instr.sub >> 8 & 15


def is_wide(instr: Instr) -> bool:
    """Whether it is an instruction on words that takes register pairs instead."""
    return instr.width == 8 and instr.op in _PAIRS


def is_double(instr: Instr, position: int) -> bool:
    """Whether a source is an fp64."""
    kind, other = instr.sub & 15, _float_type(instr)
    if instr.op is Op.F2F:
        return kind == Convert.F64 or (kind in (Convert.TO_F16, Convert.TO_BF16) and other == Convert.F64)
    if instr.op in (Op.F2I, Op.FRND):
        return other == Convert.F64
    return position < _F64_SOURCES.get(instr.op, 0)


def source_words(instr: Instr, position: int) -> int:
    """Registers that a source takes."""
    if matrices := fragments(instr):
        return matrices[position]
    if is_wide(instr):
        return 2 if position < _PAIRS[instr.op] else 1
    pair = is_double(instr, position) or (instr.op in (Op.IMAD_WIDE, Op.IMAD_HI) and position == 2)
    return 2 if pair or (instr.op is Op.I2F and instr.sub & 15 in _INTEGERS_64) else 1


def result_words(instr: Instr) -> int:
    """Registers that the result takes."""
    if matrices := fragments(instr):
        return matrices.c
    kind, other = instr.sub & 15, _float_type(instr)
    pair = {
        Op.I2F: other == Convert.F64,
        Op.FRND: other == Convert.F64,
        Op.F2I: kind in _INTEGERS_64,
        Op.F2F: kind == Convert.TO_F64,
    }
    return 2 if instr.op in _PAIR_RESULTS or is_wide(instr) or pair.get(instr.op, False) else 1
