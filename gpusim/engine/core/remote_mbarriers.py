"""mbarriers of other blocks of a cluster: arrivals there, and stores whose bytes they hear of."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.atomic_values import update
from gpusim.engine.alu.operands import FULL, at
from gpusim.engine.compiling.bits import first_lane, popcount
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.core.mbarriers import SIZE, arrivals_of, contents
from gpusim.engine.core.messages import send
from gpusim.engine.load_store.buffers import short_addresses
from gpusim.engine.load_store.cluster_memory import WITHIN, note_from_afar, place_at, rank_of, send_among
from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.copies import BRINGS
from gpusim.engine.state.faults import fail, first_row
from gpusim.isa.mbarrier import EXPECTED_AT

ONE = np.uint32(1)


@inline
def same(values, value, on):
    """Lanes of ``on`` that have a value."""
    lanes = np.uint32(0)
    for lane in range(S.LANES):
        lanes |= np.uint32(values[lane] == value) << np.uint32(lane)
    return lanes & on


@jit
def mbarrier_at(m, slot, address, index, lane, w, t):
    """Slot of the block whose mbarrier an address is of; -1: none is there."""
    found = place_at(m, slot, address, SIZE, SIZE, index, lane, w, t)
    if found >= 0 and arrivals_of(contents(m.shared[found], address & WITHIN), EXPECTED_AT) == 0:
        fail(m, E.NO_MBARRIER, index, lane, slot, address, w)
        return np.int64(-1)
    return found


@jit
def arrive_remotely(m, c, index, w, slot, sm, on, t):
    """SYNCS_ARRIVE at mbarriers of any block of the cluster; lanes that say the same of one are heard of together."""
    base, how, address, left = first_row(m, w), np.int64(c[I.SUB]), m.scratch[S.ADDRESSES], on
    given = m.regs[at(c[I.B], base)]
    while left:
        short_addresses(m.regs, base, c[I.A], c[I.C_], 0, c[I.OFFSET], address)
        lane = first_lane(left)
        where, value = address[lane], np.int64(given[lane])
        lanes = same(address, where, left) & same(given, given[lane], left)
        left &= lanes ^ FULL
        found = mbarrier_at(m, slot, where, index, lane, w, t)
        if found < 0:
            return np.int64(S.FAILURE)
        n, kind = popcount(lanes), how & 12
        arrivals = n * (value if how & 3 == I.COUNTED else how & 3)
        nbytes = n * (value if kind == I.EXPECT else -value if kind == I.COMPLETE else np.int64(kind == I.EXPECT_ONE))
        leaving, heard = arrivals if how & I.DROP else np.int64(0), t + m.rates[S.REMOTE_ARRIVE]
        if not send(m, found, BRINGS, where & WITHIN, arrivals, -nbytes, leaving, index, w, heard):
            return np.int64(S.FAILURE)
    return t


@jit
def store_remotely(m, c, op, index, w, slot, sm, on, t):
    """STAS, REDAS: lane after lane; the mbarrier of each hears of its bytes."""
    base, width = first_row(m, w), np.int64(c[I.WIDTH])
    a = at(c[I.A], base)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        place, barrier = np.int64(m.regs[a, lane]), np.int64(m.regs[a + 1, lane])
        found = place_at(m, slot, place, width, width, index, lane, w, t)
        if found < 0:
            return np.int64(S.FAILURE)
        if rank_of(place) != rank_of(barrier):
            fail(m, E.NO_MBARRIER, index, lane, slot, barrier, w)
            return np.int64(S.FAILURE)
        if not c[I.LIGHT]:
            put_from_afar(m, c, op, base, lane, found, place & WITHIN, width)
    sent = send_among(m, sm, popcount(on) * width, m.rates[S.REMOTE_STORE], t)
    return tell_mbarriers(m, index, w, slot, a + 1, width, on, t, sent + m.rates[S.REMOTE_ARRIVE])


@jit
def put_from_afar(m, c, op, base, lane, found, place, width):
    """The value of one lane."""
    if op == I.REDAS:
        update(m.shared[found], place >> 2, c, m.regs, base, lane, m.bits[1], False)
    else:
        for k in range(width >> 2):
            m.shared[found, (place >> 2) + k] = m.regs[at(c[I.B], base) + k, lane]
    note_from_afar(m, found, place, width)


@jit
def tell_mbarriers(m, index, w, slot, row, width, on, t, heard):
    """Have the mbarriers that a register names hear at a later tick of so many bytes a lane."""
    left = on
    while left:
        lane = first_lane(left)
        lanes = same(m.regs[row], m.regs[row, lane], left)
        left &= lanes ^ FULL
        barrier = np.int64(m.regs[row, lane])
        found = mbarrier_at(m, slot, barrier, index, lane, w, t)
        if found < 0:
            return np.int64(S.FAILURE)
        if not send(m, found, BRINGS, barrier & WITHIN, 0, popcount(lanes) * width, 0, index, w, heard):
            return np.int64(S.FAILURE)
    return t
