"""Arithmetic and comparisons on pairs of fp16 or bf16, each half rounded once."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.half import from_half, narrowed
from gpusim.engine.alu.operands import (
    FULL,
    HIGH,
    MAGNITUDE,
    SIGN,
    TURNED,
    WORD,
    canonical,
    combine,
    holds,
    negated,
    predicate,
    put,
    put_real,
    set_predicate,
    word,
)
from gpusim.engine.alu.rounding import clamped, lost, odd, ordered, single_odd, sum_odd
from gpusim.engine.alu.setp import compared
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lanes import F32, F64, U32, cast, lanes_of, magnitude, select, splat, view
from gpusim.engine.state import fields as I


def packed(c, u, base, preds, scratch, on):
    """Dispatch by opcode."""
    op = c[0]
    if op == I.HFMA2 or op == I.HADD2 or op == I.HMUL2:
        if op == I.HADD2 and c[I.FLAGS] & I.F32_RESULT:
            put_real(c, u, base, canonical(half_of(c, u, base, 0, 0) + half_of(c, u, base, 1, 0)), on)
        else:
            put(c, u, base, fused_half(c, u, base, 0) | (fused_half(c, u, base, 1) << 16), on)
    elif op == I.HMNMX2:
        put(c, u, base, extreme_half(c, u, base, preds, 0) | (extreme_half(c, u, base, preds, 1) << 16), on)
    elif op == I.HSETP2:
        hsetp2(c, u, base, preds, on)
    elif op == I.HSET2:
        hset2(c, u, base, preds, on)


@jit
def half_of(c, u, base, which, side):
    """What a source gives the lower (``side`` 0) or upper (1) half of the result, as fp32."""
    n, pick = word(c, u, base, which), (c[I.MODS] >> (6 + 3 * which)) & 7
    size = (c[I.MODS] >> (3 + which)) & 1
    if pick == WORD:
        return view((n & (MAGNITUDE if size else FULL)) ^ (negated(c, which) & SIGN), F32)
    turned, sign = pick == TURNED, negated(c, which)
    upper = pick == HIGH or (pick == 0 and side == 1) or (turned and side == 0)
    h = (n >> np.uint32(16 if upper else 0)) & (0x7FFF if size else 0xFFFF)
    if turned and upper:
        sign ^= FULL
    return flushed_half(c, from_half(h ^ (sign & np.uint32(0x8000)), c[I.FLAGS] & I.BF16_FLAG))


@inline
def flushed_half(c, x):
    """Subnormal values of the format as zeros of their sign, if asked for."""
    if c[I.FLAGS] & I.FTZ:
        least = np.float32(2.0**-126) if c[I.FLAGS] & I.BF16_FLAG else np.float32(2.0**-14)
        x = view(select(magnitude(x) < least, view(x, U32) & SIGN, view(x, U32)), F32)
    return x


@jit
def fused_half(c, u, base, side):
    """One half of a * b + c (HADD2: a * 1 + b), rounded once."""
    x = half_of(c, u, base, 0, side)
    if c[0] == I.HADD2:
        y, z = splat(1.0, F32), half_of(c, u, base, 1, side)
    elif c[0] == I.HMUL2:
        y, z = half_of(c, u, base, 1, side), splat(-0.0, F32)
    else:
        y, z = half_of(c, u, base, 1, side), half_of(c, u, base, 2, side)
    if c[I.FLAGS] & I.BF16_FLAG:
        r = single_odd(sum_odd(cast(x, F64) * cast(y, F64), cast(z, F64)))
    else:  # fp32 holds a product of two fp16, and what its sum with a third one lacks
        p = x * y
        s = p + z
        e = lost(p, z, s)
        r = odd(s, e > 0, e < 0)
    if c[I.FLAGS] & I.SAT:
        r = clamped(r)
    if c[I.FLAGS] & I.RELU:
        r = select(r <= 0, np.float32(0), r)
    return narrowed(flushed_half(c, r), kind_of(c), I.ROUND_NEAREST, False)


@inline
def kind_of(c):
    """The format of the halves, as :class:`Convert` numbers it."""
    return I.BF16 if c[I.FLAGS] & I.BF16_FLAG else I.F16


@jit
def extreme_half(c, u, base, preds, side):
    """One half of the minimum or maximum, of three where ``sub`` says so."""
    r = extreme(c, preds, half_of(c, u, base, 0, side), half_of(c, u, base, 1, side))
    if c[I.SUB] & I.THIRD:
        r = extreme(c, preds, r, half_of(c, u, base, 2, side))
    return narrowed(r, kind_of(c), I.ROUND_NEAREST, False)


@inline
def extreme(c, preds, x, y):
    """The smaller one where p0 holds, else the larger one; a NaN operand gives the other one."""
    first = (ordered(x) < ordered(y)) ^ ~holds(preds, c[I.P0])
    r = select((first | (y != y)) & (x == x), x, y)
    if c[I.FLAGS] & I.NAN_FLAG:
        r = select(x != x, x, select(y != y, y, r))
    return r


@jit
def compared_half(c, u, base, side):
    """Lanes for which the comparison of one half holds."""
    return compared(half_of(c, u, base, 0, side), half_of(c, u, base, 1, side), c[I.SUB])


@jit
def hsetp2(c, u, base, preds, on):
    """q0 from the lower halves, q1 from the upper ones."""
    other, how = predicate(preds, c[I.P0]), (c[I.SUB] >> 4) & 3
    low, high = compared_half(c, u, base, 0), compared_half(c, u, base, 1)
    set_predicate(preds, c[I.Q0], combine(low, other, how), on)
    set_predicate(preds, c[I.Q1], combine(high, other, how), on)


@jit
def hset2(c, u, base, preds, on):
    """Both comparisons as numbers in the halves of d."""
    other, how = predicate(preds, c[I.P0]), (c[I.SUB] >> 4) & 3
    one = 0xFFFF
    if c[I.FLAGS] & I.ONE:
        one = 0x3F80 if c[I.FLAGS] & I.BF16_FLAG else 0x3C00
    low = np.uint32(combine(compared_half(c, u, base, 0), other, how))
    high = np.uint32(combine(compared_half(c, u, base, 1), other, how))
    value = select(lanes_of(low), splat(one, U32), 0) | select(lanes_of(high), splat(one << 16, U32), 0)
    put(c, u, base, value, on)
