"""The registers an instruction reads, in time: two banks, three stages, and a place for each operand.

Even registers lie in one bank, odd ones in the other, and a bank gives one
register of a warp a cycle.  An instruction goes through three stages and reads
in each of them, the older one before the younger one.  What it has read waits in the
place of that operand (first, second, third source; of each bank), which is free
again when the instruction leaves the third stage.  One that still lacks a
register there holds up all behind it, stall counts too.  Measured on an H200
(``calibration/microbenchmarks/register_banks.py``), and taken for every GPU: Huerta et al. 2025 (arXiv
2503.20481) found the ports and the three cycles on an RTX A6000.

Of each bank there is a word of four fields: in which cycles, from the latest
entry on, it is read, and in which each of its places is taken, a bit each.

What goes to the load/store pipe or to the special functions reads its registers
later, one after another, when it leaves its scheduler's queue; others give way to it. The odd
register of a pair that IMAD.WIDE adds is read in the third stage, not before
(``calibration/microbenchmarks/operand_reads.py``).
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline
from gpusim.engine.state import columns as S
from gpusim.hardware.fixed import REGISTER_BANKS, REGISTER_STAGES

PLACES = (1 << S.N_PLACES) - 1
FIELD = 16  # bits; an instruction has left within ten cycles
FIELDS = 1 | 1 << FIELD | 1 << 2 * FIELD | 1 << 3 * FIELD  # the lowest bit of each


LAST_PLACE = 1 << S.N_PLACES - 1
PLACE_FIELD = REGISTER_BANKS * S.N_PLACES  # bits of the places of all banks
LATE = 1 << 3 * PLACE_FIELD  # of a column READS: the odd register of the third source is read in the third stage
ASKS_FIELD, ASKED_KEPT = 8, 62  # bits: of the banks in a column READS of what asks for its registers; of the words


@inline
def ask(row, asks, first, apart, now):
    """What goes to the load/store pipe reads registers from cycle ``first`` on, ``apart`` from one another.

    ``asks`` has a bit for each of them, in order, set if it lies in the odd bank, and above these their number.
    """
    past = min(now - row[S.ASKED_FROM], ASKED_KEPT + 1)
    row[S.ASKED] >>= past
    row[S.ASKED + 1] >>= past
    row[S.ASKED_FROM] = now
    for k in range(asks >> ASKS_FIELD):
        after = first - now + k * apart
        if after < ASKED_KEPT:
            row[S.ASKED + (asks >> k & 1)] |= np.int64(1) << after


@inline
def asked(row, bank, cycle):
    """Cycles from ``cycle`` on in which what goes to the load/store pipe reads a bank, as bits of one field."""
    return row[S.ASKED + bank] >> min(cycle - row[S.ASKED_FROM], ASKED_KEPT + 1) & (1 << FIELD) - 1


@inline
def enter(row, reads, uses, now, late):
    """An instruction enters the first stage at cycle ``now``, or when that is free again.

    ``uses`` has a bit for every place of its operands, the even bank's below the odd one's; ``reads`` for those whose
    register is not there yet; ``late`` says that the last of them waits for the third stage.
    """
    before = row[S.ENTERED]
    entered, held, later = advance(row, before, now)
    past = min(entered - before, FIELD - 1)
    still = ((1 << FIELD - past) - 1) * FIELDS
    leaves, odd_reads = REGISTER_STAGES + held + later, reads >> S.N_PLACES & PLACES
    waiting = odd_reads & LAST_PLACE if late else 0
    even, even_last = read_bank(row[S.BANK_TAKEN] >> past & still | asked(row, 0, entered), reads & PLACES, 0)
    odd, odd_last = read_bank(row[S.BANK_TAKEN + 1] >> past & still | asked(row, 1, entered), odd_reads & ~waiting, 0)
    if waiting:
        odd, odd_last = read_bank(odd, waiting, leaves - 1)
    waits = max(max(even_last, odd_last) + 1 - leaves, 0)
    until = (1 << leaves + waits) - 1
    row[S.BANK_TAKEN] = even | spread(uses & PLACES) * until
    row[S.BANK_TAKEN + 1] = odd | spread(uses >> S.N_PLACES & PLACES) * until
    row[S.ENTERED], row[S.HELD_UP], row[S.HELD_UP + 1], row[S.HELD_UP + 2] = entered, held, later, waits


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
    entered, held, later = before + 1 + row[S.HELD_UP], row[S.HELD_UP + 1], row[S.HELD_UP + 2]
    while entered < now and held + later > 0:
        entered, held, later = entered + 1 + held, later, 0
    return max(entered, now), held, later


@inline
def spread(places):
    """The lowest bits of the fields of some places."""
    return (places & 1) << FIELD | (places & 2) << 2 * FIELD - 1 | (places & 4) << 3 * FIELD - 2


@inline
def read_bank(taken, places, cycle):
    """Read to some places, a register a cycle from ``cycle`` on.

    Returns
    -------
    taken : int
        The bank's word.
    last : int
        The cycle of the last one, -1 if there was none.
    """
    last = -1
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
    t = row[S.ENTERED] + cycles + row[S.HELD_UP]
    if cycles > 1:
        t += row[S.HELD_UP + 1]
    if cycles > 2:
        t += row[S.HELD_UP + 2]
    return t
