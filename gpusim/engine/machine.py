"""The machine: hands out blocks, lets the SM that is furthest behind go on, stops when all is done.

SMs are kept in a tournament tree by the tick at which each next has something to
do; a step lets one warp of one SM run until it must wait.  Among the warps that
can run the one of the oldest block goes first: measured on an H200, of two
blocks that compete for a unit the older finishes at half time.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gpusim.engine.jit import INLINE
from gpusim.engine import counts as C
from gpusim.engine import errors as E
from gpusim.engine.flow import start
from gpusim.engine.state import AT_BARRIER, DONE, EMPTY, LANES, NEVER, READY, TICKS
from gpusim.engine.warp import (
    BARRIER, FAILED, FINISHED, S_BLOCK_X, S_BLOCK_Y, S_BLOCK_Z, S_GRID_X, S_GRID_Y, S_LIMIT, S_SLOTS, S_WARPS,
    Machine, fail, run,
)  # fmt: skip



@njit(**INLINE)
def tree_set(tree, size, leaf, value):
    """Put ``value`` at a leaf of a tournament tree of minima and mend the way to the root."""
    k = size + leaf
    tree[k] = value
    k >>= 1
    while k:
        tree[k] = min(tree[2 * k], tree[2 * k + 1])
        k >>= 1


@njit(**INLINE)
def tree_first(tree, size):
    """Leaf with the least value; the lowest number where several share it."""
    k = 1
    while k < size:
        k = 2 * k if tree[2 * k] <= tree[2 * k + 1] else 2 * k + 1
    return k - size


@njit(**INLINE)
def place(m, slot, sm, number, kind, age, t):
    """Start block ``number`` in ``slot``."""
    b, shape = m.blocks, m.shape
    b.id[slot], b.kind[slot], b.age[slot] = number, kind, age
    b.xyz[slot, 0] = number % shape[S_GRID_X]
    b.xyz[slot, 1] = number // shape[S_GRID_X] % shape[S_GRID_Y]
    b.xyz[slot, 2] = number // (shape[S_GRID_X] * shape[S_GRID_Y])
    b.alive[slot], b.arrived[slot], b.last[slot], b.phase[slot] = shape[S_WARPS], 0, 0, 0
    for k in range(b.wrote.shape[1]):
        b.wrote[slot, k] = 0
        b.read[slot, k] = 0
    threads = shape[S_BLOCK_X] * shape[S_BLOCK_Y] * shape[S_BLOCK_Z]
    for k in range(shape[S_WARPS]):
        w = slot * shape[S_WARPS] + k
        start(m.warps, w, min(LANES, threads - k * LANES), t)
        m.warps.state[w] = READY
    m.report.counts[kind, C.BLOCKS] += 1
    m.report.counts[kind, C.WARPS] += shape[S_WARPS]


@njit(**INLINE)
def release(m, slot):
    """Let the block go on when every warp still alive has reached the barrier."""
    b, n = m.blocks, m.shape[S_WARPS]
    if b.arrived[slot] == 0 or b.arrived[slot] < b.alive[slot]:
        return
    ready = b.last[slot] + m.rates.barrier + m.rates.barrier_warp * n
    for w in range(slot * n, (slot + 1) * n):
        if m.warps.state[w] == AT_BARRIER:
            m.warps.state[w] = READY
            m.warps.ready[w] = ready
    b.arrived[slot], b.last[slot] = 0, 0
    b.phase[slot] += 1
    m.report.counts[b.kind[slot], C.SH_OTHER_WAVES] += 1


@njit(**INLINE)
def choose(m, sm):
    """Warp of ``sm`` to run next, or -1: of those ready the one of the oldest block, else the first to be ready.

    Inside a block higher warps go first, as measured.
    """
    slots, n = m.shape[S_SLOTS], m.shape[S_WARPS]
    now = m.sms.now[sm]
    best, soonest, best_age = -1, NEVER, NEVER
    first, first_ready = -1, NEVER
    for slot in range(sm * slots, (sm + 1) * slots):
        if m.blocks.id[slot] < 0:
            continue
        age = m.blocks.age[slot]
        for w in range(slot * n, (slot + 1) * n):
            if m.warps.state[w] != READY:
                continue
            ready = m.warps.ready[w]
            if ready <= now:
                if age <= best_age:
                    best, best_age = w, age
            elif ready < first_ready:
                first, first_ready = w, ready
    return best if best >= 0 else first


@njit(**INLINE)
def next_event(m, sm):
    """Tick at which the SM next has something to do."""
    slots, n = m.shape[S_SLOTS], m.shape[S_WARPS]
    soonest = NEVER
    for slot in range(sm * slots, (sm + 1) * slots):
        if m.blocks.id[slot] < 0:
            continue
        for w in range(slot * n, (slot + 1) * n):
            if m.warps.state[w] == READY:
                soonest = min(soonest, m.warps.ready[w])
    return NEVER if soonest == NEVER else max(soonest, m.sms.now[sm])


@njit(**INLINE)
def settle(m, why, w, slot):
    """Book what a warp's stop means for its block; True when the block is done."""
    b = m.blocks
    if why == BARRIER:
        m.warps.state[w] = AT_BARRIER
        b.arrived[slot] += 1
        b.last[slot] = max(b.last[slot], m.warps.ready[w])
        release(m, slot)
    elif why == FINISHED:
        m.warps.state[w] = DONE
        b.alive[slot] -= 1
        b.last[slot] = max(b.last[slot], m.warps.ready[w] if b.arrived[slot] else np.int64(0))
        if b.alive[slot] == 0:
            return True
        release(m, slot)
    return False


