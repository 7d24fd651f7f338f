"""The barrier of a cluster: all warps of its blocks that have not left arrive, and go on when all have.

A warp arrives and waits in two instructions, and may do something else between them.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import first_lane
from gpusim.engine.compiling.jit import cold, jit
from gpusim.engine.core.mbarriers import let_another_path_run
from gpusim.engine.core.messages import have_waited, send
from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.engine.state.copies import OPENS, WAKES
from gpusim.engine.state.faults import fail


@jit
def arrive_in_cluster(m, index, w, slot, on, t):
    """CLUSTER_ARRIVE; the tick it is issued, or FAILURE."""
    warp = m.warps[w]
    if warp[S.CAME_LANES] & np.int64(on) or warp[S.AWAITS]:
        fail(m, E.CLUSTER_TWICE, index, first_lane(on), slot, 0, w)
        return np.int64(S.FAILURE)
    warp[S.CAME_LANES] |= np.int64(on)
    return t if count_warp(m, index, w, slot, t) else np.int64(S.FAILURE)


@jit
def count_warp(m, index, w, slot, t):
    """Count a warp as arrived once all of its lanes that are left have; returns whether nothing is wrong."""
    warp, row = m.warps[w], m.clusters[m.blocks[slot, S.OF_CLUSTER]]
    if warp[S.ALIVE] & ~warp[S.CAME_LANES]:
        return True
    warp[S.AWAITS] = row[S.PHASES] + 1
    row[S.CAME] += 1
    row[S.LATEST_CAME] = max(row[S.LATEST_CAME], t)
    return end_phase(m, slot, index, w)


@jit
def wait_in_cluster(m, index, w, slot, on, t):
    """CLUSTER_WAIT: go on where the phase is over; else other paths of the warp go on, or none."""
    warp = m.warps[w]
    if np.int64(on) & ~warp[S.CAME_LANES]:
        fail(m, E.CLUSTER_NOT_ARRIVED, index, first_lane(on), slot, 0, w)
        return np.int64(S.FAILURE)
    if warp[S.AWAITS] == 0 and not count_warp(m, index, w, slot, t):
        return np.int64(S.FAILURE)
    if 0 < warp[S.AWAITS] <= m.blocks[slot, S.HEARD_PHASES]:
        have_waited(warp, on)
        return t
    if let_another_path_run(warp):
        return np.int64(S.WENT)
    warp[S.PC] += 1
    return np.int64(-1 - S.SLEEPS)


@jit
def end_phase(m, slot, index, w):
    """End a phase at which all have arrived, if all have; returns whether nothing is wrong."""
    of = m.blocks[slot, S.OF_CLUSTER]
    row, going = m.clusters[of], True
    if row[S.CAME] == 0 or row[S.CAME] < row[S.LIVE]:
        return True
    t = row[S.LATEST_CAME] + m.rates[S.CLUSTER_BARRIER] + m.shape[S.CLUSTER] * m.rates[S.CLUSTER_BARRIER_BLOCK]
    row[S.CAME], row[S.LATEST_CAME] = 0, 0
    row[S.PHASES] += 1
    for rank in range(m.shape[S.CLUSTER]):
        mate = row[S.MATES + rank]
        if m.blocks[mate, S.ID] >= 0 and m.blocks[mate, S.OF_CLUSTER] == of and m.blocks[mate, S.B_ALIVE]:
            going = going and send(m, mate, OPENS, -1, 0, 0, 0, index, w, t)
    return going


@cold
def leave_cluster(m, w, slot, t):
    """A warp has left at tick ``t``: the barrier of its cluster waits for it no more."""
    warp, row = m.warps[w], m.clusters[m.blocks[slot, S.OF_CLUSTER]]
    row[S.LIVE] -= 1
    row[S.CAME] -= warp[S.AWAITS] > row[S.PHASES]
    if row[S.CAME]:
        row[S.LATEST_CAME] = max(row[S.LATEST_CAME], t)
        end_phase(m, slot, max(warp[S.PC] - 1, 0), w)
    return np.int64(t)


@jit
def fence(m, index, w, slot, sm, t):
    """CLUSTER_FENCE: sleep until the other blocks see what was written; an SM makes one fence after another."""
    if m.shape[S.TIMELESS]:
        return t
    own = m.sms[sm]
    begin = max(t, own[S.FENCES_FREE])
    own[S.FENCES_FREE] = begin + m.rates[S.CLUSTER_FENCE_WARP]
    if not send(m, slot, WAKES, -1, 0, 0, 0, index, w, begin + m.rates[S.CLUSTER_FENCE]):
        return np.int64(S.FAILURE)
    m.warps[w, S.PC] += 1
    return np.int64(-1 - S.SLEEPS)


@cold
def tell_of_cluster(m, w):
    """Note that warp ``w`` waits for ever at the barrier of its cluster: how many do not come, and one of them."""
    slot = w // m.shape[S.WARPS]
    of = m.blocks[slot, S.OF_CLUSTER]
    row = m.clusters[of]
    fail(m, E.CLUSTER_DEADLOCK, m.warps[w, S.PC] - 1, 0, slot, row[S.LIVE] - row[S.CAME], w)
    for rank in range(m.shape[S.CLUSTER]):
        mate = row[S.MATES + rank]
        for k in range(m.shape[S.WARPS]):
            other = m.warps[mate * m.shape[S.WARPS] + k]
            if m.blocks[mate, S.OF_CLUSTER] == of and other[S.STATE] != S.DONE and other[S.AWAITS] <= row[S.PHASES]:
                m.misc[S.E_HOLDS] = m.blocks[mate, S.ID] << np.int64(32) | np.int64(k)
                return
