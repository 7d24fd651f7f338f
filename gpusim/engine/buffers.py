"""Which buffer an address belongs to: known from the code, or found when it runs."""

from __future__ import annotations

import numpy as np

from gpusim.engine import errors as E
from gpusim.engine import fields as I
from gpusim.engine import state as S
from gpusim.engine.access import within
from gpusim.engine.faults import fail
from gpusim.engine.jit import inline, jit
from gpusim.engine.operands import at

ONE = np.uint32(1)


@jit
def find_array(bounds, n, a, width):
    """Array that holds bytes ``a`` to ``a + width``, or -1; ``n``: global arrays, in the order of column 2."""
    low, high = 0, n - 1
    while low <= high:
        middle = (low + high) >> 1
        k = bounds[middle, 2]
        if a < bounds[k, 0]:
            high = middle - 1
        elif a >= bounds[k, 1]:
            low = middle + 1
        else:
            return k if a + width <= bounds[k, 1] else np.int64(-1)
    return np.int64(-1)


@inline
def array_at(bounds, n, p, a, width):
    """Array that holds address ``a``, tried first the one of last time.  Any array where none does."""
    k = p[S.PAT_ARRAY]
    if a < bounds[k, 0] or a >= bounds[k, 1]:
        k = max(find_array(bounds, n, a, width), 0)
        p[S.PAT_ARRAY] = k
    return k


@jit
def allow(m, c, index, w, block, address, on):
    """Look at each lane of an access that leaves one array: fails, or it lies in several arrays.

    An access whose array is known must stay inside it.
    """
    array, width = c[I.ARRAY], np.int64(c[I.WIDTH])
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        a = address[lane]
        inside = find_array(m.bounds, m.shape[S.N_BUFFERS], a, width) >= 0
        if array >= 0:
            inside = m.bounds[array, 0] <= a and a + width <= m.bounds[array, 1]
        if not inside:
            return fail(m, E.GLOBAL_BOUNDS, index, lane, block, a, w)
        if a & (width - 1):
            return fail(m, E.MISALIGNED, index, lane, block, a, w)
    return True


@inline
def array_touched(m, c, p, origin, index, w, block, address, on):
    """Array an access counts for, that of its first active lane; -1 if it is refused.

    ``p``: row of the pattern just worked out, relative to line ``origin``.
    """
    array, width = np.int64(c[I.ARRAY]), np.int64(c[I.WIDTH])
    if array < 0:
        array = array_at(m.bounds, m.shape[S.N_BUFFERS], p, (origin << 7) + p[S.PAT_FIRST], width)
    if within(p, origin, width, m.bounds[array, 0], m.bounds[array, 1]):
        return array
    return array if allow(m, c, index, w, block, address, on) else np.int64(-1)


@jit
def wide_addresses(regs, base, row, other, offset, narrow, address):
    """64-bit lane addresses: a register pair (or one register), a 64-bit base unless it is absent, an offset."""
    lo, hi = regs[at(row, base)], regs[at(row, base) + (0 if narrow else 1)]
    more, most = regs[at(other, base)], regs[at(other, base) + 1]
    for lane in range(S.LANES):
        a = np.int64(lo[lane])
        if not narrow:
            a |= np.int64(hi[lane]) << 32
        address[lane] = a + ((np.int64(most[lane]) << 32) | np.int64(more[lane])) + np.int64(offset)


@jit
def short_addresses(regs, base, row, other, shift, offset, address):
    """32-bit lane addresses: a register shifted left, a base unless it is absent, an offset."""
    a, more = regs[at(row, base)], regs[at(other, base)]
    for lane in range(S.LANES):
        value = (np.int64(a[lane]) << np.int64(shift)) + np.int64(more[lane]) + np.int64(offset)
        address[lane] = value & 0xFFFFFFFF
