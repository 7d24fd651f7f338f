"""What one SM does, event by event: each issue, and each time that one of its units is taken.

Recorded of one SM alone, from some tick on, until the room for events is used up.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine import state as S
from gpusim.engine.jit import inline, jit
from gpusim.engine.seats import seat_of


@inline
def note_issue(m, sm, w, block, index, now):
    """Warp ``w`` issues instruction ``index``; its waits have been noted."""
    if sm == m.shape[S.SHOWN]:
        record_issue(m, sm, w, block, index, now)


@inline
def note_unit(m, sm, track, begin, busy):
    """The latest instruction takes a unit of its SM for ``busy`` ticks."""
    if sm == m.shape[S.SHOWN]:
        record(m, track, begin, busy)


@jit
def place_for(m, t):
    """Row for an event of tick ``t``, 0 where it is not recorded."""
    head = m.trace[0]
    if t < head[S.T_FROM]:
        return np.int64(0)
    if head[S.T_NEXT] == len(m.trace):
        head[S.T_LOST] += 1
        return np.int64(0)
    head[S.T_NEXT] += 1
    return head[S.T_NEXT] - 1


@jit
def record(m, track, begin, takes):
    """An event of the latest instruction; its row, 0 where it is not recorded."""
    k = place_for(m, begin)
    if k:
        head, e = m.trace[0], m.trace[k]
        e[S.T_TRACK], e[S.T_AT], e[S.T_TAKES] = track, begin, takes
        e[S.T_PC], e[S.T_WARP], e[S.T_BLOCK] = head[S.T_PC], head[S.T_WARP], head[S.T_BLOCK]
    return k


@jit
def longest_wait(row, before):
    """What the warp that issues had waited for longest, and how long: what its scheduler noted since the last issue."""
    why, most = np.int64(0), np.int64(0)
    for k in range(S.N_REASONS):
        waited = row[S.STALLED + k] - before[k]
        before[k] = row[S.STALLED + k]
        if waited > most:
            why, most = np.int64(k), waited
    return why, most


@jit
def record_issue(m, sm, w, block, index, now):
    """An issue, and whose the events of units are that follow."""
    scheduler, _ = seat_of(m, w)
    part = scheduler - sm * m.shape[S.N_PARTS]
    head, (why, waited) = m.trace[0], longest_wait(m.parts[scheduler], m.trace[1 + part])
    head[S.T_PC], head[S.T_WARP], head[S.T_BLOCK] = index, w % m.shape[S.WARPS], m.blocks[block, S.ID]
    k = record(m, part, now, S.TICKS)
    if k:
        e = m.trace[k]
        e[S.T_WHY], e[S.T_WAITED], e[S.T_SINCE] = why, waited, m.blocks[block, S.STARTED]
