"""What all SMs have asked L2 for in a window, handled in the order of its ticks."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline, jit, spliced
from gpusim.engine.hierarchy.coalescer import fetch, fetch_along, pass_on, prefetch_tables
from gpusim.engine.hierarchy.l2 import l2_update, l2_write
from gpusim.engine.hierarchy.outbox import (
    A_DONE,
    A_GONE,
    A_LINE,
    A_TICK,
    A_WHOSE,
    A_WORDS,
    ALONE,
    ALONG,
    ARRAY_BITS,
    JOIN,
    O_COUNT,
    READ,
    WRITE,
    before_of,
    counted_in,
    kind_of,
    rows_of_outbox,
    sectors_of,
)
from gpusim.engine.load_store.traffic import note_below, sectors_below
from gpusim.engine.state import columns as S
from gpusim.engine.state.geometry import bits_of

BACK, CYCLES = 256, 1024
"""Cycles before the end of the window that is simulated, from which on cycles are told apart, and how many are: what
was asked before or after these counts as asked in the first or in the last."""
CYCLE_BITS = bits_of(CYCLES)
FOUND, ORDER, BEGINS, N_BATCH = range(4)
"""Rows of `Machine.batch`: what is found, in order, and where in it each cycle begins."""
AHEAD = 6  # requests for which the host fetches what L2 may have of their lines


@jit
def handle_all(m, filled):
    """Answer what SMs have asked for in a window, cycle by cycle; in a cycle by SM, and there as they asked."""
    n, size, before = sort(m, filled), rows_of_outbox(m), filled * len(m.sms)
    order = m.batch[ORDER]
    for k in range(n):
        if k + AHEAD < n:
            row = order[k + AHEAD]
            prefetch_tables(m, row // size - before, m.asked[row, A_LINE])
        handle(m, order[k] // size - before, m.asked[order[k]])


@inline
def cycle_of(m, row):
    """Cycle in which something was asked, as far as cycles are told apart."""
    first = m.crew[0, S.HORIZON] - BACK * S.TICKS
    return min(max((m.asked[row, A_TICK] - first) // S.TICKS, 0), CYCLES - 1)


@jit
def sort(m, filled):
    """Write the rows of `Machine.asked` that are for L2 to `Machine.batch`, by cycle; how many there are."""
    n, size, begins = np.int64(0), rows_of_outbox(m), m.batch[BEGINS]
    for cycle in range(CYCLES + 1):
        begins[cycle] = 0
    for box in range(filled * len(m.sms), (filled + 1) * len(m.sms)):
        for row in range(box * size, box * size + m.outboxes[box, O_COUNT]):
            if kind_of(m.asked[row]) < JOIN:
                cycle = cycle_of(m, row)
                m.batch[FOUND, n] = row << CYCLE_BITS | cycle
                begins[cycle + 1] += 1
                n += 1
    for cycle in range(CYCLES):
        begins[cycle + 1] += begins[cycle]
    for k in range(n):
        cycle = m.batch[FOUND, k] & (CYCLES - 1)
        m.batch[ORDER, begins[cycle]] = m.batch[FOUND, k] >> CYCLE_BITS
        begins[cycle] += 1
    return n


@spliced
def handle(m, sm, asked):
    """Answer one request."""
    count, t, line, sectors = m.counts[counted_in(asked)], asked[A_TICK], asked[A_LINE], sectors_of(asked)
    before, stamp, kind = sectors_below(count), m.misc[S.STAMP] + t + 1, kind_of(asked)
    if kind == READ:
        asked[A_DONE] = fetch(m, sm, line, sectors, t, stamp, count)
    elif kind == ALONE:
        asked[A_DONE] = pass_on(m, sm, line, sectors, False, t, stamp, count)
    elif kind == ALONG:
        asked[A_DONE] = fetch_along(m, sm, line, sectors, t, stamp, count)
    elif kind == WRITE:
        asked[A_DONE], asked[A_GONE] = l2_write(
            m.l2, m.servers, m.rates, m.shape, m.partial, m.sms[sm, S.HALF], line, sectors, asked[A_WORDS],
            before_of(asked), t, stamp, count,
        )  # fmt: skip
    else:
        asked[A_DONE], asked[A_GONE] = l2_update(
            m.l2, m.servers, m.rates, m.shape, m.sms[sm, S.HALF], line, sectors, asked[A_WORDS], before_of(asked), t,
            stamp, count,
        )  # fmt: skip
    if asked[A_WHOSE] >= 0:
        note_below(m, asked[A_WHOSE] >> ARRAY_BITS, asked[A_WHOSE] & ((1 << ARRAY_BITS) - 1), before, count)
