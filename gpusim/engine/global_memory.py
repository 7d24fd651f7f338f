"""Global loads, stores and atomics of one warp: checked, counted, timed, and their values moved."""

from __future__ import annotations

import numpy as np

from gpusim.engine import counts as C
from gpusim.engine import errors as E
from gpusim.engine import fields as I
from gpusim.engine import state as S
from gpusim.engine.access import coalesce, tag_wavefronts
from gpusim.engine.operands import at
from gpusim.engine.atomics import atomic_value
from gpusim.engine.faults import fail, first_row
from gpusim.engine.flow import popcount
from gpusim.engine.jit import inline, jit
from gpusim.engine.memory import l1_read, l2_write

ONE = np.uint32(1)


@inline
def global_addresses(m, c, w, address):
    """64-bit lane addresses of a global access."""
    base = first_row(m, w)
    lo, hi = m.regs[at(c[I.A], base)], m.regs[at(c[I.A], base) + 1]
    offset = np.int64(c[I.OFFSET])
    for lane in range(S.LANES):
        address[lane] = ((np.int64(hi[lane]) << 32) | np.int64(lo[lane])) + offset


@jit
def check_global(m, c, index, w, block, address, on):
    """Bounds and alignment of every lane that takes part."""
    array, width = c[I.ARRAY], np.int64(c[I.WIDTH])
    lo, hi = m.bounds[array, 0], m.bounds[array, 1]
    bad = False
    for lane in range(S.LANES):
        active = ((on >> np.uint32(lane)) & ONE) != 0
        a = address[lane]
        bad |= active & ((a < lo) | (a + width > hi) | ((a & (width - 1)) != 0))
    if not bad:
        return True
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            a = address[lane]
            if a < lo or a + width > hi:
                return fail(m, E.GLOBAL_BOUNDS, index, lane, block, a - lo, w)
            if a & (width - 1):
                return fail(m, E.MISALIGNED, index, lane, block, a - lo, w)
    return True


@jit
def load_values(m, c, index, w, block, address, on):
    """Move what a global load reads into registers."""
    base = first_row(m, w)
    width = c[I.WIDTH]
    halves, octets = m.data.view(np.uint16), m.data.view(np.uint8)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        byte = address[lane] - S.GLOBAL_BASE
        if width < 4:
            m.regs[at(c[I.DST], base), lane] = np.uint32(octets[byte] if width == 1 else halves[byte >> 1])
        for k in range(width >> 2):
            m.regs[at(c[I.DST], base) + k, lane] = m.data[(byte >> 2) + k]
        if m.shape[S.CHECKED]:
            for k in range(max(width >> 2, 1)):
                if not m.written[(byte >> 2) + k]:
                    fail(m, E.UNWRITTEN_GLOBAL, index, lane, block, address[lane] - m.bounds[c[I.ARRAY], 0], w)


@jit
def store_values(m, c, w, address, on):
    """Move registers to global memory."""
    base = first_row(m, w)
    width = c[I.WIDTH]
    halves, octets = m.data.view(np.uint16), m.data.view(np.uint8)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        byte = address[lane] - S.GLOBAL_BASE
        if width == 1:
            octets[byte] = np.uint8(m.regs[at(c[I.B], base), lane] & np.uint32(0xFF))
        elif width == 2:
            halves[byte >> 1] = np.uint16(m.regs[at(c[I.B], base), lane] & np.uint32(0xFFFF))
        for k in range(width >> 2):
            m.data[(byte >> 2) + k] = m.regs[at(c[I.B], base) + k, lane]
        if m.shape[S.CHECKED]:
            for k in range(max(width >> 2, 1)):
                m.written[(byte >> 2) + k] = 1


