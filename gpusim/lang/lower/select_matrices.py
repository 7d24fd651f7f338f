"""Instructions for tensor cores and for asynchronous copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Cache
from gpusim.lang.lower.machine import ZERO, registers
from gpusim.lang.lower.regions import AsyncCopy, Groups, Product
from gpusim.lang.lower.select_effects import address

if TYPE_CHECKING:
    from gpusim.lang.lower.instruction_builder import InstructionBuilder

WIDEST = 16  # bytes of a copy: such ones pass L1 by


def emit_product(s: InstructionBuilder, item: Product) -> None:
    """A product; sums go where they were, so that no copies of them are made in loops."""
    a, b = s.together(item.a), s.together(item.b)
    dsts = tuple(s.define(r)[0] for r in item.results)
    s.group(dsts)
    if all(n.is_const and n.value == 0 for n in item.sums):
        s.emit(Op.HMMA, dsts, (a, b, ZERO), sub=item.variant)
        return
    for dst, old in zip(dsts, item.sums, strict=True):
        s.emit(Op.MOV, (dst,), (s.source(old),))
    s.emit(Op.HMMA, dsts, (a, b, registers(*dsts)), sub=item.variant)


def emit_copy(s: InstructionBuilder, item: AsyncCopy) -> None:
    """A copy; where its condition does not hold, zeros are written."""
    source, to = item.source, item.to
    made = s.emit(Op.LDGSTS, (), (address(s, to), address(s, source)), psrcs=(s.condition(source.guard),))
    made.width, made.offset, made.array = to.width, to.offset, source.array.number
    made.source_offset, made.copied_to = source.offset, to.array.number
    made.cache = Cache.CG if to.width == WIDEST else Cache.CA


def emit_groups(s: InstructionBuilder, item: Groups) -> None:
    """The end of a group of copies, or a wait for groups."""
    if item.left is None:
        s.emit(Op.LDGDEPBAR)
    else:
        s.emit(Op.DEPBAR, sub=item.left)
