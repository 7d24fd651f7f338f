"""Allocated machine blocks as the instructions of a Program."""

from __future__ import annotations

from collections.abc import Mapping

from gpusim.isa.instruction import PT, RZ, TRUE, Control, Instr, Kind, Operand, pred, reg
from gpusim.isa.opcodes import Op
from gpusim.lang.lower.machine import Condition, MBlock, MInstr, Source, VReg


def emit(blocks: list[MBlock], place: Mapping[VReg, int], control: Mapping[MInstr, Control]) -> list[Instr]:
    """Instructions over physical registers, branch targets as indices."""
    starts: dict[MBlock, int] = {}
    position = 0
    for block in blocks:
        starts[block] = position
        position += len(block.body) + len(block.tail)
    return [_instr(i, place, starts, control[i]) for block in blocks for i in block.instrs()]


def _instr(i: MInstr, place: Mapping[VReg, int], starts: Mapping[MBlock, int], control: Control) -> Instr:
    return Instr(
        op=i.op,
        dst=_destination(i, place),
        srcs=tuple(_source(s, place) for s in i.srcs),
        guard=_condition(i.guard, place),
        pdsts=tuple(pred(place[p]) for p in i.pdsts),
        psrcs=tuple(_condition(c, place) for c in i.psrcs),
        sub=int(i.sub),
        width=i.width,
        offset=i.offset,
        target=starts[i.target] if i.target is not None else i.source_offset,
        flags=int(i.flags),
        cache=int(i.cache),
        control=control,
        line=i.line,
        array=i.array,
    )


def _destination(i: MInstr, place: Mapping[VReg, int]) -> Operand | None:
    if i.dsts:
        return reg(place[i.dsts[0]])
    return reg(RZ) if i.op is Op.IADD3 else None


def _source(s: Source, place: Mapping[VReg, int]) -> Operand:
    if s.kind is Kind.REG:
        return reg(place[s.regs[0]] if s.regs else RZ, neg=s.neg, absolute=s.abs)._replace(half=s.half)
    return Operand(s.kind, s.value, s.neg, s.abs)


def _condition(c: Condition, place: Mapping[VReg, int]) -> Operand:
    if c.reg is None:
        return pred(PT, neg=True) if c.neg else TRUE
    return pred(place[c.reg], neg=c.neg)
