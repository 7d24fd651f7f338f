"""Global loads and stores of one warp: checked, counted, timed, and their values moved."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at
from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline, jit, spliced
from gpusim.engine.compiling.lanes import pointer, store
from gpusim.engine.hierarchy.access_patterns import (
    MIXED,
    PAT_LINES,
    PAT_N_LINES,
    PAT_N_SECTORS,
    PAT_SECTORS,
    PAT_STEP,
    PAT_WAVES,
    PAT_WORDS,
    coalesce,
)
from gpusim.engine.hierarchy.bank_conflicts import ideal_wavefronts
from gpusim.engine.hierarchy.coalescer import prefetch_tables
from gpusim.engine.hierarchy.l1 import find_lines, l1_read, l1_write
from gpusim.engine.hierarchy.line_masks import full_sectors
from gpusim.engine.hierarchy.outbox import (
    WRITE,
    asked_so_far,
    at_instruction,
    done_at,
    is_pending,
    post_request,
)
from gpusim.engine.hierarchy.requests import WRITES, add_line, find_line, has_room, open_request, take_out
from gpusim.engine.hierarchy.tag_stage import wavefronts_with_misses
from gpusim.engine.load_store.buffers import array_touched, pair_at, refuse_stray, wide_addresses
from gpusim.engine.load_store.pipe import data_apart, goes_for_nothing, pass_again, send_out, take_tags
from gpusim.engine.load_store.strided import load_strided, store_strided
from gpusim.engine.load_store.traffic import LOADS, STORES, note_access, note_hits
from gpusim.engine.load_store.unwritten import is_unwritten, note_written
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail, first_row
from gpusim.hardware.fixed import TAG_SETS

ONE = np.uint32(1)
FETCHED_AHEAD = 4  # lines of a load that the host fetches ahead


@inline
def global_addresses(m, c, w, address):
    """64-bit lane addresses of a global access."""
    base = first_row(m, w)
    if c[I.C_] != I.NO_ROW or c[I.FLAGS] & I.NARROW:
        wide_addresses(m.regs, base, c[I.A], c[I.C_], c[I.OFFSET], c[I.FLAGS] & I.NARROW, address)
    else:
        store(pointer(address), np.int64(0), pair_at(m.regs, at(c[I.A], base)) + np.int64(c[I.OFFSET]))


@inline
def packed(m):
    """Whether words of a request are to lie side by side."""
    return m.shape[S.WITHOUT] & S.NO_EXCESS


@inline
def extend(value, width):
    """The lowest byte or two of a word, sign-extended."""
    bits = np.uint32(32 - 8 * width)
    return np.uint32(np.int32(np.uint32(value << bits)) >> np.int32(bits))


@spliced
def load_values(m, c, index, w, block, address, on, step):
    """Move what a global load reads into registers."""
    width, first = c[I.WIDTH], at(c[I.DST], first_row(m, w))
    if step != MIXED and width >= 4 and not m.shape[S.CHECKED]:
        for k in range(width >> 2):
            load_strided(m.regs[first + k], m.data, ((address[0] - S.GLOBAL_BASE) >> 2) + k, step)
        return
    halves, octets = m.data.view(np.uint16), m.data.view(np.uint8)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        byte = address[lane] - S.GLOBAL_BASE
        if width < 4:
            value = np.uint32(octets[byte] if width == 1 else halves[byte >> 1])
            m.regs[first, lane] = extend(value, width) if c[I.FLAGS] & I.SIGNED else value
        for k in range(width >> 2):
            m.regs[first + k, lane] = m.data[(byte >> 2) + k]
        if m.shape[S.CHECKED]:
            for k in range(max(width >> 2, 1)):
                if is_unwritten(m, (byte >> 2) + k):
                    fail(m, E.UNWRITTEN_GLOBAL, index, lane, block, address[lane], w)


@spliced
def store_values(m, c, w, address, on, step):
    """Move registers to global memory."""
    width, first = c[I.WIDTH], at(c[I.B], first_row(m, w))
    if step != MIXED and width >= 4 and not m.shape[S.CHECKED]:
        for k in range(width >> 2):
            store_strided(m.regs[first + k], m.data, ((address[0] - S.GLOBAL_BASE) >> 2) + k, step)
        return
    halves, octets = m.data.view(np.uint16), m.data.view(np.uint8)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        byte = address[lane] - S.GLOBAL_BASE
        if width == 1:
            octets[byte] = np.uint8(m.regs[first, lane] & np.uint32(0xFF))
        elif width == 2:
            halves[byte >> 1] = np.uint16(m.regs[first, lane] & np.uint32(0xFFFF))
        for k in range(width >> 2):
            m.data[(byte >> 2) + k] = m.regs[first + k, lane]
        if m.shape[S.CHECKED]:
            for k in range(max(width >> 2, 1)):
                note_written(m, (byte >> 2) + k)


@inline
def passes_l1(m, c, array):
    """Whether L1 keeps nothing of what a load reads of an array."""
    return c[I.CACHE] == I.CG or m.bounds[array, S.ONCE]


@spliced
def read_lines(m, c, index, w, p, array, sm, origin, passes, begin, count):
    """Ask L1 for the lines of a request, as many a cycle as the tag stage has sets; returns the tick its data is there.

    The first ones are asked for at tick ``begin``.  Data comes in ``passes``, of a wavefront each at least.
    """
    rows, done, hits, first = m.scratch[0], begin, np.int64(0), asked_so_far(m, sm)
    at_instruction(m, sm, w, index, array)
    absent = np.int64(0)
    for j in range(p[PAT_N_LINES]):
        line, wanted, words = origin + p[PAT_LINES + j], p[PAT_SECTORS + j], p[PAT_WORDS + j]
        at_tags, bypass = begin + (j // TAG_SETS) * S.TICKS, passes_l1(m, c, array)
        back, hit = l1_read(m, sm, rows[j], line, wanted, words, bypass, at_tags, count)
        hits += hit
        done = done if is_pending(back) else max(done, back)
        absent |= np.int64(back > at_tags + m.rates[S.L1_HIT]) << j
    if absent:
        more = np.int64(0)
        if p[PAT_N_LINES] > 1:
            more = max(wavefronts_with_misses(p, rows, absent, m.scratch) - p[PAT_WAVES], 0)
            count[C.LD_WAVES] += more
        pass_again(m, sm, more * S.TICKS + m.rates[S.AWAITED])
    count[C.LD_HIT] += hits
    note_hits(m, index, array, hits)
    return done_at(m, sm, first, done) + data_apart(m, max(p[PAT_WAVES], passes), passes)


@spliced
def prefetch_below(m, index, sm, p, origin):
    """Have the host fetch where L2 may have the lines of a load that mostly misses L1, in runs that only count."""
    if m.shape[S.TIMED] or m.shape[S.TIMELESS] or 2 * m.sites[index, C.S_HIT] > m.sites[index, C.S_SECTORS]:
        return
    for j in range(min(p[PAT_N_LINES], FETCHED_AHEAD)):
        prefetch_tables(m, sm, origin + p[PAT_LINES + j])


@jit
def load_global(m, c, index, w, block, sm, on, t, count):
    """LDG: count it, find its data; returns the tick it is there, or -1."""
    address = m.scratch[S.ADDRESSES]
    global_addresses(m, c, w, address)
    p, origin = coalesce(m.patterns[index], address, on, c[I.WIDTH], False, packed(m), m.scratch)
    array = array_touched(m, c, p, origin, index, w, block, address, on)
    if array < 0:
        return array
    n = p[PAT_N_LINES]
    tags = find_lines(m, sm, p, origin, m.scratch[0])
    prefetch_below(m, index, sm, p, origin)
    waves = p[PAT_WAVES]
    lanes = popcount(on)
    count[C.LD_REQ] += 1
    count[C.LD_SECTORS] += p[PAT_N_SECTORS]
    count[C.LD_TAGS] += tags
    count[C.LD_WAVES] += waves
    count[C.LINES] += n
    note_access(m, index, array, p, p[PAT_N_SECTORS], lanes * c[I.WIDTH], LOADS)
    if not c[I.LIGHT]:
        if not m.bounds[array, S.HELD]:
            return refuse_stray(m, index, on, block, address, w)
        load_values(m, c, index, w, block, address, on, p[PAT_STEP])
    if m.shape[S.TIMELESS] or m.bounds[array, S.FREE]:
        return t
    passes = ideal_wavefronts(on, c[I.WIDTH])
    spared = goes_for_nothing(m)
    if spared and m.shape[S.WITHOUT] & S.BY_ROUNDS:
        return t
    begin = t if spared else take_tags(m, sm, t, tags * S.TICKS, waves * S.TICKS)
    done = read_lines(m, c, index, w, p, array, sm, origin, passes, begin, count)
    return t if spared else done


@inline
def send_write(m, sm, line, sectors, words, before, t):
    """Write sectors of a line through to L2; ``words`` of it change, a bit each, and it goes along with ``before``."""
    post_request(m, sm, WRITE, line, sectors, t, before, words)


@inline
def written_before(m, sm, row, line, arrives, begins):
    """Sectors of a line, which its SM still holds to be written, that a store goes along with; 0: none."""
    at = find_line(m, sm, WRITES, row, line, arrives, begins)
    return take_out(m, at)[0] if at >= 0 else np.int64(0)


@jit
def store_global(m, c, index, w, block, sm, on, t, count):
    """STG: count it and write through to L2."""
    address = m.scratch[S.ADDRESSES]
    global_addresses(m, c, w, address)
    p, origin = coalesce(m.patterns[index], address, on, c[I.WIDTH], False, packed(m), m.scratch)
    array = array_touched(m, c, p, origin, index, w, block, address, on)
    if array < 0:
        return array
    n = p[PAT_N_LINES]
    tags = find_lines(m, sm, p, origin, m.scratch[0])
    lanes = popcount(on)
    count[C.ST_REQ] += 1
    count[C.ST_TAGS] += tags
    count[C.ST_SECTORS] += p[PAT_N_SECTORS]
    count[C.ST_WAVES] += p[PAT_WAVES]
    count[C.LINES] += n
    note_access(m, index, array, p, p[PAT_N_SECTORS], lanes * c[I.WIDTH], STORES)
    if not c[I.LIGHT]:
        store_values(m, c, w, address, on, p[PAT_STEP])
    elif m.bounds[array, S.HELD]:
        return refuse_stray(m, index, on, block, address, w)
    if m.shape[S.TIMELESS] or m.bounds[array, S.FREE]:
        return t
    waves = p[PAT_WAVES]
    begin = take_tags(m, sm, t, tags * S.TICKS, waves * S.TICKS)
    passes = max(begin, m.sms[sm, S.LSU] - waves * S.TICKS)
    rows = m.scratch[0]
    at_instruction(m, sm, w, index, array)
    row, narrow = np.int64(0), np.int64(c[I.WIDTH] < 4)
    for j in range(n):
        line, sectors, words = origin + p[PAT_LINES + j], p[PAT_SECTORS + j], p[PAT_WORDS + j]
        if j == 0 or not has_room(m, row, sectors):
            row = open_request(m, sm, WRITES, w, narrow)
        passed = begin + j * S.TICKS
        full, before = full_sectors(words) & sectors, written_before(m, sm, row, line, t, passed)
        more = sectors & ~before
        sent = send_out(m, sm, passes, popcount(full & more), popcount(more & ~full), before)
        add_line(m, row, line, before | sectors, sent, passed + m.rates[S.SEND_ALONG])
        until = sent + m.rates[S.OUT_LASTS] if n == S.LANES else np.int64(0)
        l1_write(m, sm, rows[j], line, sectors, full, words, c[I.CACHE] == I.CS, begin, until)
        send_write(m, sm, line, sectors, words, before, sent)
    return begin
