"""Each lane's access, before it is done: whether it may be, what it touches, and who touched that before."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at, predicate
from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.core.checking.findings import first_thread, note, number_of
from gpusim.engine.core.checking.order import now, strong_access
from gpusim.engine.core.checking.shadow import (
    READS,
    WRITES,
    is_simple,
    leave_alone,
    report,
    stamp_of,
    touch,
    was_written,
)
from gpusim.engine.core.device_heap import N_HEAP, PLAIN, UNIT
from gpusim.engine.load_store.async_copy import take_zeros
from gpusim.engine.load_store.buffers import find_array, own_offset, short_addresses, wide_addresses
from gpusim.engine.load_store.cluster_memory import WITHIN, rank_of
from gpusim.engine.load_store.generic_space import generic_addresses, window_of
from gpusim.engine.load_store.global_memory import global_addresses
from gpusim.engine.load_store.shared_memory import shared_addresses
from gpusim.engine.state import checks as K
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import first_row

ONE, ZERO = np.uint32(1), np.uint32(0)
WORD_MASK = 0xFFFFFFFF


@jit
def look_at_lanes(m, c, index, w, slot, space, address, on, does, how, narrowest):
    """Look at the access of each lane; returns the lanes whose access may be done."""
    width, fine, may = np.int64(c[I.WIDTH]) if narrowest == 0 else narrowest, ZERO, False
    first = first_thread(m, w)
    if m.found[0, K.F_WATCHED] == number_of(m, slot, first) + 1:
        keep_lanes(m, index, space, address, on, width)
    if space == K.SHARED and not how:
        fine = look_at_shared(m, index, slot, first, address, on, does, width)
        on &= ~fine
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            may = look_at(m, c, index, w, slot, first + lane, lane, space, address[lane], width, does, how)
            fine |= np.uint32(may) << np.uint32(lane)
    return fine


@cold
def keep_lanes(m, index, space, address, on, width):
    """Keep where the lanes of the watched warp go by an instruction: the first time that it comes to it."""
    row = m.lanes_kept[2 * index + (space == K.SHARED)]
    row[K.T_TIMES] += 1
    if row[K.T_TIMES] > 1:
        return
    row[K.T_SPACE], row[K.T_BYTES], row[K.T_LANES] = space, width, on
    for lane in range(S.LANES):
        row[K.T_ADDRESS + lane] = address[lane]


@jit
def look_at_shared(m, index, slot, first, address, on, does, width):
    """Lanes with whose access of shared memory nothing is wrong at first sight; these leave their stamps."""
    bits, base = m.found[0, K.F_SHARED_BITS], m.shape[S.SHARED_BASE]
    size = min(m.shape[S.SHARED_BYTES], m.found[0, K.F_SHARED_END] - base)
    began, t, fine, shadow = m.kept_blocks[slot, K.KB_BEGAN], now(m), ZERO, m.shadow_shared[slot]
    phase, none = max(m.kept_blocks[slot, K.KB_PHASE], began), stamp_of(m, slot, first, index, 0)
    for lane in range(S.LANES):
        place = address[lane] - base
        if not (on >> np.uint32(lane)) & ONE or place < 0 or place > size - width or place & (width - 1):
            continue
        if does == READS and is_amid(address, on, lane) and fine & ONE << np.uint32(lane - 1):
            fine |= ONE << np.uint32(lane)
            continue
        stamp, simple, granules = none + (lane << K.WHO_AT), True, range(place >> bits, (place + width) >> bits)
        for granule in granules:
            simple = simple and is_simple(shadow[granule], stamp, does, began, phase)
        if simple:
            for granule in granules:
                leave_alone(shadow[granule], stamp, does, t, phase)
            fine |= ONE << np.uint32(lane)
    return fine


@inline
def is_amid(address, on, lane):
    """Whether both neighbours of a lane read what it reads: of several the first and the last one stand for all."""
    if lane == 0 or lane == S.LANES - 1 or (on >> np.uint32(lane - 1)) & np.uint32(7) != np.uint32(7):
        return False
    return address[lane - 1] == address[lane] == address[lane + 1]


@jit
def look_at(m, c, index, w, slot, thread, lane, space, address, width, does, how):
    """Look at one lane's access; returns whether it may be done."""
    fault = np.int64(0)
    if not is_inside(m, c, w, space, address, width):
        freed = space == K.GLOBAL and is_among(m.freed, address)
        fault = np.int64(K.FREED if freed else K.OUT_OF_BOUNDS)
    elif address & (width - 1):
        fault = np.int64(K.MISALIGNED)
    elif space == K.GLOBAL and m.shape[S.HEAP_UNITS]:
        fault = fault_of_heap(m, address, width)
    if fault:
        place = address - m.shape[S.SHARED_BASE] if space == K.SHARED else address
        note(m, fault, index, number_of(m, slot, thread), space, place, width, np.int64(-1), 0)
        return False
    if space == K.LOCAL:
        look_at_local(m, index, w, slot, thread, lane, address, width, does)
    else:
        look_at_granules(m, c, index, w, slot, slot, thread, lane, space, address, width, does, how)
    return True