@njit(**INLINE)
def first_wave(m, queue, kinds, order, tree, size):
    """Fill the machine: one block an SM at a time, in the order the hardware hands them out."""
    slots, n_sm = m.shape[S_SLOTS], len(order)
    taken = 0
    for layer in range(slots):
        for k in range(n_sm):
            if taken == len(queue):
                return taken
            sm = order[k]
            t = m.sms.free_at[sm]
            place(m, sm * slots + layer, sm, queue[taken], kinds[taken], taken, t)
            m.sms.free_at[sm] = t + m.rates.start_gap
            tree_set(tree, size, sm, next_event(m, sm))
            taken += 1
    return taken


@njit(**INLINE)
def drive(m, queue, kinds, order, tree, size, cursor, steps):
    """Run up to ``steps`` steps of the machine.

    Parameters
    ----------
    m : Machine
    queue, kinds : int64 arrays
        Blocks in launch order and the counter row of each.
    order : int64 array
        SMs in the order in which the hardware fills them.
    tree, size
        Tournament tree over SMs, ``2 * size`` entries.
    cursor : int64 array
        [blocks handed out, blocks finished]; kept between calls.
    steps : int

    Returns
    -------
    bool
        Whether everything is done (or failed: see ``m.report.error``).
    """
    address = m.patterns.address
    slots, n = m.shape[S_SLOTS], m.shape[S_WARPS]
    if cursor[0] == 0:
        cursor[0] = first_wave(m, queue, kinds, order, tree, size)
    for _ in range(steps):
        sm = tree_first(tree, size)
        if tree[1] >= NEVER:
            if cursor[1] < len(queue):
                fail(m, E.DEADLOCK, 0, 0, 0, 0, 0)
            return True
        m.sms.now[sm] = max(m.sms.now[sm], tree[size + sm])
        w = choose(m, sm)
        slot = w // n
        why = run(m, w, slot, sm, address)
        if why == FAILED:
            return True
        if settle(m, why, w, slot):
            cursor[1] += 1
            end = m.warps.ready[w]
            m.report.clock[0] = max(m.report.clock[0], end)
            m.blocks.id[slot] = -1
            if cursor[0] < len(queue):
                t = max(end + m.rates.turnover, m.sms.free_at[sm])
                m.sms.free_at[sm] = t + m.rates.start_gap
                k = cursor[0]
                place(m, slot, sm, queue[k], kinds[k], k, t)
                cursor[0] = k + 1
        if m.report.clock[2] > m.shape[S_LIMIT]:
            fail(m, E.TOO_LONG, m.warps.pc[w], 0, m.blocks.id[slot], 0, 0)
            return True
        tree_set(tree, size, sm, next_event(m, sm))
    return False