@inline
def load_global(m, c, index, w, block, sm, on, t, count):
    """LDG: count it, find its data; returns the tick it is there, or -1."""
    address = m.scratch[33]
    global_addresses(m, c, w, address)
    if not check_global(m, c, index, w, block, address, on):
        return np.int64(-1)
    p = m.patterns[index]
    origin = coalesce(p, address, on, c[I.WIDTH], False, m.scratch)
    n = p[S.PAT_N_LINES]
    tags = tag_wavefronts(p[S.PAT_LINES :], origin, n, m.rates[S.HASH0], m.rates[S.HASH1])
    waves = p[S.PAT_WAVES]
    lanes = popcount(on)
    count[C.LD_REQ] += 1
    count[C.LD_SECTORS] += p[S.PAT_N_SECTORS]
    count[C.LD_TAGS] += tags
    count[C.LD_WAVES] += waves
    count[C.LINES] += n
    a = m.arrays[c[I.ARRAY]]
    a[C.A_LD_REQ] += 1
    a[C.A_LD_SECTORS] += p[S.PAT_N_SECTORS]
    a[C.A_LD_BYTES] += lanes * c[I.WIDTH]
    if not c[I.LIGHT]:
        load_values(m, c, index, w, block, address, on)
    if m.shape[S.TIMELESS]:
        return t
    begin = max(t, m.sms[sm, S.LSU])
    m.sms[sm, S.LSU] = max(m.sms[sm, S.LSU], m.sms[sm, S.NOW]) + max(max(tags, waves) * S.TICKS, m.rates[S.LSU_RATE])
    done = begin
    for j in range(n):
        line, wanted = origin + p[S.PAT_LINES + j], p[S.PAT_SECTORS + j]
        back, hit = l1_read(m, sm, line, wanted, c[I.CACHE] == I.CG, begin + (j // 4) * S.TICKS, count)
        count[C.LD_HIT] += hit
        done = max(done, back)
    return done


@inline
def send_write(m, sm, line, sectors, t, count):
    """Write sectors of a line through to L2."""
    m.misc[S.STAMP] += 1
    l2_write(m.l2, m.servers, m.rates, m.shape, m.sms[sm, S.HALF], line, sectors, t, m.misc[S.STAMP], count)


@inline
def store_global(m, c, index, w, block, sm, on, t, count):
    """STG (and RED): count it and write through to L2."""
    address = m.scratch[33]
    global_addresses(m, c, w, address)
    if not check_global(m, c, index, w, block, address, on):
        return np.int64(-1)
    p = m.patterns[index]
    origin = coalesce(p, address, on, c[I.WIDTH], False, m.scratch)
    n = p[S.PAT_N_LINES]
    lanes = popcount(on)
    count[C.ST_REQ] += 1
    count[C.ST_SECTORS] += p[S.PAT_N_SECTORS]
    count[C.ST_WAVES] += p[S.PAT_WAVES]
    count[C.LINES] += n
    a = m.arrays[c[I.ARRAY]]
    a[C.A_ST_REQ] += 1
    a[C.A_ST_SECTORS] += p[S.PAT_N_SECTORS]
    a[C.A_ST_BYTES] += lanes * c[I.WIDTH]
    if not c[I.LIGHT]:
        store_values(m, c, w, address, on)
    if m.shape[S.TIMELESS]:
        return t
    tags = tag_wavefronts(p[S.PAT_LINES :], origin, n, m.rates[S.HASH0], m.rates[S.HASH1])
    m.sms[sm, S.LSU] = max(m.sms[sm, S.LSU], m.sms[sm, S.NOW]) + max(
        max(tags, p[S.PAT_WAVES]) * S.TICKS, m.rates[S.LSU_RATE]
    )
    for j in range(n):
        send_write(m, sm, origin + p[S.PAT_LINES + j], p[S.PAT_SECTORS + j], t, count)
    return max(t, m.sms[sm, S.LSU])


@jit
def atomic_global(m, c, index, w, block, sm, on, t, count):
    """ATOMG/RED on 32-bit words: done at L2, lane by lane in order."""
    base = first_row(m, w)
    address = m.scratch[33]
    global_addresses(m, c, w, address)
    if not check_global(m, c, index, w, block, address, on):
        return np.int64(-1)
    count[C.INST_ATOM] += 1
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE and not c[I.LIGHT]:
            word = (address[lane] - S.GLOBAL_BASE) >> 2
            old = m.data[word]
            m.data[word] = atomic_value(
                c[I.SUB], c[I.FLAGS], old, m.regs[at(c[I.B], base), lane], m.regs[at(c[I.C_], base), lane], m.bits[1]
            )
            if m.shape[S.CHECKED]:
                m.written[word] = 1
            if c[0] == I.ATOMG:
                m.regs[at(c[I.DST], base), lane] = old
    if m.shape[S.TIMELESS]:
        return t
    p = m.patterns[index]
    origin = coalesce(p, address, on, c[I.WIDTH], False, m.scratch)
    for j in range(p[S.PAT_N_LINES]):
        send_write(m, sm, origin + p[S.PAT_LINES + j], p[S.PAT_SECTORS + j], t, count)
    return t + m.rates[S.L2_NEAR]
