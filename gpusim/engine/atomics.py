"""What an atomic operation leaves in a word."""

from __future__ import annotations

import numpy as np

from gpusim.engine import fields as I
from gpusim.engine.jit import jit

ONE = np.uint32(1)


@jit
def atomic_value(kind, flags, old, value, other, bits):
    """New contents of a word; ``other``: what compare-and-swap puts there; ``bits`` is scratch."""
    if flags & I.IS_FLOAT and kind <= I.MAX:
        bits[0], bits[1] = old, value
        pair = bits.view(np.float32)
        pair[0] = (
            pair[0] + pair[1] if kind == I.ADD else min(pair[0], pair[1]) if kind == I.MIN else max(pair[0], pair[1])
        )
        return bits[0]
    less = old < value if flags & I.UNSIGNED else np.int32(old) < np.int32(value)
    if kind == I.ADD:
        return np.uint32(old + value)
    if kind == I.MIN:
        return old if less else value
    if kind == I.MAX:
        return value if less else old
    if kind == I.AND:
        return old & value
    if kind == I.OR:
        return old | value
    if kind == I.XOR:
        return old ^ value
    if kind == I.CAS:
        return other if old == value else old
    if kind == I.INC:
        return np.uint32(0) if old >= value else np.uint32(old + ONE)
    if kind == I.DEC:
        return value if old == 0 or old > value else np.uint32(old - ONE)
    return value
