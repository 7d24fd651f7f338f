"""Bulk copies and copies of boxes, that an SM's tensor memory accelerator makes while its warps go on.

Values move when the instruction issues.  What is late is what a warp can wait for: an mbarrier hears of the bytes when
the last of them is there, and a group is done when all of it was read from shared memory.  The accelerator takes one
copy after another, and asks L2 for a line of a row at a time; L1 has no part in it.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at
from gpusim.engine.compiling.bits import first_lane, popcount
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.core.mbarriers import SIZE, phase_addresses
from gpusim.engine.core.messages import complete, tell_all
from gpusim.engine.hierarchy.l1 import wire_time
from gpusim.engine.hierarchy.line_masks import full_sectors
from gpusim.engine.hierarchy.outbox import (
    A_ALSO,
    A_FIRST,
    ALONE,
    LOAD,
    READ,
    UPDATE,
    WRITE,
    asked_so_far,
    at_instruction,
    has_room,
    heard,
    is_of,
    is_pending,
    latest,
    outbox_of,
    post,
    post_request,
    set_tick,
)
from gpusim.engine.load_store.boxes import (
    check_box,
    check_place,
    copy_unit,
    extent,
    load_box,
    reduce_unit,
    row_at,
    row_bytes,
    store_box,
)
from gpusim.engine.load_store.cluster_memory import WITHIN, block_at, note_from_afar, rank_of
from gpusim.engine.load_store.tensor_maps import set_coordinates, take_map
from gpusim.engine.load_store.traffic import LOADS, STORES
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.copies import (
    ASKED,
    ASKING,
    BRINGS,
    COUNTS,
    DUE,
    FETCHES,
    K_APART,
    K_ARRAY,
    K_ARRIVALS,
    K_BARRIER,
    K_BLOCK,
    K_BLOCKS,
    K_BYTES,
    K_CLUSTER,
    K_DONE,
    K_KIND,
    K_LEAVING,
    K_LINE,
    K_POSTED,
    K_REFERENCE,
    K_REQUESTS,
    K_ROW,
    K_SITE,
    K_SLOT,
    K_START,
    K_STATE,
    K_WARP,
    MOST_COPIES,
    NOTHING,
    REDUCES,
    TAKES,
    X_BASE,
    X_COUNT,
    X_ELEMENT,
    X_FLAGS,
    X_FROM,
    X_INNER,
    X_LENGTH,
    X_NAN,
    X_OUTER,
    X_PLACE,
    X_ROWS,
    X_SIZE,
    X_START,
    X_STEP,
    X_STRIDE,
    X_SWIZZLE,
)
from gpusim.engine.state.events import note_unit
from gpusim.engine.state.faults import fail, first_row
from gpusim.engine.state.geometry import LINE_BITS, LINE_WORDS, SECTOR_BITS, SECTOR_WORDS, SECTORS, WORD
from gpusim.hardware.fixed import MOST_IN_CLUSTER
from gpusim.isa.tensor_map import BOX_ALIGNED, UNIT, UNITS

KIND_OF = (BRINGS, TAKES, BRINGS, REDUCES, REDUCES, FETCHES, BRINGS, TAKES, REDUCES, FETCHES)
"""What each of the opcodes is, from UBLKCP_S_G on."""
ONE = np.uint32(1)
SECTOR = SECTOR_WORDS * WORD
BLOCKS_AT = 16
"""Bit of a copy's last word from which on it says which blocks of the cluster it is for."""


# ------------------------------------------------------------------ what an instruction asks for


@jit
def start_copy(m, c, index, w, slot, sm, on, t):
    """UBLKCP, UBLKRED, UBLKPF, UTMALDG, UTMASTG, UTMAREDG, UTMAPF: once a warp; the tick it is issued, or -1."""
    n, lane = m.sms[sm, S.COPIES], first_lane(on)
    if n >= MOST_COPIES:
        fail(m, E.COPIES_FULL, index, lane, slot, 0, w)
        return np.int64(S.FAILURE)
    x = m.copies[sm * (MOST_COPIES + 1) + n]
    kind = KIND_OF[c[0] - I.UBLKCP_S_G]
    x[K_KIND], x[K_SLOT], x[K_WARP], x[K_SITE], x[K_LEAVING], x[K_BLOCKS] = kind, slot, w, index, 0, 0
    x[K_BARRIER], x[K_ARRIVALS], x[K_BYTES], x[K_POSTED], x[K_ROW], x[K_LINE], x[K_REFERENCE] = -1, 0, 0, 0, 0, 0, 0
    if c[0] >= I.UTMALDG:
        known = name_box(m, x, c, index, w, slot, lane, kind, t)
    else:
        known = name_stretch(m, x, c, index, w, slot, lane, t)
    x[K_BLOCK] = m.blocks[x[K_SLOT], S.ID]
    if not known or not move(m, x, c, index, w, slot, lane, kind, t):
        return np.int64(S.FAILURE)
    if c[0] == I.UBLKCP_S_S or c[0] == I.UBLKRED_S_S:
        x[K_KIND] = NOTHING
    count_requests(m, x, kind)
    return begin(m, x, sm, t)


