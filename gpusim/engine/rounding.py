"""Rounding as asked for: what a rounded value lacks of the exact one decides which neighbour it becomes.

Rounding first to odd (to the neighbour whose last bit is set, unless exact) and then to a format at least two
bits narrower gives what rounding once would have given (Boldo and Melquiond, 2008).
"""

from __future__ import annotations

import numpy as np

from gpusim.engine import fields as I
from gpusim.engine.jit import inline, jit
from gpusim.engine.lanes import (
    F32,
    F64,
    U32,
    cast,
    ceil,
    cooked,
    floor,
    magnitude,
    raw,
    rint,
    select,
    splat,
    trunc,
    view,
)


@inline
def lost(a, b, s):
    """What ``s``, the rounded sum of ``a`` and ``b``, lacks of the exact one (Knuth, TwoSum)."""
    v = s - a
    return (a - (s - v)) + (b - v)


@inline
def odd(s, more, less):
    """``s`` rounded to odd: ``more`` and ``less`` say where the exact value is above or below it."""
    n = raw(s)
    step = select(more ^ (n < 0), n + 1, n - 1)
    return cooked(select((more | less) & ((n & 1) == 0), step, n))


@inline
def nudged(s, more, less, how):
    """``s``, rounded to nearest, rounded as asked for instead."""
    n = raw(s)
    if how == I.ROUND_UP:
        n = select(more, select(n < 0, n - 1, n + 1), n)
    elif how == I.ROUND_DOWN:
        n = select(less, select(n < 0, n + 1, n - 1), n)
    elif how == I.ROUND_ZERO:
        n = select(select(n < 0, more, less), n - 1, n)
    return cooked(n)


@jit
def single(x, how):
    """fp64 to fp32."""
    y = cast(x, F32)
    if how == I.ROUND_NEAREST:
        return y
    back = cast(y, F64)
    return nudged(y, back < x, back > x, how)


@jit
def single_odd(x):
    """fp64 to fp32, rounded to odd."""
    y = cast(x, F32)
    back = cast(y, F64)
    return odd(y, back < x, back > x)


@jit
def sum_odd(a, b):
    """``a + b`` in fp64, rounded to odd."""
    s = a + b
    e = lost(a, b, s)
    return odd(s, e > 0, e < 0)


@inline
def whole(x, how):
    """Rounded to a whole number."""
    if how == I.ROUND_DOWN:
        return floor(x)
    if how == I.ROUND_UP:
        return ceil(x)
    if how == I.ROUND_ZERO:
        return trunc(x)
    return rint(x)


@inline
def clamped(x):
    """Values in [0, 1]; NaN gives 0."""
    return select(x > 0, select(x < 1, x, 1), 0)


@inline
def ordered(x):
    """fp32 values as integers in their order, -0 before +0."""
    n = raw(x)
    return n ^ ((n >> 31) & 0x7FFFFFFF)


@jit
def narrow(x, fraction, least, how):
    """fp32 rounded to a narrower format: its bits without the sign, a word each.

    Parameters
    ----------
    x : Lanes of float32
    fraction : int
        Bits of the format's fraction.
    least : int
        Exponent field that fp32 has where the format's is 1.
    how : int
        Rounding.  What is too large comes out larger than the format's largest value.
    """
    n, negative = view(magnitude(x), U32), raw(x) < 0
    exponent = n >> 23
    significand = (n & 0x7FFFFF) | select(exponent > 0, splat(0x800000, U32), 0)
    exponent = select(exponent > 0, exponent, 1)
    short = select(exponent < least, least - exponent, 0) + np.uint32(23 - fraction)
    short = select(short < 31, short, 31)
    kept = significand >> short
    rest, half = significand ^ (kept << short), splat(1, U32) << (short - 1)
    if how == I.ROUND_NEAREST:
        up = (rest > half) | ((rest == half) & ((kept & 1) != 0))
    else:
        up = (rest > 0) & (negative ^ (how == I.ROUND_UP)) & (how != I.ROUND_ZERO)
    above = select(exponent > least, exponent - least, 0) << np.uint32(fraction)
    return above + kept + cast(up, U32)
