"""What the host fetches ahead of need: a machine is larger than its caches, and else it waits half the time."""

from __future__ import annotations

from gpusim.engine import fields as I
from gpusim.engine import state as S
from gpusim.engine.faults import first_row
from gpusim.engine.jit import inline, spliced
from gpusim.engine.prefetch import prefetch, prefetch_row
from gpusim.engine.seats import seats_of, warp_at

MOST_ROWS = 12  # register rows of a warp that are fetched before it runs


@spliced
def fetch_schedulers(m, sm):
    """Have the host fetch the state of the schedulers of an SM."""
    step = m.shape[S.N_PARTS]
    for part in range(step):
        prefetch_row(m.parts, sm * step + part)


@spliced
def fetch_ready(m, sm, horizon, operands):
    """Have the host fetch the warps of an SM that may issue up to a tick: what they read next, or their state."""
    step = m.shape[S.N_PARTS]
    for part in range(step):
        row = m.parts[sm * step + part]
        for seat in range(seats_of(m, part)):
            if row[S.READY_AT + seat] > horizon:
                continue
            w = warp_at(m, sm, part, seat)
            if operands:
                fetch_operands(m, w)
            else:
                prefetch(m.warps, w, 0)
                prefetch(m.turns, w, 0)


@inline
def fetch_operands(m, w):
    """Have the host fetch the registers that a warp's next instruction reads, and its predicates if it is guarded."""
    c = m.code[m.warps[w, S.PC]]
    if c[I.GUARD] != I.PT:
        prefetch(m.preds, w, 0)
    if c[I.IDLE] or c[I.TWIN] < 0:
        return
    base = first_row(m, w)
    for k in (I.A, I.B, I.C_):
        if c[k] >= 0:
            fetch_register(m, base + c[k])
    if c[I.PIPE] == I.LSU:
        fetch_register(m, base + c[I.A] + 1)


@inline
def fetch_register(m, row):
    """Have the host fetch a row of 32 lanes."""
    prefetch(m.regs, row, 0)
    prefetch(m.regs, row, S.LANES // 2)


@spliced
def fetch_awake(m, sm, horizon, operands):
    """:func:`fetch_ready` where a turn is a step."""
    n = m.shape[S.SLOTS] * m.shape[S.WARPS]
    for w in range(sm * n, (sm + 1) * n):
        if m.awake[w] > horizon:
            continue
        if operands:
            fetch_operands(m, w)
        else:
            prefetch(m.warps, w, 0)
            prefetch(m.warps, w, S.ALIVE)
            prefetch(m.preds, w, 0)


@inline
def fetch_rows(m, w):
    """Have the host fetch the registers of a warp that is about to run, all at once."""
    for row in range(min(m.shape[S.PRIVATE], MOST_ROWS)):
        fetch_register(m, first_row(m, w) + row)