@jit
def name_target(m, x, place, barrier, nbytes, blocks, index, lane, w, slot, t):
    """Where in its cluster a copy goes to, and the mbarrier there that hears of it; returns whether these may be.

    ``blocks``: of the cluster, a bit each, the same place in each; 0: the one that the place is of.
    """
    x[X_PLACE], x[K_BARRIER], x[K_BLOCKS] = place & WITHIN, barrier & WITHIN, blocks
    x[K_CLUSTER] = m.blocks[slot, S.OF_CLUSTER]
    if rank_of(place) != rank_of(barrier):
        return fail(m, E.NO_MBARRIER, index, lane, slot, barrier, w)
    if not check_place(m, x[K_BARRIER], SIZE, SIZE, index, lane, w, slot):
        return False
    if blocks == 0:
        x[K_SLOT] = block_at(m, slot, place, index, lane, w, t)
        return x[K_SLOT] >= 0
    there = True
    for rank in range(MOST_IN_CLUSTER):
        if (blocks >> rank) & 1:
            there = there and block_at(m, slot, np.int64(rank) << S.WINDOW_AT, index, lane, w, t) >= 0
    return there


@inline
def own_place(m, slot, address):
    """A place in the shared memory of the block itself; one in another's is out of its bounds."""
    return (address - m.blocks[slot, S.OWN_WINDOW]) & 0xFFFFFFFF


@inline
def address_in(m, row, lane):
    """A lane's address of 64 bits, in two registers."""
    return np.int64(m.regs[row, lane]) | np.int64(m.regs[row + 1, lane]) << 32


