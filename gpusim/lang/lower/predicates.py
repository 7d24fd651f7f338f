"""Conditions beyond the seven predicate registers: kept as 1 or 0 in a general-purpose one."""

from __future__ import annotations

from dataclasses import replace

from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Cmp
from gpusim.lang.lower.liveness import live_masks
from gpusim.lang.lower.machine import ALWAYS, ZERO, Condition, MBlock, MInstr, VReg, immediate, registers


def keep_in_register(blocks: list[MBlock], failed: VReg) -> None:
    """Free a predicate where ``failed`` found none: the one that lives longest among those live with it."""
    live = live_masks(blocks)
    rivals = [r for r, mask in live.items() if r.is_pred and mask & live[failed]]
    victim = max(rivals, key=lambda r: (live[r].bit_count(), r.id))
    held = VReg()
    for block in blocks:
        block.body = [i for instr in block.body for i in _rewritten(instr, victim, held)]
        block.tail = [i for instr in block.tail for i in _rewritten(instr, victim, held)]


def _rewritten(instr: MInstr, victim: VReg, held: VReg) -> list[MInstr]:
    """The instruction, with the condition fetched from ``held`` before and put there after, as it needs."""
    if victim not in instr.reads() and victim not in instr.pdsts:
        return [instr]
    made: list[MInstr] = []
    writes = victim in instr.pdsts
    fresh = VReg(is_pred=True)
    if victim in instr.reads():
        made.append(
            MInstr(Op.ISETP, srcs=(registers(held), ZERO), pdsts=(fresh,), psrcs=(ALWAYS,), sub=Cmp.NE, line=instr.line)
        )
    changed = replace(
        instr,
        guard=_replaced(instr.guard, victim, fresh),
        psrcs=tuple(_replaced(c, victim, fresh) for c in instr.psrcs),
        pdsts=tuple(fresh if p is victim else p for p in instr.pdsts),
        _reads=None,
    )
    made.append(changed)
    if writes:
        unless = Condition(fresh, neg=True)
        made.append(MInstr(Op.SEL, (held,), (ZERO, immediate(1)), psrcs=(unless,), line=instr.line))
    return made


def _replaced(condition: Condition, victim: VReg, fresh: VReg) -> Condition:
    return condition._replace(reg=fresh) if condition.reg is victim else condition