@inline
def piece_at(m, address):
    """First unit of the piece of the device's heap that an address lies in, or behind; -1: it is not in the heap."""
    begin = (address - m.shape[S.HEAP_FIRST]) // UNIT
    if begin < 0 or begin >= m.shape[S.HEAP_UNITS]:
        return np.int64(-1)
    while begin > 0 and m.heap[N_HEAP + begin] == 0:
        begin -= 1
    return np.int64(begin)


@cold
def fault_of_heap(m, address, width):
    """What is wrong with an access to the device's heap: beyond a piece, or to what was freed; 0: nothing."""
    units, begin = m.shape[S.HEAP_UNITS], piece_at(m, address)
    if begin < 0:
        return np.int64(0)
    at = (address - m.shape[S.HEAP_FIRST]) // UNIT
    size, asked = m.heap[N_HEAP + begin], m.heap[N_HEAP + PLAIN * units + begin]
    if size < 0:
        return np.int64(K.FREED) if at < begin - size else np.int64(K.OUT_OF_BOUNDS)
    inside = address + width <= m.shape[S.HEAP_FIRST] + begin * UNIT + asked
    return np.int64(0) if inside else np.int64(K.OUT_OF_BOUNDS)


@inline
def is_in_shared(m, address, width):
    """Whether an access stays in a block's shared memory, and begins in what the source declares of it."""
    first = m.shape[S.SHARED_BASE]
    return first <= address < m.found[0, K.F_SHARED_END] and address <= first + m.shape[S.SHARED_BYTES] - width


@inline
def is_inside(m, c, w, space, address, width):
    """Whether an access stays in its array, its block's shared memory, its thread's local memory."""
    if space == K.GLOBAL:
        k = np.int64(c[I.ARRAY])
        if k < 0:
            k = find_array(m.bounds, m.shape[S.N_BUFFERS], address, width)
        return k >= 0 and m.bounds[k, S.FIRST_BYTE] <= address <= m.bounds[k, S.PAST_END] - width
    if space == K.SHARED:
        return is_in_shared(m, address, width)
    return 0 <= address <= m.shape[S.LOCAL_BYTES] - width


@jit
def look_at_granules(m, c, index, w, slot, home, thread, lane, space, address, width, does, how):
    """The same of global memory, and of shared memory of the block in ``home``: every granule that it touches."""
    shared = space == K.SHARED
    bits = m.found[0, K.F_SHARED_BITS if shared else K.F_GLOBAL_BITS]
    place = address - m.shape[S.SHARED_BASE] if shared else address - S.GLOBAL_BASE
    began = m.kept_blocks[home, K.KB_BEGAN] if shared else np.int64(1)
    stamp = stamp_of(m, slot, thread, index, how)
    if how & K.STRONG:
        key = address ^ (m.blocks[home, S.ID] << S.WINDOW_AT) if shared else address
        strong_access(m, slot, thread, key, does & WRITES, does & READS, how & K.OF_BLOCK)
    for granule in range(place >> bits, (place + width) >> bits):
        row = m.shadow_shared[home, granule] if shared else m.shadow_global[granule]
        unwritten = does & READS and not was_written(row, began) and (shared or is_fresh(m, address))
        if unwritten and width > 4 and bits < 2:  # structs are copied so
            unwritten = not is_partly_written(
                m.shadow_shared[home] if shared else m.shadow_global, granule, bits, began
            )
        if unwritten:
            where = place if shared else address
            note(m, np.int64(K.UNWRITTEN), index, number_of(m, slot, thread), space, where, width, np.int64(-1), 0)
        blank, together = np.int64(K.BLANK) if unwritten else np.int64(0), row[K.WROTE_AT] == now(m)
        fault, before = touch(m, row, slot, thread, stamp | blank, does, began)
        if fault:
            offset, beside = (granule << bits) - place, before if together else np.int64(-1)
            old, new = words_of_race(m, c, w, home, lane, shared, address, offset, width, beside)
            if old != new:
                where = place if shared else address
                report(m, fault, before, index, slot, thread, space, where, width, new, old)


