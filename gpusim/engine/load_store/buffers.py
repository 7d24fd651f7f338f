"""Which buffer an address belongs to: known from the code, or found when it runs."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at
from gpusim.engine.compiling.bits import first_lane
from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.compiling.lanes import I64, U32, cast, load, pointer, store
from gpusim.engine.hierarchy.access_patterns import PAT_ARRAY, PAT_FIRST, within
from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail
from gpusim.engine.state.geometry import LINE_BITS

ONE = np.uint32(1)


@jit
def find_array(bounds, n, a, width):
    """Array that holds bytes ``a`` to ``a + width``, or -1; ``n``: global arrays, in the order of memory."""
    low, high = 0, n - 1
    while low <= high:
        middle = (low + high) >> 1
        k = bounds[middle, S.IN_ORDER]
        if a < bounds[k, S.FIRST_BYTE]:
            high = middle - 1
        elif a >= bounds[k, S.PAST_END]:
            low = middle + 1
        else:
            return k if a + width <= bounds[k, S.PAST_END] else np.int64(-1)
    return np.int64(-1)


@inline
def array_at(bounds, n, p, a, width):
    """Array that holds address ``a``, tried first the one of last time.  Any array where none does."""
    k = p[PAT_ARRAY]
    if a < bounds[k, S.FIRST_BYTE] or a >= bounds[k, S.PAST_END]:
        k = max(find_array(bounds, n, a, width), 0)
        p[PAT_ARRAY] = k
    return k


@cold
def allow(m, c, index, w, block, address, on):
    """Look at each lane of an access that leaves one array: fails, or it lies in several arrays.

    An access whose array is known must stay inside it.  Of several arrays either all are held or none is.
    """
    array, width, held = c[I.ARRAY], np.int64(c[I.WIDTH]), np.int64(-1)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        a = address[lane]
        k = find_array(m.bounds, m.shape[S.N_BUFFERS], a, width)
        inside = k >= 0
        if array >= 0:
            inside = m.bounds[array, S.FIRST_BYTE] <= a <= m.bounds[array, S.PAST_END] - width
        if not inside:
            return fail(m, E.GLOBAL_BOUNDS, index, lane, block, a, w)
        if a & (width - 1):
            return fail(m, E.MISALIGNED, index, lane, block, a, w)
        if array < 0 and held >= 0 and held != m.bounds[k, S.HELD]:
            return fail(m, E.STRAY, index, lane, block, a, w)
        held = m.bounds[max(k, 0), S.HELD]
    return True


@cold
def refuse_stray(m, index, on, block, address, w):
    """Refuse an access to an array that its address does not come from: it would read what nobody has made.

    Or it would change what others read, without its value being known.
    """
    lane = first_lane(on)
    fail(m, E.STRAY, index, lane, block, address[lane], w)
    return np.int64(S.FAILURE)


@inline
def array_touched(m, c, p, origin, index, w, block, address, on):
    """Array an access counts for, that of its first active lane; -1 if it is refused.

    ``p``: row of the pattern just worked out, relative to line ``origin``.
    """
    array, width = np.int64(c[I.ARRAY]), np.int64(c[I.WIDTH])
    if array < 0:
        array = array_at(m.bounds, m.shape[S.N_BUFFERS], p, (origin << LINE_BITS) + p[PAT_FIRST], width)
    if within(p, origin, width, m.bounds[array, S.FIRST_BYTE], m.bounds[array, S.PAST_END]):
        return array
    return array if allow(m, c, index, w, block, address, on) else np.int64(-1)


@inline
def word_at(regs, row):
    """Lanes of a register."""
    return cast(load(pointer(regs), np.int64(row) * S.LANES, U32), I64)


@inline
def pair_at(regs, row):
    """64-bit lanes of a register pair."""
    return word_at(regs, row + 1) << 32 | word_at(regs, row)


@jit
def wide_addresses(regs, base, row, other, offset, narrow, address):
    """64-bit lane addresses: a register pair (or one register), a 64-bit base unless it is absent, an offset."""
    first = at(row, base)
    a = word_at(regs, first) if narrow else pair_at(regs, first)
    store(pointer(address), np.int64(0), a + pair_at(regs, at(other, base)) + np.int64(offset))


@inline
def own_offset(m, c, slot):
    """What an instruction adds to an address in the shared memory of its own block, as if that had no cluster."""
    return np.int64(c[I.OFFSET]) - m.blocks[slot, S.OWN_WINDOW]


@jit
def short_addresses(regs, base, row, other, shift, offset, address):
    """32-bit lane addresses: a register shifted left, a base unless it is absent, an offset."""
    a, more = word_at(regs, at(row, base)), word_at(regs, at(other, base))
    value = (a << np.int64(shift)) + more + np.int64(offset)
    store(pointer(address), np.int64(0), value & np.int64(0xFFFFFFFF))
