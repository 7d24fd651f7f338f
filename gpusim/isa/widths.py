"""How many registers each operand of an instruction takes: pairs, vectors, fragments of matrices, addresses.

The one place that says so: a program is checked by it, and its effects, its rows and what it reads follow from it.
"""

from __future__ import annotations

from typing import NamedTuple

from gpusim.isa.opcodes import INFO, Convert, Flag, Mma, Op
from gpusim.isa.program import Instr

_F64_SOURCES = {Op.DADD: 2, Op.DMUL: 2, Op.DFMA: 3, Op.DSETP: 2}
_PAIR_RESULTS = {Op.IMAD_WIDE, Op.DADD, Op.DMUL, Op.DFMA}
_PAIRS = {Op.MOV: 1, Op.SEL: 2, Op.IADD3: 3, Op.ISETP: 2, Op.IMNMX: 2}  # sources that are pairs where the width is 8
_INTEGERS_64 = (Convert.S64, Convert.U64)
_ATOMICS = {Op.ATOMG, Op.ATOMS, Op.RED, Op.ATOM}
_MOVES_VALUES = {Op.STG, Op.STS, Op.STL, Op.ST, *_ATOMICS}
_JUMPS = {Op.BRX, Op.CALL, Op.RET}


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
    """Registers that source ``position`` takes."""
    if instr.op is Op.MATCH:
        return _words(instr)
    words = address_words(instr, position)
    if words:
        return words
    return _value_words(instr) if instr.op in INFO and INFO[instr.op].space else _computed_words(instr, position)


def address_words(instr: Instr, position: int) -> int:
    """Registers that source ``position`` takes as an address, 0 if it is none."""
    space = INFO[instr.op].space if instr.op in INFO else ""
    if instr.op is Op.LDGSTS:
        return (1, 1 if instr.flags & Flag.NARROW else 2, 2)[position]
    if instr.op in _JUMPS:
        return 2
    if position == 1 or not space or (position == 2 and instr.op in _ATOMICS):  # an atomic's base is its fourth
        return 0
    if space not in ("global", "generic"):
        return 1
    return 1 if position == 0 and instr.flags & Flag.NARROW else 2


def _words(instr: Instr) -> int:
    return max(instr.width // 4, 1)


def _value_words(instr: Instr) -> int:
    """Registers a memory instruction takes as the value in source b."""
    if instr.op is Op.STSM:
        return instr.sub
    return _words(instr) if instr.op in _MOVES_VALUES else 1


def _computed_words(instr: Instr, position: int) -> int:
    """Registers that a source of what computes takes."""
    if matrices := fragments(instr):
        return matrices[position]
    if is_wide(instr):
        return 2 if position < _PAIRS[instr.op] else 1
    pair = is_double(instr, position) or (instr.op in (Op.IMAD_WIDE, Op.IMAD_HI) and position == 2)
    return 2 if pair or (instr.op is Op.I2F and instr.sub & 15 in _INTEGERS_64) else 1


def result_words(instr: Instr) -> int:
    """Registers that the result takes."""
    if instr.op is Op.LDSM:
        return instr.sub
    if instr.op is Op.CS2R or (instr.op in INFO and INFO[instr.op].reads_memory):
        return _words(instr)
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