@inline
def is_partly_written(shadow, granule, bits, began):
    """Whether some of a word is written, in which a granule lies: the rest may lie between members of a struct."""
    each, found = 2 - bits, False
    for k in range(granule >> each << each, ((granule >> each) + 1) << each):
        found = found or was_written(shadow[k], began)
    return found


@inline
def is_among(stretches, address):
    """Whether an address lies in one of some stretches."""
    found = False
    for k in range(len(stretches)):
        found = found or stretches[k, 0] <= address < stretches[k, 1]
    return found


@inline
def is_fresh(m, address):
    """Whether nobody has written a place before this launch: in a stretch of global memory, a piece of the heap."""
    begin = piece_at(m, address) if m.shape[S.HEAP_UNITS] else np.int64(-1)
    if begin >= 0:
        return m.heap[N_HEAP + (PLAIN + 1) * m.shape[S.HEAP_UNITS] + begin] != 0
    return is_among(m.fresh, address)


@cold
def words_of_race(m, c, w, home, lane, shared, address, offset, width, beside):
    """What stands there already and what a lane writes, of a race ``offset`` bytes into its access.

    ``beside``: the stamp of another lane of the same instruction that writes there, which then is what counts; else -1.
    """
    memory = m.shared[home] if shared else m.data
    where = address + offset - (np.int64(0) if shared else S.GLOBAL_BASE)
    mask = WORD_MASK if width >= 4 else (1 << 8 * width) - 1
    old, new = np.int64(memory[where >> 2]) >> 8 * (where & 3) & mask, np.int64(K.NO_VALUE)
    if c[0] == I.STS or c[0] == I.STG or c[0] == I.ST:
        row = at(c[I.B], first_row(m, w)) + (offset >> 2)
        new = np.int64(m.regs[row, lane]) & mask
        if beside >= 0:
            old = np.int64(m.regs[row, (beside >> K.WHO_AT) & (S.LANES - 1)]) & mask
    return old, new


@jit
def look_at_local(m, index, w, slot, thread, lane, address, width, does):
    """A thread's own memory: nothing of what it reads may be without a write."""
    word, first = address >> 2, address & 3
    bits = np.uint8(((1 << min(width, 4)) - 1) << first)
    written = False
    for k in range(max(width >> 2, 1)):
        if does & WRITES:
            m.shadow_local[w, word + k, lane] |= bits
        elif m.shadow_local[w, word + k, lane] & bits:
            written = True
    if does & READS and not written:
        where = number_of(m, slot, thread)
        note(m, np.int64(K.UNWRITTEN), index, where, K.LOCAL, address, width, np.int64(-1), 0)


# ------------------------------------------------------------------ instructions


@inline
def strength(c):
    """STRONG where others see a global access at once."""
    return np.int64(K.STRONG) if c[I.CACHE] == I.CG else np.int64(0)


@inline
def scope(c):
    """An atomic in global memory is strong, for its block alone where it says so."""
    return np.int64(K.STRONG) if c[I.CACHE] == I.CG else np.int64(K.STRONG | K.OF_BLOCK)


LOADS = (I.LDG, I.LDS, I.LDL, I.LD)


@jit
def look_at_access(m, c, op, index, w, slot, on):
    """An instruction that touches memory; returns the lanes whose access may be done.  The others load zeros."""
    fine = np.uint32(may_be_done(m, c, op, index, w, slot, on))
    if fine != on and op in LOADS:
        first = at(c[I.DST], first_row(m, w))
        for lane in range(S.LANES):
            if ((on & ~fine) >> np.uint32(lane)) & ONE:
                for k in range(max(c[I.WIDTH] >> 2, 1)):
                    m.regs[first + k, lane] = ZERO
    return fine


