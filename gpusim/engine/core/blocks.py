"""Blocks: how they begin on an SM, how they end, and who gets a place that is free."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.core.barriers import clear
from gpusim.engine.core.block_queue import any_left, take_block
from gpusim.engine.core.cluster_places import soonest_places, take_places
from gpusim.engine.core.flow import start
from gpusim.engine.core.free_slots import SLOT_OF, TICK_OF, add_free_slot, handout_tick, take_free_slot
from gpusim.engine.core.instruction_fetch import stagger_first_code
from gpusim.engine.core.issue import begin, earliest, wake
from gpusim.engine.hierarchy.servers import ENDED, STARTERS, serve
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C


@jit
def place(m, slot, number, kind, age, t):
    """Start the block in ``slot`` that is handed out as the ``number``-th of its grid."""
    block, shape = m.blocks[slot], m.shape
    block[S.KIND], m.ages[slot] = kind, age
    set_place(block, shape, number)
    block[S.B_ALIVE], block[S.PHASE], block[S.WAITING], block[S.REGISTERS_LEFT] = shape[S.WARPS], 0, 0, 0
    block[S.SENT] = 0
    for b in range(S.N_BARRIERS):
        clear(block, b)
    for k in range(m.touched.shape[1]):
        m.touched[slot, k, 0] = 0
        m.touched[slot, k, 1] = 0
    threads = shape[S.BLOCK_X] * shape[S.BLOCK_Y] * shape[S.BLOCK_Z]
    for k in range(shape[S.WARPS]):
        w = slot * shape[S.WARPS] + k
        start(m.warps[w], m.preds[w], min(S.LANES, threads - k * S.LANES))
        m.warps[w, S.STATE] = S.READY
        if shape[S.TIMED]:
            begin(m, w, slot, age, t + k * m.rates[S.WARP_APART])
        else:
            m.awake[w] = t
    block[S.STARTED] = t
    m.sms[slot // shape[S.SLOTS], S.RESIDENT] += shape[S.WARPS]
    m.counts[kind, C.BLOCKS] += 1
    m.counts[kind, C.WARPS] += shape[S.WARPS]


@inline
def set_place(block, shape, number):
    """Where a block lies in the grid; those of a cluster are handed out one after another."""
    within, cluster = number % shape[S.CLUSTER], number // shape[S.CLUSTER]
    block[S.CLUSTER_PLACE], block[S.OWN_WINDOW] = within, within << S.WINDOW_AT
    for k in range(3):
        own, most = shape[S.CLUSTER_X + k], shape[S.GRID_X + k]
        block[S.X + k] = cluster % (most // own) * own + within % own
        within, cluster = within // own, cluster // (most // own)
    block[S.ID] = block[S.X] + shape[S.GRID_X] * (block[S.Y] + shape[S.GRID_Y] * block[S.Z])


@jit
def hand_out(m, slot, queue, t):
    """Start the next block of the queue in ``slot``, and note when its SM next has something to do."""
    number, kind, age = take_block(m, queue)
    place(m, slot, number, kind, age, t)
    if m.shape[S.AMONG] and m.shape[S.CLUSTER] == 1:
        open_row(m, slot)
        join(m, slot, slot)
    sm = slot // m.shape[S.SLOTS]
    own = m.sms[sm]
    if m.shape[S.TIMED]:
        wake(m, sm, t)
        _, own[S.COMES] = earliest(own)
    else:
        own[S.COMES] = min(own[S.COMES], t)


@inline
def launch_time(m, sm, t):
    """When a block starts on an SM that has room for it from tick ``t`` on; each GPC starts its own."""
    t = max(t, m.sms[sm, S.FREE_AT])
    if not m.shape[S.TIMELESS]:
        t = serve(m.servers, STARTERS, m.sms[sm, S.GPC], t, m.rates[S.LAUNCH])
    m.sms[sm, S.FREE_AT] = t + m.rates[S.START_GAP]
    return t


@cold
def first_wave(m, queue):
    """Fill the machine in the order in which the hardware hands blocks out."""
    if m.shape[S.CLUSTER] > 1:
        first_clusters(m, queue)
    else:
        for sm in m.order:
            if not any_left(m, queue):
                break
            slot = vacant(m, sm)
            t = launch_time(m, sm, np.int64(0))
            note_first(m, slot, t)
            hand_out(m, slot, queue, t)
    if m.shape[S.TIMED]:
        stagger_first_code(m)


@inline
def vacant(m, sm):
    """The first place of an SM that has no block."""
    slot = sm * m.shape[S.SLOTS]
    while m.blocks[slot, S.ID] >= 0:
        slot += 1
    return slot


@inline
def note_first(m, slot, t):
    """Note when the first block of an SM starts, if that is the one in ``slot``."""
    if slot % m.shape[S.SLOTS] == 0:
        m.sms[slot // m.shape[S.SLOTS], S.FIRST_AT] = t


@cold
def first_clusters(m, queue):
    """Fill the machine with clusters, each on the SMs that follow one another in the order."""
    size = m.shape[S.CLUSTER]
    for first in range(0, len(m.order), size):
        if not any_left(m, queue):
            break
        for k in range(size):
            m.free_slots[1 + k, SLOT_OF] = vacant(m, m.order[first + k])
        t = start_cluster(m, queue, np.int64(0))
        for k in range(size):
            note_first(m, m.free_slots[1 + k, SLOT_OF], t)


@jit
def start_cluster(m, queue, t):
    """Start the next cluster in the places listed first in `free_slots`, all blocks at once; returns when."""
    size, start, row = m.shape[S.CLUSTER], t, np.int64(0)
    for k in range(size):
        start = max(start, launch_time(m, m.free_slots[1 + k, SLOT_OF] // m.shape[S.SLOTS], t))
    for k in range(size):
        hand_out(m, m.free_slots[1 + k, SLOT_OF], queue, start)
    if m.shape[S.AMONG]:
        while m.clusters[row, S.LIVE]:
            row += 1
        open_row(m, row)
        for k in range(size):
            join(m, row, m.free_slots[1 + k, SLOT_OF])
    return start


@inline
def open_row(m, row):
    """A cluster begins of which nothing has happened."""
    for column in range(S.MATES):
        m.clusters[row, column] = 0


@inline
def join(m, row, slot):
    """A block belongs to a cluster."""
    block = m.blocks[slot]
    block[S.OF_CLUSTER], block[S.HEARD_PHASES] = row, 0
    m.clusters[row, S.MATES + block[S.CLUSTER_PLACE]] = slot
    m.clusters[row, S.LIVE] += m.shape[S.WARPS]


@inline
def leave(m, slot, end):
    """A block has ended; who hands out blocks hears of it after the window."""
    m.blocks[slot, S.ENDED_AT] = end + 1
    m.ages[slot] = S.NEVER
    sm = slot // m.shape[S.SLOTS]
    m.sms[sm, S.LEFT] += 1
    m.sms[sm, S.RESIDENT] -= m.shape[S.WARPS]


@jit
def remove(m, slot, end):
    """A block is done: another one may have its place, once the GPU, which takes them one by one, has heard of it."""
    if not m.shape[S.TIMELESS]:
        end = serve(m.servers, ENDED, 0, end, m.rates[S.LAUNCH])
    m.misc[S.FINISHED_BLOCKS] += 1
    m.misc[S.END] = max(m.misc[S.END], end)
    m.blocks[slot, S.ID], m.blocks[slot, S.ENDED_AT] = -1, 0
    given = handout_tick(m, slot // m.shape[S.SLOTS], end + m.blocks[slot, S.REFILL_DELAY])
    m.blocks[slot, S.REFILL_DELAY], m.blocks[slot, S.FREE_FROM] = 0, given
    if m.shape[S.CLUSTER] == 1:
        add_free_slot(m.free_slots, given, slot)


@jit
def remove_all(m):
    """Remove the blocks that ended in the window, in the order in which they did."""
    for sm in range(len(m.sms)):
        if m.sms[sm, S.LEFT]:
            m.sms[sm, S.LEFT] = 0
            for slot in range(sm * m.shape[S.SLOTS], (sm + 1) * m.shape[S.SLOTS]):
                if m.blocks[slot, S.ENDED_AT]:
                    add_free_slot(m.ended, m.blocks[slot, S.ENDED_AT] - 1, slot)
    while m.ended[0, 0]:
        end = m.ended[1, TICK_OF]
        remove(m, take_free_slot(m.ended), end)


@jit
def refill(m, queue, now):
    """Put blocks that are left in the places that are given one by tick ``now``; returns whether there are any."""
    before = m.misc[S.HANDED]
    while next_given(m, queue) <= now:
        if m.shape[S.CLUSTER] > 1:
            given, gpc = soonest_places(m)
            take_places(m, gpc, given)
            start_cluster(m, queue, given + m.rates[S.TURNOVER])
        else:
            given = m.free_slots[1, TICK_OF]
            slot = take_free_slot(m.free_slots)
            t = launch_time(m, slot // m.shape[S.SLOTS], given + m.rates[S.TURNOVER])
            hand_out(m, slot, queue, t)
    return m.misc[S.HANDED] > before


@inline
def next_given(m, queue):
    """Tick at which the next place is given a block, NEVER if none is or none is left."""
    if m.shape[S.CLUSTER] > 1 and any_left(m, queue):
        given, _ = soonest_places(m)
        return given
    if m.free_slots[0, 0] and any_left(m, queue):
        return m.free_slots[1, TICK_OF]
    return S.NEVER
