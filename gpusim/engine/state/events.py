"""What one SM does, event by event: each issue, and each time that one of its units is taken.

Recorded of one SM alone, from some tick on, until the room for events is used up.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.state import columns as S


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


@cold
def record(m, track, begin, takes):
    """An event of the latest instruction; its row, 0 where it is not recorded."""
    k = place_for(m, begin)
    if k:
        head, e = m.trace[0], m.trace[k]
        e[S.T_TRACK], e[S.T_AT], e[S.T_TAKES] = track, begin, takes
        e[S.T_PC], e[S.T_WARP], e[S.T_BLOCK] = head[S.T_PC], head[S.T_WARP], head[S.T_BLOCK]
    return k
