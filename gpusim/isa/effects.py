"""What an instruction reads and writes: registers, predicates, memory.

Register sets are Python ints used as bit sets: general register ``r`` is bit ``r``,
uniform register ``r`` bit ``256 + r``, predicate ``p`` bit ``512 + p``, uniform predicate ``p`` bit ``520 + p``.
"""

from __future__ import annotations

from typing import NamedTuple

from gpusim.isa.instruction import PT, RZ, TRUE, URZ, Instr, Kind, Operand
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import UNIFORM_PREDICATES
from gpusim.isa.widths import address_words, channels, result_words, source_words

_UNIFORM, _PREDICATE = 256, 512  # where each kind begins
_UNIFORM_PREDICATE = _PREDICATE + UNIFORM_PREDICATES
N_BITS = _UNIFORM_PREDICATE + UNIFORM_PREDICATES
_PREDICATES = ((1 << PT) - 1) << _PREDICATE  # P0..P6
UNIFORM_REGISTERS = ((1 << _PREDICATE - _UNIFORM) - 1) << _UNIFORM
"""Bits of the uniform registers, one value a warp."""
REGISTERS = (1 << _PREDICATE) - 1
"""Bits of all registers that hold words."""


LATER_CHANNELS = 3
"""Operand of a texture fetch that names the registers of its third and fourth channel."""


class Effects(NamedTuple):
    """Bit sets of what is read and written, and whether old values may survive the write."""

    reads: int
    writes: int
    partial: bool


def registers_of(operand: Operand, words: int) -> int:
    """Bits of ``words`` registers from ``operand`` on; none of what is no register."""
    if operand.kind is Kind.REG and operand.index != RZ:
        return ((1 << words) - 1) << operand.index
    if operand.kind is Kind.UREG and operand.index != URZ:
        return ((1 << words) - 1) << (_UNIFORM + operand.index)
    return 0


def predicate_bit(operand: Operand) -> int:
    """Bit of a predicate, 0 for the one that is always true."""
    if operand.index == PT:
        return 0
    return 1 << (operand.index + (_UNIFORM_PREDICATE if operand.kind is Kind.UPRED else _PREDICATE))


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
    reads = predicate_bit(instr.guard)
    for operand in instr.psrcs:
        reads |= predicate_bit(operand)
    for position, operand in enumerate(instr.srcs):
        reads |= registers_of(operand, source_words(instr, position))
    writes = 0
    for operand in instr.pdsts:
        writes |= predicate_bit(operand)
    if instr.dst is not None:
        writes |= registers_of(instr.dst, result_words(instr))
    if instr.op is Op.P2R:
        reads |= _PREDICATES << (instr.sub & UNIFORM_PREDICATES)
    if instr.op is Op.TEX and len(instr.srcs) > LATER_CHANNELS:
        writes |= registers_of(instr.srcs[LATER_CHANNELS], channels(instr) - 2)
    if instr.op is Op.R2P:
        writes |= _PREDICATES << instr.sub
    return Effects(reads, writes, instr.guard != TRUE or instr.op is Op.R2P)


def guard_reads(instr: Instr) -> int:
    """Predicate read to decide which lanes act, as a bit set."""
    return predicate_bit(instr.guard)


def address_reads(instr: Instr) -> int:
    """Registers that decide whether and where a memory instruction acts, not what it moves."""
    reads = predicate_bit(instr.guard)
    for operand in instr.psrcs:
        reads |= predicate_bit(operand)
    return reads | words_read(instr, addresses=True)


def words_read(instr: Instr, *, addresses: bool) -> int:
    """Registers that an instruction takes as addresses, or all others but predicates, as a bit set."""
    reads = 0
    for position, operand in enumerate(instr.srcs):
        if bool(address_words(instr, position)) == addresses:
            reads |= registers_of(operand, source_words(instr, position))
    return reads
