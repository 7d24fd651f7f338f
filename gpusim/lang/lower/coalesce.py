"""Removing copies: two registers that are never needed at the same time, one copied to the other, become one.

Registers that an instruction takes as a group (64-bit pairs, 16-byte quads)
are members of one class at fixed distances; a merge must keep all groups whole
and aligned.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpusim.isa.opcodes import Op
from gpusim.lang.lower.liveness import live_masks
from gpusim.lang.lower.machine import MBlock, MInstr, VReg

IDENTITY = 0xF0


@dataclass(eq=False)
class Group:
    """Registers at fixed distances: ``members[d]`` is register ``d`` of a group starting at a multiple of ``align``."""

    align: int
    members: dict[int, VReg] = field(default_factory=dict)


class Groups:
    """Every register's group and its place in it."""

    def __init__(self, blocks: list[MBlock]) -> None:
        self.of: dict[VReg, tuple[Group, int]] = {}
        for block in blocks:
            for instr in block.instrs():
                for regs in (instr.dsts, *(s.regs for s in instr.srcs)):
                    self._note(regs)
                for reg in (*instr.pdsts, *(c.reg for c in (instr.guard, *instr.psrcs) if c.reg)):
                    self._note((reg,))

    def _note(self, regs: tuple[VReg, ...]) -> None:
        if not regs or (len(regs) == 1 and regs[0] in self.of):
            return
        met = {id(self.of[r][0]) for r in regs if r in self.of}
        if len(met) == 1 and all(r in self.of for r in regs):
            group = self.of[regs[0]][0]
            group.align = max(group.align, _power(len(regs)))
            return
        group = Group(_power(len(regs)), dict(enumerate(regs)))
        for place, reg in enumerate(regs):
            if reg in self.of:  # a part of this group is a group already, maybe a larger one
                part, at = self.of[reg]
                group.align = max(group.align, part.align)
                group.members.update({d + place - at: r for d, r in part.members.items()})
        for place, reg in group.members.items():
            self.of[reg] = group, place

    def groups(self) -> list[Group]:
        """Every group once."""
        return list({id(g): g for g, _ in self.of.values()}.values())


def _power(n: int) -> int:
    return 1 << (n - 1).bit_length()


def coalesce(blocks: list[MBlock]) -> None:
    """Merge what copies join where that is possible; merged registers are renamed, their copies dropped."""
    groups = Groups(blocks)
    merger = _Merger(groups, live_masks(blocks))
    for block in sorted(blocks, key=lambda b: -b.loops):
        for instr in block.instrs():
            pair = copied(instr)
            if pair is not None:
                merger.merge(*pair)
    for block in blocks:
        block.body = [merger.rename(i) for i in block.body]
        block.tail = [merger.rename(i) for i in block.tail]
        block.body = [i for i in block.body if not _is_idle(i)]
        block.tail = [i for i in block.tail if not _is_idle(i)]


def copied(instr: MInstr) -> tuple[VReg, VReg] | None:
    """(target, source) of an unguarded register copy."""
    if instr.guard.reg is not None:
        return None
    if instr.op is Op.MOV and instr.srcs[0].regs and not instr.srcs[0].neg:
        return instr.dsts[0], instr.srcs[0].regs[0]
    if instr.op is Op.PLOP3 and instr.sub == IDENTITY and instr.psrcs[0].reg and not instr.psrcs[0].neg:
        return instr.pdsts[0], instr.psrcs[0].reg
    return None


def _is_idle(instr: MInstr) -> bool:
    pair = copied(instr)
    return pair is not None and pair[0] is pair[1]


class _Merger:
    def __init__(self, groups: Groups, live: dict[VReg, int]) -> None:
        self.groups, self.live = groups, live
        self.renamed: dict[VReg, VReg] = {}

    def find(self, reg: VReg) -> VReg:
        while reg in self.renamed:
            reg = self.renamed[reg]
        return reg

    def merge(self, a: VReg, b: VReg) -> None:
        """Make one register of ``a`` and ``b``, and so one group of theirs, if nothing forbids it."""
        a, b = self.find(a), self.find(b)
        if a is b:
            return
        (one, i), (other, j) = self.groups.of[a], self.groups.of[b]
        if one is other:
            return
        if len(one.members) < len(other.members):
            one, i, other, j = other, j, one, i
        shift = i - j
        if shift % other.align or not {d + shift for d in other.members} <= set(one.members):
            return
        pairs = [(one.members[d + shift], reg) for d, reg in other.members.items()]
        if any(self.live.get(x, 0) & self.live.get(y, 0) for x, y in pairs):
            return
        for x, y in pairs:
            self.renamed[y] = x
            self.live[x] = self.live.get(x, 0) | self.live.get(y, 0)

    def rename(self, instr: MInstr) -> MInstr:
        """The instruction over merged registers."""
        find = self.find
        instr._reads = None
        instr.dsts = tuple(map(find, instr.dsts))
        instr.pdsts = tuple(map(find, instr.pdsts))
        instr.srcs = tuple(s._replace(regs=tuple(map(find, s.regs))) for s in instr.srcs)
        instr.guard = instr.guard._replace(reg=find(instr.guard.reg)) if instr.guard.reg else instr.guard
        instr.psrcs = tuple(c._replace(reg=find(c.reg)) if c.reg else c for c in instr.psrcs)
        return instr
