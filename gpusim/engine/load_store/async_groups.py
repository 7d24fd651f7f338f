"""Groups of asynchronous copies, and when they are done."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import jit
from gpusim.engine.hierarchy.outbox import set_tick
from gpusim.engine.state import columns as S


@jit
def close_group(m, sm, w, t):
    """LDGDEPBAR: what was copied since the last one is a group; returns the tick it is done."""
    warp = m.warps[w]
    column = S.GROUPS + warp[S.N_GROUPS] % S.N_GROUPS_KEPT
    warp[column] = t
    set_tick(m, sm, w, column, warp[S.COPIED])
    warp[S.N_GROUPS] += 1
    return warp[column]


@jit
def group_done(warp, left):
    """Tick from which at most ``left`` groups are under way."""
    k = warp[S.N_GROUPS] - 1 - left
    return warp[S.GROUPS + k % S.N_GROUPS_KEPT] if k >= 0 else np.int64(0)
