"""Special registers, and what lanes of a warp tell one another: SHFL, VOTE; LDC."""

from __future__ import annotations

import numpy as np

from gpusim.engine import fields as I
from gpusim.engine import state as S
from gpusim.engine.operands import FULL, at, predicate, set_predicate
from gpusim.engine.faults import first_row
from gpusim.engine.jit import inline, jit

ZERO, ONE = np.uint32(0), np.uint32(1)


@jit
def special(m, c, w, block, sm, on):
    """S2R."""
    base = first_row(m, w)
    which = c[I.SUB]
    d = m.regs[at(c[I.DST], base)]
    first = (w % m.shape[S.WARPS]) * S.LANES
    x, y = m.shape[S.BLOCK_X], m.shape[S.BLOCK_Y]
    for lane in range(S.LANES):
        thread = first + lane
        v = np.int64(0)
        if which == I.TID_X:
            v = thread % x
        elif which == I.TID_Y:
            v = thread // x % y
        elif which == I.TID_Z:
            v = thread // (x * y)
        elif which <= I.CTAID_Z:
            v = np.int64(m.blocks[block, S.X + which - I.CTAID_X])
        elif which == I.LANEID:
            v = np.int64(lane)
        elif which == I.WARPID:
            v = np.int64(w % m.shape[S.WARPS])
        elif which == I.SMID:
            v = np.int64(sm)
        if (on >> np.uint32(lane)) & ONE:
            d[lane] = np.uint32(v)


@jit
def shuffle(c, u, base, old, preds, on):
    """SHFL: d = a of the lane that b and the clamp c select; q0 = that lane is in range."""
    kind = c[I.SUB]
    d, b, k = u[at(c[I.DST], base)], u[at(c[I.B], base)], u[at(c[I.C_], base)]
    inside = ZERO
    for lane in range(S.LANES):
        old[lane] = u[at(c[I.A], base), lane]
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        segment = np.int64((k[lane] >> np.uint32(8)) & np.uint32(31))
        clamp = np.int64(k[lane] & np.uint32(31))
        low = lane & segment
        high = low | (clamp & ~segment)
        by = np.int64(b[lane] & np.uint32(31))
        if kind == I.IDX:
            source = low | (by & ~segment)
            good = source <= high
        elif kind == I.UP:
            source = lane - by
            good = source >= high
        elif kind == I.DOWN:
            source = lane + by
            good = source <= high
        else:
            source = lane ^ by
            good = source <= high
        if not good:
            source = lane
        inside |= np.uint32(good) << np.uint32(lane)
        d[lane] = old[source]
    set_predicate(preds, c[I.Q0], inside, on)


@jit
def vote(c, u, base, preds, on):
    """VOTE: ballot in d, verdict in q0, over the lanes taking part."""
    yes = predicate(preds, c[I.P0]) & on
    d = u[at(c[I.DST], base)]
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            d[lane] = yes
    verdict = yes == on if c[I.SUB] == I.ALL else yes != 0 if c[I.SUB] == I.ANY else (yes == on or yes == 0)
    set_predicate(preds, c[I.Q0], FULL if verdict else ZERO, on)


@inline
def load_constant(c, u, base, on):
    """LDC at an address known beforehand: copy rows of the constant bank."""
    for k in range(max(c[I.WIDTH] >> 2, 1)):
        d, a = u[at(c[I.DST], base) + k], u[at(c[I.A], base) + k]
        for lane in range(S.LANES):
            d[lane] = a[lane] if (on >> np.uint32(lane)) & ONE else d[lane]
