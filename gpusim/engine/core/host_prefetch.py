"""What the host fetches ahead of need: a machine is larger than its caches, and else it waits half the time."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.cache_hints import prefetch, prefetch_row
from gpusim.engine.compiling.jit import inline, spliced
from gpusim.engine.core.scheduler_entries import entries_of, warp_of
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import first_row

PREFETCH_STEPS = 1 + 2 * S.MAX_SCHEDULERS  # steps in which what an SM needs is fetched while another one goes on


@spliced
def prefetch_timed(m, sm, horizon, step):
    """Have the host fetch what an SM will need up to a tick, in steps, each by what those before have brought.

    Many small steps, for the host can wait for a dozen lines or two at a time.
    """
    n = m.shape[S.N_SCHEDULERS]
    if step == 0:
        for scheduler in range(n):
            prefetch_row(m.schedulers, sm * n + scheduler)
    elif step <= 2 * n:
        prefetch_ready(m, sm, (step - 1) % n, horizon, step <= n)


@inline
def prefetch_ready(m, sm, scheduler, horizon, first):
    """Have the host fetch the warps of a scheduler that may issue up to a tick: at first their state, then operands."""
    row = m.schedulers[sm * m.shape[S.N_SCHEDULERS] + scheduler]
    for entry in range(entries_of(m, scheduler)):
        if row[S.READY_AT + entry] > horizon:
            continue
        w = warp_of(m, sm, scheduler, entry)
        if first:
            prefetch(m.warps, w, 0)
            prefetch(m.turns, w, 0)
        else:
            prefetch_operands(m, w)


@inline
def prefetch_operands(m, w):
    """Have the host fetch the registers of a warp's next instruction, and its predicates if it is guarded."""
    c = m.code[m.warps[w, S.PC]]
    if c[I.GUARD] != I.PT:
        prefetch(m.preds, w, 0)
    if c[I.IDLE] or c[I.TWIN] < 0:
        return
    base = first_row(m, w)
    for k in (I.A, I.B, I.C_):
        if c[k] >= 0:
            prefetch_register(m, base + c[k])
    if c[I.PIPE] == I.LSU:
        prefetch_register(m, base + c[I.A] + 1)
    elif c[I.DST] >= 0:
        prefetch_register(m, base + c[I.DST])


@inline
def prefetch_register(m, row):
    """Have the host fetch a row of 32 lanes."""
    prefetch(m.regs, row, 0)
    prefetch(m.regs, row, S.LANES // 2)


@spliced
def prefetch_awake(m, sm, horizon):
    """Have the host fetch the state of the warps of an SM that may run up to a tick, where a turn is a step."""
    n = m.shape[S.SLOTS] * m.shape[S.WARPS]
    for w in range(sm * n, (sm + 1) * n):
        if m.awake[w] > horizon:
            continue
        prefetch(m.warps, w, 0)
        prefetch(m.warps, w, S.ALIVE)
        prefetch(m.preds, w, 0)


@inline
def prefetch_registers(m, w):
    """Have the host fetch the registers that a warp uses from here on until it waits, all at once."""
    rows, base = np.int64(m.code[m.warps[w, S.PC], I.ROWS]), first_row(m, w)
    while rows:
        prefetch_register(m, base + popcount((rows & -rows) - 1))
        rows &= rows - 1