@jit
def may_be_done(m, c, op, index, w, slot, on):
    """Lanes whose access to memory is none that may not be; all are looked at."""
    base, address = first_row(m, w), m.scratch[S.ADDRESSES]
    if op == I.LDG or op == I.STG:
        global_addresses(m, c, w, address)
        does = READS if op == I.LDG else WRITES
        return look_at_lanes(m, c, index, w, slot, K.GLOBAL, address, on, does, strength(c), 0)
    if op == I.LDS or op == I.STS:
        shared_addresses(m, c, w, address)
        how = np.int64(K.STRONG | K.OF_BLOCK) if op == I.LDS and c[I.CACHE] == I.CG else np.int64(0)
        return look_at_lanes(m, c, index, w, slot, K.SHARED, address, on, READS if op == I.LDS else WRITES, how, 0)
    if op == I.LDL or op == I.STL:
        short_addresses(m.regs, base, c[I.A], c[I.C_], c[I.SUB], c[I.OFFSET], address)
        return look_at_lanes(m, c, index, w, slot, K.LOCAL, address, on, READS if op == I.LDL else WRITES, 0, 0)
    if op == I.ATOMG or op == I.RED:
        wide_addresses(m.regs, base, c[I.A], c[I.D], c[I.OFFSET], c[I.FLAGS] & I.NARROW, address)
        return look_at_lanes(m, c, index, w, slot, K.GLOBAL, address, on, READS | WRITES, scope(c), 0)
    if op == I.ATOMS:
        short_addresses(m.regs, base, c[I.A], c[I.D], (c[I.SUB] >> 8) & 7, own_offset(m, c, slot), address)
        return look_at_lanes(m, c, index, w, slot, K.SHARED, address, on, READS | WRITES, K.STRONG | K.OF_BLOCK, 0)
    if op == I.LDGSTS:
        return look_at_copy(m, c, index, w, slot, on)
    if op == I.LDSM or op == I.STSM:
        return look_at_matrices(m, c, op, index, w, slot, on)
    return look_at_generic(m, c, op, index, w, slot, on)


MATRIX_ROW = 16  # bytes


@jit
def look_at_matrices(m, c, op, index, w, slot, on):
    """LDSM, STSM: each row is the lane's that names it; all lanes or none."""
    address = m.scratch[S.ADDRESSES]
    short_addresses(m.regs, first_row(m, w), c[I.A], c[I.C_], 0, own_offset(m, c, slot), address)
    rows, does = np.uint32((np.int64(1) << (8 * np.int64(c[I.SUB]))) - 1), READS if op == I.LDSM else WRITES
    fine = look_at_lanes(m, c, index, w, slot, K.SHARED, address, rows, does, 0, MATRIX_ROW)
    return on if fine == rows else ZERO


@jit
def look_at_copy(m, c, index, w, slot, on):
    """LDGSTS: what is read, and what is written in some time."""
    source, target, width = m.scratch[S.ADDRESSES], m.scratch[S.TARGETS], np.int64(c[I.WIDTH])
    wide_addresses(m.regs, first_row(m, w), c[I.B], c[I.C_], c[I.TARGET], c[I.FLAGS] & I.NARROW, source)
    short_addresses(m.regs, first_row(m, w), c[I.A], I.NO_ROW, 0, own_offset(m, c, slot), target)
    take_zeros(c[I.FLAGS] & I.ZFILL, source, width, m.scratch[S.ZEROS])
    reads = on & predicate(m.preds[w], c[I.P0])
    fine = look_at_lanes(m, c, index, w, slot, K.GLOBAL, source, reads, READS, 0, 0) | (on & ~reads)
    return look_at_lanes(m, c, index, w, slot, K.SHARED, target, np.uint32(fine), WRITES, K.COPY, 0)


@jit
def look_at_generic(m, c, op, index, w, slot, on):
    """LD, ST, ATOM: each lane in the space where its address lies; shared memory of other blocks is passed by."""
    address, width, fine = m.scratch[S.ADDRESSES], np.int64(c[I.WIDTH]), ZERO
    generic_addresses(c, m.regs, first_row(m, w), address)
    first, does = first_thread(m, w), READS if op == I.LD else WRITES if op == I.ST else READS | WRITES
    how = scope(c) if op == I.ATOM else strength(c)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        a, space = address[lane], np.int64(K.GLOBAL)
        window = window_of(a >> 32)
        if window == S.SHARED_WINDOW_HI:
            space = np.int64(K.SHARED)
            if rank_of(a) != m.blocks[slot, S.CLUSTER_PLACE]:
                look_afar(m, c, index, w, slot, first + lane, lane, a & WORD_MASK, width, does, how)
                fine |= ONE << np.uint32(lane)
                continue
            a = (a & WORD_MASK) - m.blocks[slot, S.OWN_WINDOW]
        elif window == S.LOCAL_WINDOW_HI:
            space, a = np.int64(K.LOCAL), a & WORD_MASK
        may = look_at(m, c, index, w, slot, first + lane, lane, space, a, width, does, how if space != K.LOCAL else 0)
        fine |= np.uint32(may) << np.uint32(lane)
    return fine


