"""Which registers are live where, as one bit mask of program positions per register.

Position ``2 i`` is where instruction ``i`` reads, ``2 i + 1`` where it writes;
two registers interfere if their masks meet.
"""

from __future__ import annotations

from gpusim.lang.lower.machine import MBlock, VReg


def live_masks(blocks: list[MBlock]) -> dict[VReg, int]:
    """Positions at which each register holds a value still needed (or is being written)."""
    out = live_out(blocks)
    masks: dict[VReg, int] = {}
    start = 0
    for block in blocks:
        instrs = block.instrs()
        end = start + len(instrs)
        until = dict.fromkeys(out[block], 2 * end - 1)
        for place in range(end - 1, start - 1, -1):
            instr = instrs[place - start]
            reads = instr.reads()
            for reg in instr.writes():
                last = until.pop(reg, 2 * place + 1)
                masks[reg] = masks.get(reg, 0) | _span(2 * place + 1, last)
            for reg in reads:
                until.setdefault(reg, 2 * place)
        for reg, last in until.items():
            masks[reg] = masks.get(reg, 0) | _span(2 * start, last)
        start = end
    return masks


def _span(first: int, last: int) -> int:
    """Bits ``first`` to ``last``."""
    return ((1 << (last - first + 1)) - 1) << first


def live_out(blocks: list[MBlock]) -> dict[MBlock, set[VReg]]:
    """Registers needed after each block, by iteration to the fixed point."""
    needs: dict[MBlock, set[VReg]] = {}
    kills: dict[MBlock, set[VReg]] = {}
    for block in blocks:
        need: set[VReg] = set()
        kill: set[VReg] = set()
        for instr in block.instrs():
            need.update(r for r in instr.reads() if r not in kill)
            kill.update(instr.writes())
        needs[block], kills[block] = need, kill
    inside = dict(needs)
    out: dict[MBlock, set[VReg]] = {block: set() for block in blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(blocks):
            new = set().union(*(inside[after] for after in block.after)) if block.after else set()
            if new != out[block]:
                out[block] = new
                inside[block] = needs[block] | (new - kills[block])
                changed = True
    return out
