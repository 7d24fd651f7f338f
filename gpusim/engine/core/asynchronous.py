"""Instructions of Hopper's asynchronous machine, out of the interpreter's loop: mbarriers, bulk copies, ELECT."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import FULL, at, predicate, set_predicate
from gpusim.engine.compiling.bits import first_lane
from gpusim.engine.compiling.jit import cold, jit
from gpusim.engine.core.bulk_copies import arrive_after_copies, start_copy
from gpusim.engine.core.lane_exchange import fill
from gpusim.engine.core.mbarriers import arrive, check_phase, exchange_mbarrier
from gpusim.engine.load_store.async_groups import close_group
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import first_row

OPS = tuple(range(I.SYNCS_EXCH, I.ELECT + 1))
"""Opcodes that are run here."""


@jit
def run_asynchronous(m, c, index, w, block, sm, on, t):
    """Run one instruction whose lanes ``on`` pass the guard, at tick ``t``; when its result is there, or why not."""
    op = c[0]
    if op == I.UTMACMDFLUSH:
        return close_group(m, sm, w, t)
    if not on:
        return t
    if op == I.ELECT:
        elect(m, c, w, on)
    elif op == I.SYNCS_ARRIVE:
        return arrive(m, c, index, w, block, sm, on, t)
    elif op == I.SYNCS_PHASECHK:
        return check_phase(m, c, index, w, block, on, t)
    elif op == I.SYNCS_EXCH or op == I.SYNCS_CCTL:
        return exchange_mbarrier(m, c, index, w, block, on, t)
    elif op == I.ARRIVES:
        return arrive_after_copies(m, c, index, w, block, sm, on, t)
    else:
        return start_copy(m, c, index, w, block, sm, on, t)
    return t


@cold
def elect(m, c, w, on):
    """ELECT: q0 holds in the first of the lanes in which p0 does; d, in all lanes, is its number."""
    lanes = on & predicate(m.preds[w], c[I.P0])
    first = first_lane(lanes) if lanes else np.int64(0)
    chosen = np.uint32(1) << np.uint32(first) if lanes else np.uint32(0)
    set_predicate(m.preds[w], c[I.Q0], chosen, on)
    fill(m.regs[at(c[I.DST], first_row(m, w))], np.uint32(first), FULL)
