"""The registers an instruction reads, in time: two banks, three stages, and a place for each operand.

Even registers lie in one bank, odd ones in the other, and a bank gives one
register of a warp a cycle.  An instruction goes through three stages and reads
in each of them, the older one before the younger one.  What it has read waits in the
place of that operand (first, second, third source; of each bank), which is free
again when the instruction leaves the third stage.  One that still lacks a
register there holds up all behind it, stall counts too.  Measured on an H200
(``tests/validation/registers.py``), and taken for every GPU: Huerta et al. 2025 (arXiv
2503.20481) found the ports and the three cycles on an RTX A6000.

Of each bank there is a word of four fields: in which cycles, from the latest
entry on, it is read, and in which each of its places is taken, a bit each.
"""

from __future__ import annotations

from gpusim.engine import state as S
from gpusim.engine.jit import inline

STAGES = 3
PLACES = (1 << S.N_PLACES) - 1
FIELD = 16  # bits; an instruction has left within ten cycles
FIELDS = 1 | 1 << FIELD | 1 << 2 * FIELD | 1 << 3 * FIELD  # the lowest bit of each


@inline
def enter(row, reads, uses, now):
    """An instruction enters the first stage at cycle ``now``, or when that is free again.

    ``uses`` has a bit for every place of its operands, the even bank's below the odd one's; ``reads`` for those whose
    register is not there yet.
    """
    before = row[S.ENTERED]
    entered, held, later = advance(row, before, now)
    past = min(entered - before, FIELD - 1)
    still = ((1 << FIELD - past) - 1) * FIELDS
    even, even_last = read_bank(row[S.BANK_TAKEN] >> past & still, reads & PLACES)
    odd, odd_last = read_bank(row[S.BANK_TAKEN + 1] >> past & still, reads >> S.N_PLACES & PLACES)
    leaves = STAGES + held + later
    waits = max(max(even_last, odd_last) + 1 - leaves, 0)
    until = (1 << leaves + waits) - 1
    row[S.BANK_TAKEN] = even | spread(uses & PLACES) * until
    row[S.BANK_TAKEN + 1] = odd | spread(uses >> S.N_PLACES & PLACES) * until
    row[S.ENTERED], row[S.HELD], row[S.HELD + 1], row[S.HELD + 2] = entered, held, later, waits


@inline
def advance(row, before, now):
    """Move the stages on until the first one can be entered at ``now`` or later.

    Returns
    -------
    entered : int
        The cycle in which it is.
    held, later : int
        Cycles that those in the stages will hold up all behind them, after that cycle and after the next one.
    """
    entered, held, later = before + 1 + row[S.HELD], row[S.HELD + 1], row[S.HELD + 2]
    while entered < now and held + later > 0:
        entered, held, later = entered + 1 + held, later, 0
    return max(entered, now), held, later


@inline
def spread(places):
    """The lowest bits of the fields of some places."""
    return (places & 1) << FIELD | (places & 2) << 2 * FIELD - 1 | (places & 4) << 3 * FIELD - 2


@inline
def read_bank(taken, places):
    """Read to some places, a register a cycle; returns the bank's word and the cycle of the last one, -1 if none."""
    cycle, last = 0, -1
    while places:
        at = taken >> cycle
        blocked = at >> FIELD & 1 | at >> 2 * FIELD - 1 & 2 | at >> 3 * FIELD - 2 & 4
        can = places & ~blocked
        if can and not at & 1:
            places &= ~(can & -can)
            taken |= 1 << cycle
            last = cycle
        cycle += 1
    return taken, last


@inline
def goes_on_after(row, cycles):
    """Cycle that is ``cycles`` after the latest entry for the scheduler, which does not count while it is held up."""
    t = row[S.ENTERED] + cycles + row[S.HELD]
    if cycles > 1:
        t += row[S.HELD + 1]
    if cycles > 2:
        t += row[S.HELD + 2]
    return t
