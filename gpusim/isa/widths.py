"""How many registers each operand of an instruction takes: pairs, vectors, fragments of matrices, addresses.

What an operand is stands in the table of opcodes (:class:`~gpusim.isa.opcode_info.Takes`); here each of these words has
its number.  A program is checked by it, and its effects, its rows and what it reads follow from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from gpusim.isa.instruction import Instr
from gpusim.isa.opcode_info import Takes
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import DIMENSIONS_AT, Convert, Flag, Mma
from gpusim.isa.warpgroup import A_SHARED, DESCRIPTOR_WORDS, product_of


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
    Mma.F64_1684: Fragments(4, 2, 8),
    Mma.F64_1688: Fragments(8, 4, 8),
    Mma.F64_16816: Fragments(16, 8, 8),
    Mma.S8_8816: Fragments(1, 1, 2),
    Mma.U8_8816: Fragments(1, 1, 2),
}


def _integer(instr: Instr) -> int:
    return 2 if instr.sub & 15 in (Convert.S64, Convert.U64) else 1


def _float(instr: Instr) -> int:
    return 2 if instr.sub >> 8 & 15 == Convert.F64 else 1


def _f2f_source(instr: Instr) -> int:
    kind = instr.sub & 15
    narrows = kind in (Convert.TO_F16, Convert.TO_BF16) and instr.sub >> 8 & 15 == Convert.F64
    return 2 if kind == Convert.F64 or narrows else 1


def _f2f_result(instr: Instr) -> int:
    return 2 if instr.sub & 15 == Convert.TO_F64 else 1


_BESIDE = {Op.UTMALDG: 2, Op.UTMASTG: 1, Op.UTMAREDG: 1, Op.UTMAPF: 0}
"""Registers of a command before the coordinates of a box."""


def _command(instr: Instr) -> int:
    """A place in shared memory and an mbarrier; or what stands before coordinates, and these."""
    return _BESIDE[instr.op] + dimensions(instr.sub) if instr.op in _BESIDE else 2


def dimensions(sub: int) -> int:
    """Dimensions of the tensor that ``sub`` of a copy of boxes says."""
    return sub >> DIMENSIONS_AT & 7


def channels(instr: Instr) -> int:
    """Channels that a texture fetch gives."""
    return (instr.sub & 15).bit_count()


_WORDS: dict[Takes, Callable[[Instr], int]] = {
    **dict.fromkeys((Takes.WORD, Takes.BITS, Takes.REAL, Takes.HALVES, Takes.SHORT_ADDRESS), lambda instr: 1),
    **dict.fromkeys((Takes.PAIR, Takes.DOUBLE, Takes.LONG_ADDRESS, Takes.CODE_ADDRESS), lambda instr: 2),
    Takes.ADDRESS: lambda instr: 1 if instr.flags & Flag.NARROW else 2,
    Takes.WIDE: lambda instr: 2 if instr.width == 8 else 1,
    Takes.WIDTH: lambda instr: max(instr.width // 4, 1),
    Takes.COUNT: lambda instr: instr.sub,
    Takes.CHANNELS: lambda instr: min(channels(instr), 2),
    Takes.INTEGER: _integer,
    Takes.FLOAT: _float,
    Takes.F2F_SOURCE: _f2f_source,
    Takes.F2F_RESULT: _f2f_result,
    Takes.COMMAND: _command,
    Takes.MATRIX_A: lambda instr: _FRAGMENTS[Mma(instr.sub)].a,
    Takes.MATRIX_B: lambda instr: _FRAGMENTS[Mma(instr.sub)].b,
    Takes.MATRIX_C: lambda instr: _FRAGMENTS[Mma(instr.sub)].c,
    Takes.DESCRIPTORS: lambda instr: DESCRIPTOR_WORDS * (2 if instr.sub & A_SHARED else 1),
    Takes.WARPGROUP_A: lambda instr: 4,
    Takes.WARPGROUP_C: lambda instr: product_of(instr.sub).sum_words,
}
ADDRESSES = frozenset({
    Takes.SHORT_ADDRESS, Takes.ADDRESS, Takes.LONG_ADDRESS, Takes.CODE_ADDRESS, Takes.COMMAND, Takes.DESCRIPTORS,
})  # fmt: skip


def source(instr: Instr, position: int) -> Takes:
    """What source ``position`` is; one that the opcode's row does not list is a word that nothing reads."""
    sources = instr.op.info.sources
    return sources[position] if position < len(sources) else Takes.WORD


def source_words(instr: Instr, position: int) -> int:
    """Registers that source ``position`` takes."""
    return _WORDS[source(instr, position)](instr)


def address_words(instr: Instr, position: int) -> int:
    """Registers that source ``position`` takes as an address, 0 if it is none."""
    return source_words(instr, position) if source(instr, position) in ADDRESSES else 0


def result_words(instr: Instr) -> int:
    """Registers that the result takes, 0 where the opcode has none."""
    result = instr.op.info.result
    return 0 if result is None else _WORDS[result](instr)
