"""What runs the instructions of a checked run that touch memory, or by which threads meet: each is looked at first.

It stands where :mod:`gpusim.engine.core.out_of_line` stands in other runs, and the interpreter's loop calls it for
these instructions, too (``CHECKED_PIPE``).  Lanes whose access may not be are left out: a run goes on behind a fault.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import first_lane
from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.core.checking.accesses import (
    begin_block,
    begin_instruction,
    forget_piece,
    look_at_access,
    look_at_constants,
    note_box,
)
from gpusim.engine.core.checking.findings import first_thread
from gpusim.engine.core.checking.meetings import (
    arrive_at_mbarrier,
    begin_mbarrier,
    cluster_meets,
    come_to_barrier,
    come_to_end,
    end_group,
    fall_asleep,
    hear_of_phase,
    look_at_shuffle,
    meet_at_once,
    note_wait,
    sync_warp,
    tell_of_copy,
    wait_for_groups,
    wake_up,
)
from gpusim.engine.core.checking.order import fence, now
from gpusim.engine.core.device_heap import N_HEAP, PLAIN, UNIT
from gpusim.engine.core.indirect_control import indirect_control
from gpusim.engine.core.out_of_line import with_asynchronous
from gpusim.engine.core.system_calls import pair_of
from gpusim.engine.core.warp import control, memory_instruction
from gpusim.engine.load_store.boxes import row_bytes
from gpusim.engine.state import checks as K
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I
from gpusim.engine.state.copies import BRINGS, K_BARRIER, K_BLOCKS, K_KIND, K_SLOT, MOST_COPIES, X_PLACE, X_ROWS

ONE = np.uint32(1)
ODD, ODDER, MOST_BITS = 0x9E3779B97F4A7C1, 0x5851F42D4C957F2, 62
MOST = (1 << MOST_BITS) - 1
_others = jit(with_asynchronous)
IN_PIPE = (I.LDG, I.STG, I.LDS, I.STS, I.SHFL, I.MEMBAR)
ACCESSES = (
    I.LDG,
    I.STG,
    I.LDS,
    I.STS,
    I.LDL,
    I.STL,
    I.ATOMG,
    I.RED,
    I.ATOMS,
    I.LDGSTS,
    I.LDSM,
    I.STSM,
    I.LD,
    I.ST,
    I.ATOM,
)


def checked(m, index, w, block, sm, on, t):
    """:func:`gpusim.engine.core.out_of_line.out_of_line`, for programs that are checked."""
    if index < 0:
        if index == S.LEAVE and m.shape[S.CLUSTER] > 1:
            leave_cluster(m, w, block)
        return _others(m, index, w, block, sm, on, t)
    if m.kept_blocks[block, K.KB_ID] != m.blocks[block, S.ID] + 1:
        begin_block(m, block)
    begin_instruction(m)
    if m.kept_warps[w, K.SLEEPS]:
        wake_up(m, w, block)
    c = m.code[index]
    on = look(m, c, c[0], index, w, block, on)
    copy = sm * (MOST_COPIES + 1) + m.sms[sm, S.COPIES]
    done = perform(m, c, c[0], index, w, block, sm, on, t)
    if m.found[0, K.F_SEED] and done >= 0 and c[0] in ACCESSES:
        done += later(m)
    if c[0] == I.MALLOC and done >= 0:
        forget_pieces(m, c, w, on)
    if I.SYNCS_PHASECHK <= c[0] <= I.UTMAPF:
        look_after(m, c, index, w, block, on, done, copy)
    return done


@inline
def later(m):
    """Ticks by which what a warp has asked for comes later, so that warps go in another order: drawn."""
    mixed = (m.found[0, K.F_SEED] * ODD ^ now(m) * ODDER) & MOST
    return (mixed >> MOST_BITS - K.LATER_BITS) & ((1 << K.LATER_BITS) - 1)


@jit
def look(m, c, op, index, w, slot, on):
    """Look at an instruction before it is done; returns the lanes for which it may be."""
    if op in ACCESSES:
        return look_at_access(m, c, op, index, w, slot, on) if on else on
    if op == I.LDC:
        look_at_constants(m, c, index, w, slot, on)
    elif op == I.BAR:
        if on and np.int64(on) == m.warps[w, S.ALIVE]:
            come_to_barrier(m, c, index, w, slot, on)
    elif op == I.EXIT:
        come_to_end(m, c, w, slot, on)
    elif op == I.NOP:
        if c[I.OFFSET]:
            meet_at_once(m, c, index, w, slot)
    elif op == I.WARPSYNC:
        sync_warp(m, c, index, w, slot)
    elif op == I.SHFL:
        look_at_shuffle(m, c, index, w, slot, on)
    elif op == I.MEMBAR or op == I.CLUSTER_FENCE:
        fence(m, w, slot, on, c[I.FLAGS] & I.OF_BLOCK)
    elif op == I.LDGDEPBAR or op == I.UTMACMDFLUSH:
        end_group(m, w)
    elif op == I.DEPBAR:
        wait_for_groups(m, c, w, slot, on)
    elif op == I.SYNCS_ARRIVE:
        arrive_at_mbarrier(m, c, index, w, slot, on)
    elif op == I.ARRIVES:
        note_wait(m, w, now(m))
        arrive_at_mbarrier(m, c, index, w, slot, on)
    elif op == I.SYNCS_EXCH or op == I.SYNCS_CCTL:
        if on:
            begin_mbarrier(m, c, index, w, slot, on)
    elif op == I.CLUSTER_ARRIVE:
        come_to_cluster(m, w, slot, on)
    return on


@inline
def come_to_cluster(m, w, slot, on):
    """A warp arrives at the barrier of its cluster, with all of its lanes or the last of them."""
    warp, row = m.warps[w], m.clusters[m.blocks[slot, S.OF_CLUSTER]]
    if warp[S.ALIVE] & ~(warp[S.CAME_LANES] | np.int64(on)) == 0 and row[S.CAME] + 1 >= row[S.LIVE]:
        cluster_meets(m, slot)


@inline
def leave_cluster(m, w, slot):
    """A warp ends: its cluster waits for it no more."""
    row = m.clusters[m.blocks[slot, S.OF_CLUSTER]]
    came = row[S.CAME] - (m.warps[w, S.AWAITS] > row[S.PHASES])
    if came and came >= row[S.LIVE] - 1:
        cluster_meets(m, slot)


@jit
def perform(m, c, op, index, w, block, sm, on, t):
    """Do what an instruction does, as it is done in a run that is not checked."""
    count = m.counts[m.blocks[block, S.KIND]]
    if op in IN_PIPE:
        return np.int64(memory_instruction(m, c, index, w, block, sm, on, t, count))
    if op == I.EXIT or op == I.NOP:
        stop = control(m, c, op, index, w, block, on, count)
        return np.int64(S.WENT) if stop < 0 else np.int64(-1 - stop)
    if op == I.BAR:
        return np.int64(indirect_control(m, c, op, index, w, block, on, t, count))
    return _others(m, index, w, block, sm, on, t)


@jit
def look_after(m, c, index, w, slot, on, done, copy):
    """What is known only when an instruction is done: whether a phase is complete, what a bulk copy moves."""
    if c[0] == I.SYNCS_PHASECHK:
        if done == -1 - S.SLEEPS:
            fall_asleep(m, w, on)
        elif done >= 0:
            hear_of_phase(m, c, w, slot, on & m.preds[w, c[I.Q0]])
    elif done >= 0 and on and I.UBLKCP_S_G <= c[0] <= I.UTMAPF:
        x = m.copies[copy]
        if x[K_BLOCKS] == 0 and x[X_PLACE] >= 0 and c[0] != I.UBLKCP_S_S and c[0] != I.UBLKRED_S_S:
            look_at_bulk(m, x, index, w, slot, on)


@jit
def look_at_bulk(m, x, index, w, slot, on):
    """A bulk copy between global memory and the shared memory of a block."""
    thread = first_thread(m, w) + first_lane(on)
    if x[K_SLOT] == slot:
        note_box(m, index, slot, thread, x[X_PLACE], x[X_ROWS] * row_bytes(x), x[K_KIND] == BRINGS)
        if x[K_BARRIER] >= 0:
            tell_of_copy(m, slot, x[K_BARRIER])


@cold
def forget_pieces(m, c, w, on):
    """Lanes have been given pieces of the heap."""
    for lane in range(S.LANES):
        address = pair_of(m, w, c[I.DST], lane)
        if (on >> np.uint32(lane)) & ONE and address:
            begin = (address - m.shape[S.HEAP_FIRST]) // UNIT
            forget_piece(m, address, m.heap[N_HEAP + PLAIN * m.shape[S.HEAP_UNITS] + begin])
