"""What lanes of a warp tell one another: SHFL, VOTE, MATCH, REDUX, ELECT."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.atomic_values import atomic_value
from gpusim.engine.alu.operands import FULL, at, predicate, set_predicate
from gpusim.engine.compiling.bits import first_lane
from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.load_store.matrices import transpose
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I

ZERO, ONE = np.uint32(0), np.uint32(1)


@inline
def source_lane(kind, lane, by, clamp):
    """Lane that one reads from in a SHFL, and whether it is in range; ``by``, ``clamp``: its operands b and c."""
    segment = np.int64((clamp >> np.uint32(8)) & np.uint32(31))
    low = lane & segment
    high = low | (np.int64(clamp & np.uint32(31)) & ~segment)
    by = np.int64(by & np.uint32(31))
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
    return source, good


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
        source, good = source_lane(kind, lane, b[lane], k[lane])
        if not good:
            source = lane
        inside |= np.uint32(good) << np.uint32(lane)
        d[lane] = old[source]
    set_predicate(preds, c[I.Q0], inside, on)


@jit
def vote(c, u, base, preds, on, uniform):
    """VOTE: ballot in d, verdict in q0, over the lanes taking part; in all lanes of what is uniform."""
    yes = predicate(preds, c[I.P0]) & on
    fill(u[at(c[I.DST], base)], yes, FULL if c[I.DST] >= uniform else on)
    verdict = yes == on if c[I.SUB] == I.ALL else yes != 0 if c[I.SUB] == I.ANY else (yes == on or yes == 0)
    set_predicate(preds, c[I.Q0], FULL if verdict else ZERO, FULL if c[I.Q0] >= 8 else on)


@inline
def fill(d, value, on):
    """The same value in every lane of ``on``."""
    for lane in range(S.LANES):
        d[lane] = value if (on >> np.uint32(lane)) & ONE else d[lane]


@cold
def spread(c, u, base, preds, on):
    """R2UR: what the first lane has in a, in all lanes of d; in q0 lanes that have something else, or p0 with `sub`."""
    a, differ = u[at(c[I.A], base)], predicate(preds, c[I.P0]) if c[I.SUB] else ZERO
    value = a[first_lane(on)]
    for lane in range(S.LANES):
        differ |= np.uint32(a[lane] != value) << np.uint32(lane)
    set_predicate(preds, c[I.Q0], differ, on)
    fill(u[at(c[I.DST], base)], value, FULL)


@cold
def match(c, u, base, preds, on, old):
    """MATCH: lanes with the same a; with ALL: those taking part if they all agree, else none."""
    a, more, d = old[0], old[1], u[at(c[I.DST], base)]
    for lane in range(S.LANES):  # the result may go to where the values are
        a[lane] = u[at(c[I.A], base), lane]
        more[lane] = u[at(c[I.A], base) + (1 if c[I.WIDTH] == 8 else 0), lane]
    first, agree = first_lane(on), on
    for lane in range(S.LANES):
        if a[lane] != a[first] or more[lane] != more[first]:
            agree &= (ONE << np.uint32(lane)) ^ FULL
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        same = agree if agree == on else ZERO
        if c[I.SUB] == 0:
            same = ZERO
            for other in range(S.LANES):
                alike = a[other] == a[lane] and more[other] == more[lane]
                same |= (on & (ONE << np.uint32(other))) * np.uint32(alike)
        d[lane] = same
    set_predicate(preds, c[I.Q0], FULL if agree == on else ZERO, on)


@jit
def reduce_lanes(c, u, base, on, uniform, bits):
    """REDUX: d = a of all lanes taking part, reduced."""
    a, first = u[at(c[I.A], base)], first_lane(on)
    value = a[first]
    for lane in range(first + 1, S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            value = atomic_value(c[I.SUB], c[I.FLAGS], value, a[lane], ZERO, bits)
    fill(u[at(c[I.DST], base)], value, FULL if c[I.DST] >= uniform else on)


@inline
def byte_picked(c):
    """Where the byte that R2P takes begins, by what Operand.half says of source a."""
    return np.uint32(8 * max(((c[I.MODS] >> 6) & 7) - 3, 0))


@cold
def pack_predicates(u, c, base, preds, on):
    """P2R: d = a, in one of whose bytes P0..P6 take the places of the bits set in b; uniform: in all lanes."""
    a, b, d = u[at(c[I.A], base)], u[at(c[I.B], base)], u[at(c[I.DST], base)]
    first, up = c[I.SUB] & 15, np.uint32(8 * (c[I.SUB] >> 4))
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            word, mask = ZERO, (b[lane] & np.uint32(255)) << up
            for p in range(7):
                word |= ((preds[first + p] >> np.uint32(lane)) & ONE) << np.uint32(p)
            d[lane] = ((word << up) & mask) | (a[lane] & (mask ^ FULL))
    if first:
        fill(d, d[first_lane(on)], FULL)


@cold
def unpack_predicates(u, c, base, preds, on):
    """R2P: P0..P6 = bits of a byte of a, those set in b."""
    a, b, first, down = u[at(c[I.A], base)], u[at(c[I.B], base)], c[I.SUB], byte_picked(c)
    if first:
        on = FULL
    for lane in range(S.LANES):
        for p in range(7):
            if (on >> np.uint32(lane)) & ONE and (b[lane] >> np.uint32(p)) & ONE:
                bit, place = (a[lane] >> (down + np.uint32(p))) & ONE, first + p
                preds[place] = (preds[place] & ((ONE << np.uint32(lane)) ^ FULL)) | (bit << np.uint32(lane))


@cold
def elect(c, u, base, preds, on):
    """ELECT: d = the first of the lanes in which p0 holds; q0 is true in it alone."""
    among = on & predicate(preds, c[I.P0])
    if among:
        lane = first_lane(among)
        fill(u[at(c[I.DST], base)], np.uint32(lane), FULL)
        among = ONE << np.uint32(lane)
    set_predicate(preds, c[I.Q0], among, on)


@jit
def exchange(c, op, u, base, preds, warp, on, uniform, bits):
    """Moves between kinds of registers and lanes."""
    if op == I.MATCH:
        match(c, u, base, preds, on, bits)
    elif op == I.R2UR:
        spread(c, u, base, preds, on)
    elif op == I.P2R:
        pack_predicates(u, c, base, preds, on)
    elif op == I.R2P:
        unpack_predicates(u, c, base, preds, on)
    elif op == I.B2R:
        result = np.uint32(warp[S.BAR_RESULT])
        fill(u[at(c[I.DST], base)], result, on)
        set_predicate(preds, c[I.Q0], FULL if result else ZERO, on)
    elif op == I.ELECT:
        elect(c, u, base, preds, on)
    elif op == I.MOVM:
        transpose(u[at(c[I.A], base)], u[at(c[I.DST], base)], bits[0], on)
    elif op == I.REDUX:
        reduce_lanes(c, u, base, on, uniform, bits[1])
