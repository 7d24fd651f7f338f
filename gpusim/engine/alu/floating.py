"""fp32 and fp64 arithmetic: 32 lanes at once, rounded once."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import canonical, double, flushed, holds, put_pair, put_real, real
from gpusim.engine.alu.rounding import clamped, lacking, nudged, ordered, single, sum_odd
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lanes import F64, U64, cast, fma, raw, select, splat, view
from gpusim.engine.state import fields as I

_QUIET = np.uint64(1 << 51)


@inline
def finished(c, x):
    """An fp32 result as its flags want it."""
    x = canonical(x)
    if c[I.FLAGS] & I.FTZ:
        x = flushed(x)
    if c[I.FLAGS] & I.SAT:
        x = clamped(x)
    return x


def arithmetic(c, u, base, preds, scratch, on):
    """FADD, FMUL, FFMA."""
    put_real(c, u, base, finished(c, directed(c, u, base)), on)


@inline
def nearest(c, u, base):
    """FADD, FMUL or FFMA rounded to nearest."""
    op = c[0]
    x, y = real(c, u, base, 0), real(c, u, base, 1)
    if op == I.FFMA:
        r = fma(x, y, real(c, u, base, 2))
    elif op == I.FADD:
        r = x + y
    else:
        r = x * y
    return r


@jit
def directed(c, u, base):
    """FADD, FMUL or FFMA in any rounding: fp64 holds the product, and its sum is rounded to odd first."""
    op, how = c[0], (c[I.SUB] >> 4) & 3
    if c[I.SUB] == I.ROUND_NEAREST:  # and no product is scaled
        return nearest(c, u, base)
    x, y = cast(real(c, u, base, 0), F64), cast(real(c, u, base, 1), F64)
    if op == I.FMUL:
        return single(x * y * splat(scale(c), F64), how)
    if op == I.FADD:
        p, q = x, y
    else:
        p, q = x * y, cast(real(c, u, base, 2), F64)
    return single(signed_zero(sum_odd(p, q), p, q, how), how)


@inline
def scale(c):
    """What a product is multiplied by before it is rounded: a power of two between 1/8 and 8."""
    power = c[I.SUB] & 15
    return 2.0 ** (power - 16 if power > 8 else power)


@inline
def signed_zero(s, p, q, how):
    """A sum of nothing is -0 when rounding down, unless both are +0."""
    if how == I.ROUND_DOWN:
        either = view(raw(p) | raw(q), U64) & np.uint64(1 << 63)
        s = select(s == 0, view(either, F64), s)
    return s


def fmnmx(c, u, base, preds, scratch, on):
    """Minimum where p0 holds, else maximum; of three where ``sub`` says so."""
    r = extreme(c, preds, real(c, u, base, 0), real(c, u, base, 1))
    if c[I.SUB] & I.THIRD:
        r = extreme(c, preds, r, real(c, u, base, 2))
    put_real(c, u, base, canonical(r), on)


@inline
def extreme(c, preds, x, y):
    """The smaller one where p0 holds, else the larger; -0 is less than +0, and a NaN operand gives the other one."""
    first = (ordered(x) < ordered(y)) ^ ~holds(preds, c[I.P0])
    r = select((first | (y != y)) & (x == x), x, y)
    return select(x != x, x, select(y != y, y, r)) if c[I.FLAGS] & I.NAN_FLAG else r


# ------------------------------------------------------------------ fp64


def fsel(c, u, base, preds, scratch, on):
    """D = p ? a : b."""
    put_real(c, u, base, select(holds(preds, c[I.P0]), real(c, u, base, 0), real(c, u, base, 1)), on)


def doubles(c, u, base, preds, scratch, on):
    """DADD, DMUL, DFMA."""
    op, how = c[0], (c[I.SUB] >> 4) & 3
    x, y = double(c, u, base, 0), double(c, u, base, 1)
    if op == I.DMUL:  # a zero of the product's sign leaves it as it is
        z = view((view(x, U64) ^ view(y, U64)) & np.uint64(1 << 63), F64)
    elif op == I.DADD:
        z, y = y, splat(1.0, F64)
    else:
        z = double(c, u, base, 2)
    r = fma(x, y, z)
    if how != I.ROUND_NEAREST:
        r = directed_double(x, y, z, r, how)
    put_pair(c, u, base, with_nan(x, y, z, r), on)


@jit
def directed_double(x, y, z, r, how):
    """``r`` = x * y + z, rounded to nearest, rounded as asked for."""
    e = lacking(x, y, z, r)
    s = select(e == 0, signed_zero(r, x * y, z, how), r)
    return nudged(s, e > 0, e < 0, how)


@inline
def with_nan(x, y, z, r):
    """Bits of ``r``, where it is NaN those of the first operand that is one, made quiet, or the hardware's own."""
    n = select(r != r, np.uint64(0xFFF8 << 48), view(r, U64))
    n = select(z != z, view(z, U64) | _QUIET, n)
    n = select(y != y, view(y, U64) | _QUIET, n)
    return select(x != x, view(x, U64) | _QUIET, n)
