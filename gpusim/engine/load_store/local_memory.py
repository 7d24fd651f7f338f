"""Local memory: a stretch of its own for each thread, its traffic that of a line a word and warp.

The word at one offset lies side by side for the 32 threads of a warp, so an access by
all of them to one offset is one 128-byte line.  Lines are numbered by the warp's place on the
machine and cached like global ones, beyond the buffers.  Assumed, not measured: a store puts its
sectors into L1 (and through to L2), so that what was spilled is found there.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at
from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.hierarchy.access_patterns import gather_lines
from gpusim.engine.hierarchy.l1 import l1_read, l1_row, l1_write
from gpusim.engine.hierarchy.outbox import asked_so_far, at_instruction, done_at, is_pending
from gpusim.engine.load_store.buffers import short_addresses
from gpusim.engine.load_store.global_memory import extend, send_write
from gpusim.engine.load_store.pipe import take_tags
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail, first_row
from gpusim.engine.state.geometry import ALL_WORDS, LINE_BITS

ONE = np.uint32(1)


@cold
def check_local(m, index, w, block, address, on, width):
    """Bounds and alignment."""
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        a = address[lane]
        if a + width > m.shape[S.LOCAL_BYTES]:
            return fail(m, E.LOCAL_BOUNDS, index, lane, block, a, w)
        if a & (width - 1):
            return fail(m, E.LOCAL_MISALIGNED, index, lane, block, a, w)
    return True


@jit
def access_local(m, c, op, index, w, block, sm, on, t, count):
    """LDL, STL; returns the tick its data is there, or -1.  Each word a lane is a request of its own."""
    address, loads, width = m.scratch[S.ADDRESSES], op == I.LDL, np.int64(c[I.WIDTH])
    short_addresses(m.regs, first_row(m, w), c[I.A], c[I.C_], c[I.SUB], c[I.OFFSET], address)
    if not check_local(m, index, w, block, address, on, width):
        return S.FAILURE
    if not c[I.LIGHT]:
        move_local(m, c, loads, w, address, on)
    if m.shape[S.WITHOUT] & S.NO_SPILLS:
        return t
    done, words, first = t, max(width >> 2, 1), asked_so_far(m, sm)
    count[C.LOCAL_LD_REQ if loads else C.LOCAL_ST_REQ] += words
    for k in range(words):
        done = max(done, word_traffic(m, k, loads, w, sm, address, on, t, count))
    return done_at(m, sm, first, done) if loads else done


@inline
def word_traffic(m, k, loads, w, sm, address, on, t, count):
    """Lines that the ``k``-th word of every lane lies in, asked for or written."""
    place, lines, sectors = m.scratch[S.TARGETS], m.scratch[S.ZEROS], m.scratch[0]
    for lane in range(S.LANES):
        word = w * (m.shape[S.LOCAL_BYTES] >> 2) + (address[lane] >> 2) + k
        place[lane] = ((m.shape[S.LOCAL_BASE] + word) << LINE_BITS) | (lane << 2)
    n, n_sectors = gather_lines(place, on, lines, sectors)
    count[C.LOCAL_LD_SECTORS if loads else C.LOCAL_ST_SECTORS] += n_sectors
    count[C.LOCAL_WAVES] += n
    count[C.LINES] += n
    if m.shape[S.TIMELESS]:
        return t
    begin = take_tags(m, sm, t, n * S.TICKS, n * S.TICKS)
    done = begin
    at_instruction(m, sm, w, np.int64(-1), np.int64(-1))
    for j in range(n):
        if loads:
            back, hit = l1_read(m, sm, l1_row(m, sm, lines[j]), lines[j], sectors[j], ALL_WORDS, False, begin, count)
            count[C.LOCAL_LD_HIT] += hit
            done = done if is_pending(back) else max(done, back)
        else:
            l1_write(m, sm, l1_row(m, sm, lines[j]), lines[j], sectors[j], sectors[j], ALL_WORDS, False, begin, 0)
            send_write(m, sm, lines[j], sectors[j], ALL_WORDS, np.int64(0), t)
    return done


@jit
def move_local(m, c, loads, w, address, on):
    """The values of a local access."""
    base, mine, width = first_row(m, w), m.local[w], c[I.WIDTH]
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        word, shift = address[lane] >> 2, np.uint32(8 * (address[lane] & 3))
        part = np.uint32(0xFF if width == 1 else 0xFFFF)
        if width < 4 and loads:
            value = (mine[word, lane] >> shift) & part
            m.regs[at(c[I.DST], base), lane] = extend(value, width) if c[I.FLAGS] & I.SIGNED else value
        elif width < 4:
            value = np.uint32((m.regs[at(c[I.B], base), lane] & part) << shift)
            mine[word, lane] = (mine[word, lane] & ~np.uint32(part << shift)) | value
        for k in range(width >> 2):
            if loads:
                m.regs[at(c[I.DST], base) + k, lane] = mine[word + k, lane]
            else:
                mine[word + k, lane] = m.regs[at(c[I.B], base) + k, lane]
