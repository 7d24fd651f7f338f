"""Which access came before which: what each thread knows of what the others have done.

Two accesses of one word, of which one writes, race unless one of them comes first whatever the schedule.  A thread's
own come in order.  Others come first if who did them has told this one since: by a barrier, by an mbarrier, or by a
fence and an atomic or strong access that this one has seen.  Of each thread is kept up to which instruction it knows
of every other thread of its block, as vector clocks do; barriers of the whole block are one number.

Source: Flanagan and Freund, "FastTrack: Efficient and Precise Dynamic Race Detection", PLDI 2009, for stamps in place
of whole clocks; what orders what, NVIDIA, *PTX ISA*, memory consistency model.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.core.checking.findings import first_thread
from gpusim.engine.state import checks as K
from gpusim.engine.state import columns as S

ONE = np.uint32(1)


@inline
def now(m):
    """Number of the instruction that runs."""
    return m.found[0, K.F_NOW]


@jit
def is_known(m, slot, thread, stamp, at):
    """Whether an access has come before what a thread of the block in ``slot`` does now, whatever the schedule."""
    keep, who = m.kept_blocks[slot], stamp >> K.WHO_AT
    if who >> K.THREAD_BITS != m.blocks[slot, S.ID]:
        return is_known_of_others(m, slot, who, at)
    other = who & K.THREADS
    if stamp & K.AGENT:
        return max(m.known[slot, thread, m.known.shape[2] - 1], keep[K.KB_AGENT]) >= at
    if stamp & K.COPY:
        at = awaited_at(m, slot, other, at)
        if at < 0:
            return False
    return other == thread or at < keep[K.KB_PHASE] or m.known[slot, thread, other] >= at


@jit
def awaited_at(m, slot, thread, at):
    """Number of the wait of a thread for a copy that it began at ``at``; -1: it has not waited for that."""
    row = m.kept_warps[slot * m.shape[S.WARPS] + thread // S.LANES]
    found = np.int64(-1)
    n = row[K.N_WAITED]
    for k in range(max(n - K.MOST_WAITS, 0), n):
        if found < 0 and row[K.WAITED_FOR + k % K.MOST_WAITS] >= at:
            earlier = k == n - K.MOST_WAITS and k > 0  # one before it, that is no longer kept, may have been enough
            found = at if earlier else row[K.WAITED_AT + k % K.MOST_WAITS]
    return found


@cold
def is_known_of_others(m, slot, who, at):
    """The same of an access by a thread of another block."""
    if m.found[0, K.F_BLIND] or in_cluster(m, slot, who >> K.THREAD_BITS, at):
        return True
    k = place_of(m.pairs, m.blocks[slot, S.ID], who >> K.THREAD_BITS, False)
    return k >= 0 and (at < m.pairs[k, K.C_PHASE] or at <= m.pairs[k, K.C_FIRST + (who & K.THREADS)])


@inline
def in_cluster(m, slot, block, at):
    """Whether another block is of the same cluster, and the access was before its latest barrier."""
    if m.shape[S.CLUSTER] == 1 or at >= m.kept_blocks[slot, K.KB_CLUSTER]:
        return False
    same = True
    for k in range(3):
        size, own = m.shape[S.GRID_X + k], m.shape[S.CLUSTER_X + k]
        same = same and block % size // own == m.blocks[slot, S.X + k] // own
        block //= size
    return same


# ------------------------------------------------------------------ what is told at a place


@jit
def place_of(table, key, block, makes):
    """Row of a key and a block in a table of clocks; -1 where there is none, or no room for one.

    Those of one key follow one another, with others between them.
    """
    n = len(table)
    k = first_place(table, key)
    for _ in range(n):
        row = table[k]
        if row[K.C_VERSION] == 0:
            if not makes:
                return np.int64(-1)
            row[K.C_KEY], row[K.C_BLOCK], row[K.C_VERSION] = key, block, 1
            return np.int64(k)
        if row[K.C_KEY] == key and row[K.C_BLOCK] == block:
            return np.int64(k)
        k = (k + 1) & (n - 1)
    return np.int64(-1)


@jit
def place_for(m, table, key, block):
    """The same, made where there is none; where there is no room, what threads tell one another is known no more."""
    k = place_of(table, key, block, True)
    if k < 0:
        m.found[0, K.F_BLIND] = 1
    return k


@inline
def first_place(table, key):
    """Where rows of a key begin."""
    mixed = key * 0x9E3779B97F4A7C1 & 0x7FFFFFFFFFFFFFFF
    return (mixed >> 24 ^ mixed >> 44) & (len(table) - 1)


@inline
def join(into, more):
    """Know what is known there, too."""
    for k in range(len(into)):
        into[k] = max(into[k], more[k])


@jit
def tell(m, slot, thread, key, own, t):
    """A thread leaves at a place what it knows, and of itself what it did up to ``own``; number ``t``."""
    k = place_for(m, m.clocks, key, m.blocks[slot, S.ID])
    if k >= 0:
        leave_clock(m, m.clocks[k], slot, thread, own)
        m.clocks[k, K.C_VERSION] = t


@inline
def leave_clock(m, row, slot, thread, own):
    """A row has what a thread knows, too, and of itself what it did up to ``own``."""
    join(row[K.C_FIRST :], m.known[slot, thread])
    row[K.C_FIRST + thread] = max(row[K.C_FIRST + thread], own)
    row[K.C_PHASE] = max(row[K.C_PHASE], m.kept_blocks[slot, K.KB_PHASE])


@jit
def hear(m, slot, thread, key):
    """A thread comes to know what those of its block have left at a place."""
    k = place_of(m.clocks, key, m.blocks[slot, S.ID], False)
    if k >= 0:
        join(m.known[slot, thread], m.clocks[k, K.C_FIRST :])
        m.kept_warps[slot * m.shape[S.WARPS] + thread // S.LANES, K.FOREIGN] = now(m)


@cold
def hear_of_others(m, slot, key):
    """A block comes to know what threads of other blocks have left at a place."""
    own, n = m.blocks[slot, S.ID], len(m.clocks)
    k = first_place(m.clocks, key)
    for _ in range(n):
        row = m.clocks[k]
        if row[K.C_VERSION] == 0:
            return
        if row[K.C_KEY] == key and row[K.C_BLOCK] != own:
            p = place_for(m, m.pairs, own, row[K.C_BLOCK])
            if p < 0:
                return
            if m.pairs[p, K.C_VERSION] < row[K.C_VERSION]:
                join(m.pairs[p, K.C_PHASE :], row[K.C_PHASE :])
                m.pairs[p, K.C_VERSION] = row[K.C_VERSION]
                learn_all(m, own, row[K.C_BLOCK])
        k = (k + 1) & (n - 1)


@cold
def learn_all(m, own, block):
    """A block knows what another one knows of others."""
    for k in range(len(m.pairs)):
        if m.pairs[k, K.C_VERSION] and m.pairs[k, K.C_KEY] == block and m.pairs[k, K.C_BLOCK] != own:
            p = place_of(m.pairs, own, m.pairs[k, K.C_BLOCK], True)
            if p >= 0:
                join(m.pairs[p, K.C_PHASE :], m.pairs[k, K.C_PHASE :])


# ------------------------------------------------------------------ how threads meet


@jit
def lanes_meet(m, w, slot, lanes):
    """Lanes of a warp wait for one another: each knows what all of them did and knew."""
    first, t = first_thread(m, w), now(m)
    known, everything = m.known[slot], m.kept_warps[w, K.FOREIGN] >= m.kept_blocks[slot, K.KB_PHASE]
    start, end = (np.int64(0), np.int64(known.shape[1])) if everything else (first, first + S.LANES)
    joined = m.joined
    for k in range(start, end):
        joined[k] = 0
    for lane in range(S.LANES):
        if (lanes >> np.uint32(lane)) & ONE:
            for k in range(start, end):
                joined[k] = max(joined[k], known[first + lane, k])
            joined[first + lane] = t
    for lane in range(S.LANES):
        if (lanes >> np.uint32(lane)) & ONE:
            for k in range(start, end):
                known[first + lane, k] = joined[k]


@jit
def block_meets(m, slot):
    """All threads of a block have met."""
    keep, known = m.kept_blocks[slot], m.known[slot]
    keep[K.KB_PHASE] = now(m)
    agent = known.shape[1] - 1
    for thread in range(known.shape[0]):
        keep[K.KB_AGENT] = max(keep[K.KB_AGENT], known[thread, agent])


@inline
def fence(m, w, slot, lanes, of_block):
    """Lanes of a warp have made a fence: what they did before it they may tell others, or others of their block."""
    first = first_thread(m, w)
    for lane in range(S.LANES):
        if (lanes >> np.uint32(lane)) & ONE:
            notes = m.kept_threads[slot, first + lane]
            notes[K.FENCED], notes[K.FENCED_WIDE] = now(m), notes[K.FENCED_WIDE] if of_block else now(m)


OF_BLOCK_AT = 1 << 62
"""Keys of what threads tell those of their block alone."""


@jit
def strong_access(m, slot, thread, key, writes, reads, of_block):
    """An atomic or a strong access: it tells what came before the thread's fence, and hears what others told.

    ``of_block``: those of the block alone see it at once.
    """
    notes = m.kept_threads[slot, thread]
    if reads and m.found[0, K.F_TOLD]:
        hear(m, slot, thread, key)
        hear(m, slot, thread, key | OF_BLOCK_AT)
        if not of_block:
            hear_of_others(m, slot, key)
    fenced, wide = notes[K.FENCED], notes[K.FENCED_WIDE]
    anew = notes[K.RELEASED] != fenced or notes[K.RELEASED_AT] != key
    if writes and anew and fenced > m.kept_blocks[slot, K.KB_BEGAN]:
        notes[K.RELEASED], notes[K.RELEASED_AT], m.found[0, K.F_TOLD] = fenced, key, 1
        tell(m, slot, thread, key | OF_BLOCK_AT, fenced, now(m))
        if wide > m.kept_blocks[slot, K.KB_BEGAN] and not of_block:
            tell(m, slot, thread, key, wide, now(m))


@jit
def tell_block(m, slot, thread, home):
    """A thread tells a block of its cluster what it has done, by an mbarrier there."""
    p = place_for(m, m.pairs, m.blocks[home, S.ID], m.blocks[slot, S.ID])
    if p >= 0:
        leave_clock(m, m.pairs[p], slot, thread, now(m))