@jit
def name_box(m, x, c, index, w, slot, lane, kind, t):
    """The box of a tensor map, its coordinates and places; returns whether it may be."""
    base = first_row(m, w)
    first, dimensions = at(c[I.A], base), (np.int64(c[I.SUB]) >> I.DIMENSIONS_AT) & 7
    if not take_map(m, x, address_in(m, at(c[I.B], base), lane), dimensions, index, lane, w, slot):
        return False
    before = np.int64(2) if kind == BRINGS else np.int64(1) if kind != FETCHES else np.int64(0)
    set_coordinates(m, x, first + before, lane, dimensions)
    if kind == FETCHES:
        return True
    place = np.int64(m.regs[first, lane])
    x[X_PLACE] = own_place(m, slot, place)
    if kind == BRINGS:
        x[K_BYTES], barrier = x[X_ROWS] * row_bytes(x), np.int64(m.regs[first + 1, lane])
        if not name_target(m, x, place, barrier, x[K_BYTES], several(m, c, I.C_, lane, w), index, lane, w, slot, t):
            return False
    halves, floats = x[X_FLAGS] & I.HALF, (np.int64(c[I.SUB]) & 15) <= I.MAX
    if kind == REDUCES and (x[X_ELEMENT] < 2 or (x[X_ELEMENT] == 2 and not (halves and floats))):
        return fail(m, E.NO_TENSOR_MAP, index, lane, slot, address_in(m, at(c[I.B], base), lane), w)
    nbytes = x[X_ROWS] * row_bytes(x)
    if x[X_SWIZZLE]:  # its last pieces may lie anywhere in their 128 bytes
        nbytes = -(-nbytes // BOX_ALIGNED) * BOX_ALIGNED
    return check_place(m, x[X_PLACE], nbytes, np.int64(BOX_ALIGNED), index, lane, w, slot)


@jit
def name_stretch(m, x, c, index, w, slot, lane, t):
    """The stretch of memory of a bulk copy, as a box of one row; returns whether it may be."""
    op, base = c[0], first_row(m, w)
    a, b = at(c[I.A], base), at(c[I.B], base)
    size = at(c[I.B] if op == I.UBLKPF else c[I.C_], base)
    nbytes = (np.int64(m.regs[size, lane]) & UNITS) * UNIT
    x[X_ELEMENT], x[X_FROM], x[X_SWIZZLE], x[X_NAN], x[X_ROWS], x[X_FLAGS] = c[I.WIDTH], 0, 0, 0, 1, c[I.FLAGS]
    x[X_INNER] = nbytes // x[X_ELEMENT]
    x[X_SIZE] = x[X_INNER]
    for k in range(X_OUTER):
        x[X_COUNT + k], x[X_START + k], x[X_STEP + k], x[X_LENGTH + k], x[X_STRIDE + k] = 1, 0, 1, 1, 0
    wide, there, x[X_PLACE], x[X_BASE] = a, True, -1, 0
    if op == I.UBLKCP_S_G or op == I.UBLKCP_S_S or op == I.UBLKRED_S_S:
        place, barrier = np.int64(m.regs[a, lane]), np.int64(m.regs[a + 1, lane])
        x[K_BYTES], wide = nbytes, b
        if not name_target(m, x, place, barrier, nbytes, several(m, c, I.C_, lane, w), index, lane, w, slot, t):
            return False
    elif op != I.UBLKPF:
        x[X_PLACE] = own_place(m, slot, np.int64(m.regs[b, lane]))
    if op != I.UBLKCP_S_S and op != I.UBLKRED_S_S:
        x[X_BASE] = address_in(m, wide, lane)
        if x[X_BASE] & (UNIT - 1):
            return fail(m, E.MISALIGNED, index, lane, slot, x[X_BASE], w)
    else:
        source = own_place(m, slot, np.int64(m.regs[b, lane]))
        there = check_place(m, source, nbytes, np.int64(UNIT), index, lane, w, slot)
    if x[X_PLACE] >= 0:
        there = there and check_place(m, x[X_PLACE], nbytes, np.int64(UNIT), index, lane, w, slot)
    return there


@inline
def several(m, c, column, lane, w):
    """Blocks of the cluster that a copy is for, a bit each; 0 where it is for the one that its place is of."""
    if not np.int64(c[I.SUB]) & I.MULTICAST or c[0] == I.UBLKRED_S_S:
        return np.int64(0)
    return np.int64(m.regs[at(c[column], first_row(m, w)), lane] >> np.uint32(BLOCKS_AT))


@jit
def move(m, x, c, index, w, slot, lane, kind, t):
    """Check where a copy reads and writes, and move its values where they matter; returns whether all is well."""
    moves = c[I.LIGHT] == 0
    if c[0] == I.UBLKCP_S_S or c[0] == I.UBLKRED_S_S:
        x[K_ARRAY] = -1
        if moves:
            source = own_place(m, slot, np.int64(m.regs[at(c[I.B], first_row(m, w)), lane]))
            move_within(m, x, c, w, slot, source)
        return True
    stores = kind in (TAKES, REDUCES)
    x[K_ARRAY] = check_box(m, x, index, lane, w, slot, moves and kind != FETCHES, stores)
    if x[K_ARRAY] < 0:
        return kind == FETCHES and pass_over(m, x)
    if not moves or kind == FETCHES:
        return True
    if kind == BRINGS:
        return load_for_all(m, x, index, w, slot)
    return store_box(m, x, c, index, w, slot, kind == REDUCES)


@jit
def load_for_all(m, x, index, w, slot):
    """Move a box to shared memory of all blocks that it is for; returns whether it could be done."""
    if x[K_BLOCKS] == 0:
        return load_box(m, x, index, w, x[K_SLOT])
    row, done = m.clusters[m.blocks[slot, S.OF_CLUSTER]], True
    for rank in range(m.shape[S.CLUSTER]):
        if (x[K_BLOCKS] >> rank) & 1:
            done = done and load_box(m, x, index, w, row[S.MATES + rank])
    return done


@jit
def pass_over(m, x):
    """What lies in no array is not fetched ahead, and is no error."""
    m.misc[S.E_CODE], x[X_ROWS] = 0, 0
    return True


@jit
def move_within(m, x, c, w, slot, source):
    """Copy or reduce from shared memory of a block to that of another one of its cluster, or its own."""
    shared, target = m.shared[slot], m.shared[x[K_SLOT]]
    for byte in range(0, row_bytes(x), x[X_ELEMENT]):
        if c[0] == I.UBLKRED_S_S:
            reduce_unit(target, x[X_PLACE] + byte, shared, source + byte, x[X_ELEMENT], c, x, m.bits[1])
        else:
            copy_unit(shared, source + byte, target, x[X_PLACE] + byte, x[X_ELEMENT])
    if x[K_SLOT] != slot:
        note_from_afar(m, x[K_SLOT], x[X_PLACE], row_bytes(x))
    elif m.shape[S.CHECKED]:
        stamp = (np.int64(m.blocks[slot, S.PHASE]) + 1) << 16 | (w % m.shape[S.WARPS] + 1)
        for half in range(x[X_PLACE] >> 1, (x[X_PLACE] + row_bytes(x)) >> 1):
            m.touched[slot, half, 0] = stamp


# ------------------------------------------------------------------ when it is done


@jit
def count_requests(m, x, kind):
    """Count the lines and sectors that a copy asks for, by instruction and by array, and how far apart it asks."""
    x[K_REQUESTS], x[K_APART] = 0, m.rates[S.BULK_REQUEST]
    sectors, whole, nbytes = np.int64(0), np.int64(0), np.int64(0)
    for row in range(x[X_ROWS] if x[K_KIND] != NOTHING else 0):
        address = row_at(x, row)
        if address >= 0:
            first, last = extent(x, address)
            x[K_REQUESTS] += (last >> LINE_BITS) - (first >> LINE_BITS) + 1
            sectors += (last >> SECTOR_BITS) - (first >> SECTOR_BITS) + 1
            whole += max(((last + 1) >> SECTOR_BITS) - ((first + SECTOR - 1) >> SECTOR_BITS), 0)
            nbytes += last + 1 - first
    if x[K_REQUESTS] == 0 or kind == FETCHES:
        return
    wire = sectors * m.rates[S.BULK_SECTOR] if kind == BRINGS else out_time(m, x[K_REQUESTS], whole, sectors - whole)
    x[K_APART] = max(x[K_APART], wire // x[K_REQUESTS])
    a, site = m.arrays[x[K_ARRAY]], m.sites[x[K_SITE]]
    columns = LOADS if kind == BRINGS else STORES
    a[columns + C.A_LD_REQ] += x[K_REQUESTS]
    a[columns + C.A_LD_SECTORS] += sectors
    a[columns + C.A_LD_IDEAL] += sectors
    a[columns + C.A_LD_BYTES] += nbytes
    site[C.S_REQ] += x[K_REQUESTS]
    site[C.S_SECTORS] += sectors
    site[C.S_IDEAL] += sectors


@jit
def begin(m, x, sm, t):
    """A copy waits for its turn from tick ``t`` on; where there is no time it is done at once."""
    if m.shape[S.TIMELESS]:
        return t if complete(m, x, sm, t) else np.int64(S.FAILURE)
    own, stores = m.sms[sm], x[K_KIND] == TAKES or x[K_KIND] == REDUCES
    x[K_START] = max(t + m.rates[S.STORE_START if stores else S.BULK_START], own[S.BULK_FREE])
    if stores:
        x[K_START] = max(x[K_START], own[S.OUT])
    turns = x[K_REQUESTS] if x[K_KIND] != NOTHING else (row_bytes(x) + LINE_WORDS * WORD - 1) >> LINE_BITS
    own[S.BULK_FREE] = x[K_START] + turns * x[K_APART]
    x[K_STATE], x[K_DONE] = ASKING, own[S.BULK_FREE]
    if stores:
        set_tick(m, sm, x[K_WARP], S.COPIED, own[S.BULK_FREE])
    elif x[K_REQUESTS] == 0:
        x[K_STATE] = DUE
    own[S.COPIES] += 1
    return t


@jit
def go_on(m, sm, t):
    """Complete the copies of an SM that are due by tick ``t``, and ask for what is next of the others.

    Returns
    -------
    int
        Tick at which there is something to do next, NEVER if there is nothing, or what was asked for is to be heard.
    """
    first, own = sm * (MOST_COPIES + 1), m.sms[sm]
    for k in range(first, first + own[S.COPIES]):
        if not hear_of(m, sm, m.copies[k]):
            return np.int64(S.NEVER)
    k = soonest(m, sm)
    while k >= 0 and m.copies[k, K_DONE] <= t:
        done = complete(m, m.copies[k], sm, m.copies[k, K_DONE])
        remove(m, sm, k)
        if not done:
            return np.int64(S.NEVER)
        k = soonest(m, sm)
    upcoming, k = m.copies[k, K_DONE] if k >= 0 else S.NEVER, first
    while k < first + own[S.COPIES]:
        x = m.copies[k]
        if x[K_STATE] == ASKING:
            ask(m, sm, x)
            if x[K_STATE] == ASKING:
                upcoming = min(upcoming, x[K_START] + x[K_POSTED] * x[K_APART])
            elif x[K_KIND] != BRINGS:
                remove(m, sm, k)
                continue
        k += 1
    return upcoming


@inline
def hear_of(m, sm, x):
    """Note when a copy is complete that has asked for everything, once that is known; returns whether that could be.

    Who waits for what L2 gave goes on when it is there: what L2 takes has the way into registers in it, which is as
    long as an mbarrier's.  Other blocks that a copy is for are told of it at once, before they go past that tick.
    """
    if x[K_STATE] != ASKED or is_unknown(m, sm, x[K_REFERENCE]):
        return True
    notice = m.rates[S.MBARRIER] if x[K_REQUESTS] else np.int64(0)
    x[K_STATE], x[K_DONE] = DUE, max(x[K_DONE], heard(m, sm, x[K_REFERENCE]) - notice, m.sms[sm, S.NOW])
    if x[K_BLOCKS] == 0:
        return True
    told = tell_all(m, x, x[K_DONE])
    x[K_BLOCKS], x[K_BARRIER] = 0, -1
    return told


@inline
def is_unknown(m, sm, reference):
    """Whether a reference is to what an SM has not heard of yet."""
    box = outbox_of(m, sm)
    other = (1 - m.crew[0, S.FILLING]) * len(m.sms) + sm
    return is_of(m, box, reference) or is_of(m, other, reference)


@jit
def soonest(m, sm):
    """Row of the copy that is complete first, of those of which this is known; -1: of none."""
    first, best = sm * (MOST_COPIES + 1), np.int64(-1)
    for k in range(first, first + m.sms[sm, S.COPIES]):
        if m.copies[k, K_STATE] == DUE and (best < 0 or m.copies[k, K_DONE] < m.copies[best, K_DONE]):
            best = k
    return best


@jit
def remove(m, sm, k):
    """Forget a copy; those after it keep their order."""
    last = sm * (MOST_COPIES + 1) + m.sms[sm, S.COPIES] - 1
    for row in range(k, last):
        for column in range(m.copies.shape[1]):
            m.copies[row, column] = m.copies[row + 1, column]
    m.sms[sm, S.COPIES] -= 1


# ------------------------------------------------------------------ asking L2


@jit
def ask(m, sm, x):
    """Ask for the lines of a copy whose turn comes in this window."""
    first, horizon = asked_so_far(m, sm), m.crew[0, S.HORIZON]
    at_instruction(m, sm, x[K_WARP], x[K_SITE], x[K_ARRAY])
    while x[K_POSTED] < x[K_REQUESTS] and has_room(m, sm):
        t = x[K_START] + x[K_POSTED] * x[K_APART]
        if t >= horizon:
            break
        ask_next(m, sm, x, t)
        x[K_POSTED] += 1
    if asked_so_far(m, sm) > first and x[K_KIND] == BRINGS:
        row = m.asked[post(m, sm, LOAD, np.int64(0))]
        row[A_FIRST], row[A_ALSO] = first, x[K_REFERENCE]
        x[K_REFERENCE] = latest(m, sm)
    if x[K_POSTED] == x[K_REQUESTS]:
        x[K_STATE] = ASKED


@jit
def ask_next(m, sm, x, t):
    """Ask for the next line of a copy, at tick ``t`` or when its wire is free."""
    address = row_at(x, x[K_ROW])
    while address < 0:
        x[K_ROW] += 1
        address = row_at(x, x[K_ROW])
    first, last = extent(x, address)
    line = (first >> LINE_BITS) + x[K_LINE]
    first, last_word = max((first >> 2) - line * LINE_WORDS, 0), min((last >> 2) - line * LINE_WORDS, LINE_WORDS - 1)
    words = mask_of(first, last_word)
    sectors = sectors_of_words(words)
    if x[K_KIND] == BRINGS:
        kind = ALONE if x[K_BLOCKS] else READ
        post_request(m, sm, kind, line, sectors, wire_in(m, sm, sectors, t), np.int64(0), np.int64(-1))
    elif x[K_KIND] == FETCHES:
        post_request(m, sm, READ, line, sectors, t, np.int64(0), np.int64(-1))
    elif x[K_KIND] == TAKES:
        post_request(m, sm, WRITE, line, sectors, wire_out(m, sm, sectors, words, t), np.int64(0), words)
    else:
        post_request(m, sm, UPDATE, line, sectors, wire_out(m, sm, sectors, words, t), np.int64(0), np.int64(-1))
    x[K_LINE] += 1
    if line == last >> LINE_BITS:
        x[K_ROW], x[K_LINE] = x[K_ROW] + 1, 0


@inline
def mask_of(first, last):
    """Bits from the first to the last."""
    return (np.int64(2) << last) - (np.int64(1) << first)


@inline
def sectors_of_words(words):
    """Sectors of a line in which some words lie."""
    found = np.int64(0)
    for k in range(SECTORS):
        found |= np.int64((words >> (k * SECTOR_WORDS)) & ((1 << SECTOR_WORDS) - 1) != 0) << k
    return found


@inline
def wire_in(m, sm, sectors, t):
    """Take the wire from L2 for sectors of a line; returns when it begins."""
    own, busy = m.sms[sm], wire_time(m, sectors)
    begins = max(own[S.FILL], t)
    own[S.FILL] = begins + busy
    note_unit(m, sm, S.ON_FILL, begins, busy)
    return begins


@inline
def out_time(m, lines, whole, broken):
    """Ticks for which the wire to L2 is taken by so many lines, sectors, and sectors written in part."""
    return lines * m.rates[S.OUT_LINE] + whole * m.rates[S.OUT_SECTOR] + broken * m.rates[S.OUT_BROKEN]


@inline
def wire_out(m, sm, sectors, words, t):
    """Take the wire to L2 for sectors of a line, some of them written in part; returns when it begins."""
    own, whole = m.sms[sm], popcount(full_sectors(words))
    busy = out_time(m, 1, whole, popcount(sectors) - whole)
    begins = max(own[S.OUT], t)
    own[S.OUT] = begins + busy
    own[S.OUT_BUSY] += busy
    note_unit(m, sm, S.ON_OUT, begins, busy)
    return begins


# ------------------------------------------------------------------ LDGSTS and mbarriers


@jit
def arrive_after_copies(m, c, index, w, slot, sm, on, t):
    """ARRIVES: each lane arrives, or brings the byte that it has said to expect, when its warp's LDGSTS are done."""
    phase_addresses(m, c, w)
    address, left, arrives = m.scratch[S.ADDRESSES], on, c[I.SUB] != I.ARRIVE_NONE
    kind = COUNTS if c[I.SUB] == I.PLAIN else BRINGS
    while left:
        where, lanes = address[first_lane(left)], np.uint32(0)
        for lane in range(S.LANES):
            lanes |= np.uint32(address[lane] == where) << np.uint32(lane)
        n = popcount(left & lanes)
        left &= lanes ^ np.uint32(0xFFFFFFFF)
        if kind == COUNTS and not check_place(m, where, SIZE, SIZE, index, first_lane(on), w, slot):
            return np.int64(S.FAILURE)
        if not defer(m, sm, index, w, slot, kind, where, n if arrives else 0, n, t):
            return np.int64(S.FAILURE)
        phase_addresses(m, c, w)
    return t


@jit
def defer(m, sm, index, w, slot, kind, where, arrivals, n, t):
    """Have an mbarrier hear of ``n`` lanes when their warp's copies are done; returns whether that could be."""
    own = m.sms[sm]
    if own[S.COPIES] >= MOST_COPIES:
        return fail(m, E.COPIES_FULL, index, 0, slot, 0, w)
    x = m.copies[sm * (MOST_COPIES + 1) + own[S.COPIES]]
    x[K_KIND], x[K_SLOT], x[K_BLOCK], x[K_WARP], x[K_SITE] = kind, slot, m.blocks[slot, S.ID], w, index
    x[K_BARRIER], x[K_ARRIVALS], x[K_BYTES] = where, arrivals, n if not arrivals else 0
    x[K_REQUESTS], x[K_POSTED], x[K_LEAVING], x[K_BLOCKS] = 0, 0, 0, 0
    if m.shape[S.TIMELESS]:
        return complete(m, x, sm, t)
    x[K_STATE], x[K_DONE], x[K_REFERENCE] = DUE, max(t, m.warps[w, S.COPIED]), 0
    if is_pending(m.warps[w, S.COPIED]):
        x[K_STATE], x[K_DONE], x[K_REFERENCE] = ASKED, t, m.warps[w, S.COPIED]
    own[S.COPIES] += 1
    return True
