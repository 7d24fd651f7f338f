"""What an instruction reads and writes: registers, predicates, memory.

Register sets are Python ints used as bit sets: general register ``r`` is bit ``r``,
uniform register ``r`` bit ``256 + r``, predicate ``p`` bit ``320 + p``, uniform predicate ``p`` bit ``328 + p``.
"""

from __future__ import annotations

from typing import NamedTuple

from gpusim.isa.opcodes import INFO, Op
from gpusim.isa.program import PT, RZ, TRUE, URZ, Instr, Kind, Operand

_WIDE_RESULT = {Op.IMAD_WIDE, Op.DADD, Op.DMUL, Op.DFMA}
_WIDE_SOURCES = {Op.DADD: (0, 1), Op.DMUL: (0, 1), Op.DFMA: (0, 1, 2), Op.DSETP: (0, 1), Op.IMAD_WIDE: (2,)}
_NO_RESULT = {Op.STG, Op.STS, Op.STL, Op.RED}


class Effects(NamedTuple):
    """Bit sets of what is read and written, and whether old values may survive the write."""

    reads: int
    writes: int
    partial: bool


def _span(operand: Operand, words: int) -> int:
    """Bits of ``words`` registers from ``operand`` on."""
    if operand.kind is Kind.REG and operand.index != RZ:
        return ((1 << words) - 1) << operand.index
    if operand.kind is Kind.UREG and operand.index != URZ:
        return ((1 << words) - 1) << (256 + operand.index)
    return 0


def _predicate(operand: Operand) -> int:
    if operand.index == PT:
        return 0
    return 1 << (operand.index + (328 if operand.kind is Kind.UPRED else 320))


def _words(instr: Instr) -> int:
    return max(instr.width // 4, 1)


def _source_words(instr: Instr, position: int) -> int:
    """Registers that source ``position`` takes."""
    space = INFO[instr.op].space if instr.op in INFO else ""
    if space == "global" and position == 0:
        return 2
    if instr.op in (Op.STG, Op.STS, Op.STL) and position == 1:
        return _words(instr)
    if position in _WIDE_SOURCES.get(instr.op, ()):
        return 2
    return 1


def effects(instr: Instr) -> Effects:
    """Registers and predicates an instruction reads and writes.

    Parameters
    ----------
    instr : Instr

    Returns
    -------
    Effects
        ``partial``: the guard may be false, so what it writes may keep its old value.
    """
    reads = _predicate(instr.guard)
    for operand in instr.psrcs:
        reads |= _predicate(operand)
    for position, operand in enumerate(instr.srcs):
        reads |= _span(operand, _source_words(instr, position))
    writes = 0
    for operand in instr.pdsts:
        writes |= _predicate(operand)
    if instr.dst is not None and instr.op not in _NO_RESULT:
        is_load = instr.op in INFO and INFO[instr.op].reads_memory
        words = 2 if instr.op in _WIDE_RESULT else _words(instr) if is_load else 1
        writes |= _span(instr.dst, words)
    return Effects(reads, writes, instr.guard != TRUE)


def address_reads(instr: Instr) -> int:
    """Registers that decide whether and where a memory instruction acts, not what it moves."""
    return _predicate(instr.guard) | _span(instr.srcs[0], _source_words(instr, 0))
