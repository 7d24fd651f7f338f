"""Groups of asynchronous copies, and when they are done."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import jit
from gpusim.engine.state import columns as S


@jit
def close_group(warp, t):
    """LDGDEPBAR: what was copied since the last one is a group; returns the tick it is done."""
    done = max(t, warp[S.COPIED])
    warp[S.GROUPS + warp[S.N_GROUPS] % S.N_GROUPS_KEPT] = done
    warp[S.N_GROUPS] += 1
    return done


@jit
def group_done(warp, left):
    """Tick from which at most ``left`` groups are under way."""
    k = warp[S.N_GROUPS] - 1 - left
    return warp[S.GROUPS + k % S.N_GROUPS_KEPT] if k >= 0 else np.int64(0)
