"""Rounding as asked for: what a rounded value lacks of the exact one decides which neighbour it becomes.

Rounding first to odd (to the neighbour whose last bit is set, unless exact) and then to a format at least two
bits narrower gives what rounding once would have given (Boldo and Melquiond, 2008).
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lanes import (
    F32,
    F64,
    I64,
    U32,
    cast,
    ceil,
    cooked,
    floor,
    fma,
    magnitude,
    raw,
    rint,
    select,
    splat,
    trunc,
    view,
)
from gpusim.engine.state import fields as I


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
def apart(x):
    """fp64 values as one with its sign in [1, 2), or 0, and an exponent."""
    small = magnitude(x) < 2.0**-1022
    n = raw(select(small, x * 2.0**54, x))
    exponent = ((n >> 52) & 2047) - (1023 + 54 * cast(small, I64))
    return select(x == 0, x, cooked((n & ~np.int64(2047 << 52)) | (1023 << 52))), exponent


@inline
def scaled(x, unit):
    """``x`` divided by 2**unit, which must not change it by more than 200 binary orders; else by so many."""
    m, exponent = apart(x)
    exponent = exponent - unit
    exponent = select(exponent > 200, 200, select(exponent < -200, -200, exponent))
    return m * cooked((exponent + 1023) << 52)


@jit
def lacking(x, y, z, r):
    """Something of the sign of what ``r``, x * y + z rounded to nearest, lacks of the exact value.

    Everything is divided by the product's power of two, so that nothing is lost below the smallest number; what is
    further than 200 binary orders from the product can only matter by its sign.
    """
    (mx, ex), (my, ey) = apart(x), apart(y)
    p = mx * my
    error, unit = fma(mx, my, -p), ex + ey
    e = sign_of_sum(p, error, scaled(z, unit), -scaled(r, unit))
    finite = ((x - x) == 0) & ((y - y) == 0) & ((z - z) == 0)
    return select(finite, select(magnitude(r) == np.inf, -r, e), 0)


@inline
def sign_of_sum(a, b, z, r):
    """Something of the sign of a + b + z + r, exactly: sums without error, largest part first (Shewchuk, 1997)."""
    s = a + z
    s_rest = lost(a, z, s)
    t = s + r
    t_rest = lost(s, r, t)
    h = b + s_rest
    h0 = lost(b, s_rest, h)
    k = h0 + t_rest
    k0 = lost(h0, t_rest, k)
    n = k + h
    k1 = lost(k, h, n)
    u = k0 + t
    u0 = lost(k0, t, u)
    v = u + k1
    u1 = lost(u, k1, v)
    w = v + n
    u2 = lost(v, n, w)
    return select(w != 0, w, select(u2 != 0, u2, select(u1 != 0, u1, u0)))


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