@cold
def look_afar(m, c, index, w, slot, thread, lane, address, width, does, how):
    """An access to shared memory of another block of the cluster, if that is still there: the engine says if not."""
    rank, of = rank_of(address), m.blocks[slot, S.OF_CLUSTER]
    if rank >= m.shape[S.CLUSTER]:
        return
    home, place = m.clusters[of, S.MATES + rank], address & WITHIN
    if m.blocks[home, S.ID] < 0 or m.blocks[home, S.OF_CLUSTER] != of or not is_in_shared(m, place, width):
        return
    keep = m.kept_blocks[home]
    if keep[K.KB_ID] != m.blocks[home, S.ID] + 1:
        begin_block(m, home)
    keep[K.KB_REMOTE], keep[K.KB_REMOTE_AT] = stamp_of(m, slot, thread, index, how), now(m)
    look_at_granules(m, c, index, w, slot, home, thread, lane, K.SHARED, place, width, does, how)


@cold
def begin_block(m, slot):
    """A block begins in a place: nothing is known in it, and nothing has been written."""
    keep, n = m.kept_blocks[slot], m.shape[S.WARPS]
    for column in range(K.N_KEPT_BLOCK):
        keep[column] = 0
    keep[K.KB_ID], keep[K.KB_BEGAN] = m.blocks[slot, S.ID] + 1, now(m)
    for w in range(slot * n, (slot + 1) * n):
        for column in range(K.N_KEPT_WARP):
            m.kept_warps[w, column] = 0
        for word in range(m.shadow_local.shape[1]):
            for lane in range(S.LANES):
                m.shadow_local[w, word, lane] = 0


@cold
def look_at_constants(m, c, index, w, slot, on):
    """LDC at an address that a register has: what lies beyond the bank reads as 0, and is a fault."""
    size, a = m.shape[S.BANK_BYTES + c[I.SUB]], m.regs[at(c[I.A], first_row(m, w))]
    for lane in range(S.LANES):
        start = (np.int64(a[lane]) + np.int64(c[I.OFFSET])) & WORD_MASK
        if (on >> np.uint32(lane)) & ONE and start + c[I.WIDTH] > size:
            who = number_of(m, slot, first_thread(m, w) + lane)
            note(m, np.int64(K.OUT_OF_BOUNDS), index, who, K.CONSTANT, start, c[I.WIDTH], np.int64(-1), c[I.SUB])


@cold
def note_box(m, index, slot, thread, place, nbytes, brings):
    """A bulk copy begins that brings bytes to shared memory, or takes them: nobody knows yet when it ends."""
    bits, began = m.found[0, K.F_SHARED_BITS], m.kept_blocks[slot, K.KB_BEGAN]
    stamp, does = stamp_of(m, slot, thread, index, K.AGENT), WRITES if brings else READS
    first = place - m.shape[S.SHARED_BASE]
    for granule in range(first >> bits, (first + nbytes) >> bits):
        row = m.shadow_shared[slot, granule]
        if does == READS and not was_written(row, began):
            who = number_of(m, slot, thread)
            note(m, np.int64(K.UNWRITTEN), index, who, K.SHARED, first, nbytes, np.int64(-1), 0)
        fault, before = touch(m, row, slot, thread, stamp, does, began)
        if fault:
            report(m, fault, before, index, slot, thread, K.SHARED, first, nbytes, K.NO_VALUE, K.NO_VALUE)


@inline
def begin_instruction(m):
    """The next instruction that is looked at has the next number."""
    m.found[0, K.F_NOW] += 1
    return now(m)


@cold
def forget_piece(m, address, nbytes):
    """A piece of the heap begins: nobody has written it."""
    bits = m.found[0, K.F_GLOBAL_BITS]
    first = address - S.GLOBAL_BASE
    for granule in range(first >> bits, (first + nbytes + (1 << bits) - 1) >> bits):
        for column in range(K.N_SHADOW):
            m.shadow_global[granule, column] = 0
