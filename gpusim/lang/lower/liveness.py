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
        need, kill = set(), set()
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


def pressure(blocks: list[MBlock]) -> int:
    """Most general-purpose registers live at one position."""
    marks: list[int] = []
    for reg, mask in live_masks(blocks).items():
        if not reg.is_pred:
            marks.append(mask)
    top = max((m.bit_length() for m in marks), default=0)
    counts = [0] * (top + 1)
    for mask in marks:
        while mask:
            low = mask & -mask
            first = low.bit_length() - 1
            run = (~(mask >> first) & ((mask >> first) + 1)).bit_length() - 1
            counts[first] += 1
            if first + run <= top:
                counts[first + run] -= 1
            mask &= ~(((1 << run) - 1) << first)
    best = level = 0
    for step in counts:
        level += step
        best = max(best, level)
    return best
