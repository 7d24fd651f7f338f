"""MUFU: the special functions, worked out in fp64 and rounded.

As an H200 does, but TANH, they take and give zeros for subnormal values, and SIN and COS cut the argument to
``TURN_BITS`` bits of a revolution.  Its results differ from these by at most 2 ulp; but those of LG2 between 1/2 and 2
by up to 2**-22, of SIN and COS by 2**-21, of TANH by 2**-16 of the value (``tests/cuda/test_instructions.py``).
"""

from __future__ import annotations

import math

import numpy as np

from gpusim.engine.alu.convert import flushed_double, source
from gpusim.engine.alu.half import narrowed
from gpusim.engine.alu.operands import NAN32, canonical, flushed, put, put_real, real
from gpusim.engine.alu.rounding import clamped
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lanes import (
    F32,
    F64,
    U32,
    U64,
    cast,
    cooked,
    floor,
    fma,
    magnitude,
    raw,
    rint,
    select,
    splat,
    sqrt,
    trunc,
    view,
)
from gpusim.engine.state import fields as I

_SHIFT = 1.5 * 2.0**52  # added to a number it leaves its whole part in the low bits
_EXP2 = tuple(math.log(2) ** k / math.factorial(k) for k in reversed(range(11)))
_LOG2 = tuple(2 / math.log(2) / k for k in reversed(range(1, 19, 2)))  # of (m - 1) / (m + 1), its odd powers
_SINE = tuple((-1) ** k * (2 * math.pi) ** (2 * k + 1) / math.factorial(2 * k + 1) for k in reversed(range(8)))
_COSINE = tuple((-1) ** k * (2 * math.pi) ** (2 * k) / math.factorial(2 * k) for k in reversed(range(8)))
TURN_BITS = 25
_ROOT_HALF = 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)
_HALF_OF_LAST = np.uint64(1 << 28)  # of the last bit of an fp32, in the bits of an fp64
_SIGN64 = np.int64(-(1 << 63))


def mufu(c, u, base, preds, scratch, on):
    """The function that ``sub`` names."""
    which, a = c[I.SUB], real(c, u, base, 0)
    if c[I.FLAGS] & I.HALF:
        a = real_half(c, u, base)
    if which == I.RCP64H or which == I.RSQ64H:
        put(c, u, base, upper(view(a, U32), which), on)
        return
    if which != I.TANH:
        a = flushed(a)
    x = cast(a, F64)
    if which == I.RCP:
        y = 1.0 / x
    elif which == I.RSQ:
        y = 1.0 / sqrt(x)
    elif which == I.SQRT:
        y = sqrt(x)
    elif which == I.EX2:
        y = exp2(x)
    elif which == I.LG2:
        y = log2(x)
    elif which == I.TANH:
        y = tanh(x)
    else:
        y = wave(x, which == I.COS)
    r = canonical(cast(y, F32))
    if which != I.TANH or c[I.FLAGS] & I.FTZ:
        r = flushed(r)
    if c[I.FLAGS] & I.SAT:
        r = clamped(r)
    if c[I.FLAGS] & I.HALF:
        put(c, u, base, narrowed(r, format_of(c), I.ROUND_NEAREST, False), on)
    else:
        put_real(c, u, base, r, on)


@jit
def real_half(c, u, base):
    """An fp16 or bf16 source, with the sign or magnitude asked for."""
    return cast(source(c, u, base, 0, format_of(c)), F32)


@inline
def format_of(c):
    """Format of 16 bits that the function is of."""
    return I.BF16 if c[I.FLAGS] & I.BF16_FLAG else I.F16


@jit
def upper(high, which):
    """Upper word of 1/x, or of 1/sqrt(x), of the upper word of x: of a result that has as many bits as an fp32."""
    x = flushed_double(view(cast(high, U64) << 32, F64))
    y = flushed_double(1.0 / (sqrt(x) if which == I.RSQ64H else x))
    return select(y != y, NAN32, cast((view(y, U64) + _HALF_OF_LAST) >> 32, U32))


@inline
def polynomial(x, factors):
    """The polynomial with these factors, that of the highest power first."""
    y = splat(factors[0], F64)
    for k in range(1, len(factors)):
        y = fma(y, x, splat(factors[k], F64))
    return y


@jit
def exp2(x):
    """2**x."""
    near = select(x > 200, 200, select(x < -200, -200, x))
    shifted = near + _SHIFT
    y = polynomial(near - (shifted - _SHIFT), _EXP2)
    return select(x != x, x, cooked(raw(y) + (raw(shifted) << 52)))


@jit
def log2(x):
    """Binary logarithm."""
    exponent = (raw(x) - _ROOT_HALF) >> 52
    m = cooked(raw(x) - (exponent << 52))
    s = (m - 1) / (m + 1)
    y = cast(exponent, F64) + s * polynomial(s * s, _LOG2)
    y = select(x == 0, -np.inf, select(x == np.inf, x, y))
    return select(x >= 0, y, np.nan)


@jit
def wave(x, cosine):
    """Sine or cosine of x revolutions."""
    size = magnitude(x)
    rest = trunc((size - floor(size)) * 2.0**TURN_BITS) * 2.0**-TURN_BITS
    quarter = rint(4 * rest)
    t = rest - 0.25 * quarter
    turns = raw(quarter + _SHIFT) + np.int64(cosine)
    sine, other = t * polynomial(t * t, _SINE), polynomial(t * t, _COSINE)
    y = select((turns & 1) != 0, other, sine)
    sign = (turns & 2) << 62
    if not cosine:
        sign ^= raw(x) & _SIGN64
    return cooked(raw(y) ^ sign)


@jit
def tanh(x):
    """Hyperbolic tangent."""
    y = 1 - 2 / (exp2(x * (2 / math.log(2))) + 1)
    square = x * x
    small = x * (1 - square * (1 / 3 - square * (2 / 15)))
    return select(magnitude(x) < 2.0**-8, small, y)
