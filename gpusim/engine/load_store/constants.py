"""Loads from constant banks: at addresses known beforehand, or by register.

One unit of an SM reads an address at a time, as it does special registers.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.constant_cache import line_at, line_of, seek
from gpusim.engine.load_store.global_memory import extend
from gpusim.engine.load_store.pipe import take_special
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I

ONE = np.uint32(1)


@inline
def load_constant(c, u, base, on):
    """LDC at an address known beforehand: copy rows of the constant bank."""
    for k in range(max(c[I.WIDTH] >> 2, 1)):
        d, a = u[at(c[I.DST], base) + k], u[at(c[I.B], base) + k]
        for lane in range(S.LANES):
            d[lane] = a[lane] if (on >> np.uint32(lane)) & ONE else d[lane]


@jit
def load_indexed(constants, first, size, c, u, base, on):
    """Bytes of a bank, lane by lane; what lies beyond it reads as 0."""
    a, width = u[at(c[I.A], base)], np.int64(c[I.WIDTH])
    part = min(width, 4)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        start = (np.int64(a[lane]) + np.int64(c[I.OFFSET])) & 0xFFFFFFFF
        for k in range(max(width >> 2, 1)):
            value = np.uint32(0)
            for byte in range(part):
                place = start + 4 * k + byte
                if place < size:
                    value |= np.uint32(np.uint32(constants[first + place]) << np.uint32(8 * byte))
            if width < 4 and c[I.FLAGS] & I.SIGNED:
                value = extend(value, width)
            u[at(c[I.DST], base) + k, lane] = value


@jit
def indexed_at(m, c, a, sm, on, t):
    """Tick at which the last of the addresses in row ``a`` of an LDC is read: each that differs takes a turn."""
    end = t
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        seen = False
        for before in range(lane):
            seen |= (on >> np.uint32(before)) & ONE != 0 and a[before] == a[lane]
        if not seen:
            begin = take_special(m, sm, t, 1)
            line = line_of(c[I.SUB], np.int64(a[lane]) + np.int64(c[I.OFFSET]))
            end = max(end, line_at(m, sm, line, begin))
    return end


@jit
def must_seek(m, c, a, sm, on, t):
    """Whether an SM stands still before an LDC, for lines of constants that it does not hold.

    ``a``: the row with its addresses, where they are not known beforehand.
    """
    own = m.sms[sm]
    if own[S.SOUGHT_AT]:
        return False
    begin = max(t, own[S.SPECIALS])
    if c[I.PIPE] == I.LSU:
        seek(m, sm, line_of(c[I.SUB], c[I.OFFSET]), begin)
    elif c[I.DST] < m.shape[S.UNIFORM]:
        for lane in range(S.LANES):
            if (on >> np.uint32(lane)) & ONE:
                seek(m, sm, line_of(c[I.SUB], np.int64(a[lane]) + np.int64(c[I.OFFSET])), begin)
    return own[S.SEEKS] > 0
