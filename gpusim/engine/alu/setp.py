"""Comparisons: integers, fp32, fp64, and what depends on them alone."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import (
    FULL,
    combine,
    double,
    judge,
    pair,
    predicate,
    put,
    real,
    set_predicate,
    signed,
    word,
)
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lanes import I64, U32, bits, lanes_of, select, splat, view
from gpusim.engine.state import fields as I


def isetp(c, u, base, preds, scratch, on):
    """q0 = (a cmp b) op p0; q1 = !(a cmp b) op p0.  EX: p1 is the lower words' result."""
    a, b, cmp = word(c, u, base, 0), word(c, u, base, 1), c[I.SUB] & 7
    if c[I.WIDTH] == 8:
        judge(c, preds, verdict_on_pairs(c, u, base), on)
        return
    same = bits(a == b)
    less = bits(a < b) if c[I.FLAGS] & I.UNSIGNED else bits(signed(a) < signed(b))
    if c[I.FLAGS] & I.EX:
        lower = np.uint32(predicate(preds, c[I.P1]))
        if cmp == I.NE:
            value = (same ^ FULL) | lower
        else:
            strict = less if cmp == I.LT or cmp == I.LE else (less | same) ^ FULL
            value = (same & lower) | (np.uint32(0) if cmp == I.EQ else strict)
    else:
        value = verdict(cmp, less, same)
    judge(c, preds, np.uint32(value), on)


@jit
def verdict_on_pairs(c, u, base):
    """Lanes for which the comparison holds of 64-bit integers."""
    a, b = pair(c, u, base, 0), pair(c, u, base, 1)
    less = bits(a < b) if c[I.FLAGS] & I.UNSIGNED else bits(view(a, I64) < view(b, I64))
    return verdict(c[I.SUB] & 7, less, bits(a == b))


@inline
def verdict(cmp, less, same):
    """Lanes for which a comparison of integers holds."""
    if cmp == I.LT:
        value = less
    elif cmp == I.LE:
        value = less | same
    elif cmp == I.GT:
        value = (less | same) ^ FULL
    elif cmp == I.GE:
        value = less ^ FULL
    elif cmp == I.EQ:
        value = same
    else:
        value = same ^ FULL
    return np.uint32(value)


@jit
def compared(x, y, sub):
    """Lanes for which a comparison of floats holds; bit 3: as well where one is NaN."""
    nan, cmp = bits((x != x) | (y != y)), sub & 7
    if cmp == I.LT:
        value = bits(x < y)
    elif cmp == I.LE:
        value = bits(x <= y)
    elif cmp == I.GT:
        value = bits(x > y)
    elif cmp == I.GE:
        value = bits(x >= y)
    elif cmp == I.EQ:
        value = bits(x == y)
    elif cmp == I.NE:
        value = np.uint32(bits(x != y) & (nan ^ FULL))
    elif cmp == I.NUM:
        value = np.uint32(nan ^ FULL)
    else:
        value = nan
    return np.uint32(value | nan if sub & 8 else value)


def fsetp(c, u, base, preds, scratch, on):
    """q0 = (a cmp b) op p0; q1 = !(a cmp b) op p0."""
    judge(c, preds, compared(real(c, u, base, 0), real(c, u, base, 1), c[I.SUB]), on)


def dsetp(c, u, base, preds, scratch, on):
    """A comparison of fp64; or q0 = (a is the minimum or maximum) op p0, and q1 = both are NaN."""
    x, y = double(c, u, base, 0), double(c, u, base, 1)
    if not c[I.SUB] >> 6:
        judge(c, preds, compared(x, y, c[I.SUB]), on)
        return
    first = bits((x < y) | (y != y)) if c[I.SUB] & 64 else bits((x > y) | (y != y))
    set_predicate(preds, c[I.Q0], combine(np.uint32(first), predicate(preds, c[I.P0]), (c[I.SUB] >> 4) & 3), on)
    set_predicate(preds, c[I.Q1], bits((x != x) & (y != y)), on)


def fset(c, u, base, preds, scratch, on):
    """A comparison of fp32 as a number."""
    value = compared(real(c, u, base, 0), real(c, u, base, 1), c[I.SUB])
    value = combine(value, predicate(preds, c[I.P0]), (c[I.SUB] >> 4) & 3)
    yes = np.uint32(0x3F800000) if c[I.FLAGS] & I.ONE else FULL
    put(c, u, base, select(lanes_of(np.uint32(value)), splat(yes, U32), 0), on)


def fchk(c, u, base, preds, scratch, on):
    """Whether a / b by Newton's method may go wrong: an operand, the quotient or a remainder out of range.

    The bounds are those of an H100, where every pair of exponents was tried.
    """
    a, b = (word(c, u, base, 0) >> 23) & 255, (word(c, u, base, 1) >> 23) & 255
    quotient = signed(a) - signed(b)
    fast = (a > 24) & (a < 255) & (b > 1) & (b < 252) & (quotient > -125) & (quotient < 127)
    set_predicate(preds, c[I.Q0], bits(fast) ^ FULL, on)
