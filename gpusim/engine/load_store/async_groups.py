"""Groups of asynchronous copies and of products by a warpgroup, and when they are done."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import jit
from gpusim.engine.hierarchy.outbox import set_tick
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I


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
def close_products(warp):
    """The products by a warpgroup since the last group are a group."""
    warp[S.PRODUCT_GROUPS + warp[S.N_PRODUCT_GROUPS] % S.N_GROUPS_KEPT] = warp[S.MULTIPLIED]
    warp[S.N_PRODUCT_GROUPS] += 1


@jit
def groups_done(warp, c):
    """Tick from which at most as many groups are under way as an instruction that waits for them says."""
    products = c[0] == I.WARPGROUP_DEPBAR
    n, first = (S.N_PRODUCT_GROUPS, S.PRODUCT_GROUPS) if products else (S.N_GROUPS, S.GROUPS)
    k = warp[n] - 1 - c[I.SUB]
    return warp[first + k % S.N_GROUPS_KEPT] if k >= 0 else np.int64(0)
