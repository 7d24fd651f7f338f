"""Shifts, logic, bytes and bits of integers: 32 lanes at once."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import FULL, negated, predicate, put, set_predicate, signed, word
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lanes import (
    I64,
    U32,
    U64,
    bits,
    cast,
    leading_zeros,
    population,
    reversed_bits,
    select,
    splat,
    view,
)
from gpusim.engine.state import fields as I


@inline
def every(bit):
    """All ones for an odd number, 0 for an even one."""
    return np.uint32(-(bit & 1))


@inline
def chosen(which, a, b):
    """Bitwise: ``a`` where ``which`` has a one, else ``b``."""
    return b ^ (which & (a ^ b))


@inline
def table_of(a, b, k, table):
    """Bitwise function of three operands: bit (a << 2 | b << 1 | c) of the table."""
    low = chosen(b, chosen(k, every(table >> 3), every(table >> 2)), chosen(k, every(table >> 1), every(table)))
    high = chosen(b, chosen(k, every(table >> 7), every(table >> 6)), chosen(k, every(table >> 5), every(table >> 4)))
    return chosen(a, high, low)


def lop3(c, u, base, preds, scratch, on):
    """Any function of three words, bit by bit; q0: whether any bit of it is set, or'ed or and'ed with p0."""
    a, b, k = word(c, u, base, 0) ^ negated(c, 0), word(c, u, base, 1) ^ negated(c, 1), word(c, u, base, 2)
    value = table_of(a, b, k ^ negated(c, 2), c[I.SUB])
    put(c, u, base, value, on)
    if c[I.Q0] != I.PRED_SINK:
        some, other = bits(value != 0), predicate(preds, c[I.P0])
        set_predicate(preds, c[I.Q0], some & other if c[I.FLAGS] & I.PAND else some | other, on)


def plop3(c, u, base, preds, scratch, on):
    """q0, q1 = two functions of three predicates."""
    p, q, r = predicate(preds, c[I.P0]), predicate(preds, c[I.P1]), predicate(preds, c[I.P2])
    first, second = table_of(p, q, r, c[I.SUB]), table_of(p, q, r, c[I.SUB] >> 8)
    set_predicate(preds, c[I.Q0], np.uint32(first), on)
    set_predicate(preds, c[I.Q1], np.uint32(second), on)


def shf(c, u, base, preds, scratch, on):
    """Shifts of a word, or of c:a; counts beyond the width clamp, or wrap around."""
    a, n, kind, wraps = word(c, u, base, 0), word(c, u, base, 1), c[I.SUB], c[I.FLAGS] & I.WRAP
    if kind == I.SHIFT_L_HI_32 or kind == I.SHIFT_R_LO_32:
        n = n & 31 if wraps else select(n < 32, n, 32)
    elif wraps:
        n &= np.uint32(31 if kind <= I.SHIFT_R_S32 else 63)
    if kind == I.SHIFT_L:
        put(c, u, base, select(n < 32, a << (n & 31), 0), on)
    elif kind == I.SHIFT_R_U32:
        put(c, u, base, select(n < 32, a >> (n & 31), 0), on)
    elif kind == I.SHIFT_R_S32:
        put(c, u, base, view(signed(a) >> signed(select(n < 32, n, 31)), U32), on)
    else:
        put(c, u, base, funnel(a, cast(n, U64), word(c, u, base, 2), kind), on)


@jit
def funnel(a, n, k, kind):
    """A word of the pair k:a shifted by n."""
    wide, small = (cast(k, U64) << 32) | cast(a, U64), n & np.uint64(63)
    if kind == I.SHIFT_L_HI or kind == I.SHIFT_L_HI_32:
        moved = select(n < 64, wide << small, 0) >> 32
    elif kind == I.SHIFT_R_LO_S32 or kind == I.SHIFT_R_HI_S32:
        moved = view(view(wide, I64) >> view(select(n < 64, n, 63), I64), U64)
    else:
        moved = select(n < 64, wide >> small, 0)
    if kind == I.SHIFT_R_HI_U32 or kind == I.SHIFT_R_HI_S32:
        moved >>= 32
    return cast(moved, U32)


def prmt(c, u, base, preds, scratch, on):
    """Four bytes of c:a that the selector picks, or their signs."""
    wide = (cast(word(c, u, base, 2), U64) << 32) | cast(word(c, u, base, 0), U64)
    selector, value = word(c, u, base, 1), splat(0, U32)
    for k in range(4):
        pick = picked(selector, np.uint32(k), c[I.SUB])
        piece = cast(wide >> cast((pick & 7) << 3, U64), U32) & 255
        piece = select((pick & 8) != 0, (piece >> 7) * 255, piece)
        value |= piece << np.uint32(8 * k)
    put(c, u, base, value, on)


@inline
def picked(selector, k, mode):
    """Which byte goes to place ``k`` (PTX ISA, ``prmt``); bit 3: its sign instead."""
    two = selector & 3
    if mode == I.F4E:
        pick = two + k
    elif mode == I.B4E:
        pick = (two - k) & 7
    elif mode == I.RC8:
        pick = two
    elif mode == I.ECL:
        pick = select(two > k, two, k)
    elif mode == I.ECR:
        pick = select(two < k, two, k)
    elif mode == I.RC16:
        pick = ((two & 1) << 1) + (k & np.uint32(1))
    else:
        pick = (selector >> (k * np.uint32(4))) & 15
    return pick


def popc(c, u, base, preds, scratch, on):
    """Number of bits set."""
    put(c, u, base, population(word(c, u, base, 0) ^ negated(c, 0)), on)


def brev(c, u, base, preds, scratch, on):
    """Bits in the opposite order."""
    put(c, u, base, reversed_bits(word(c, u, base, 0) ^ negated(c, 0)), on)


def flo(c, u, base, preds, scratch, on):
    """Index of the highest set bit, or what it must be shifted by to get to the top."""
    a = word(c, u, base, 0) ^ negated(c, 0)
    if c[I.FLAGS] & I.SIGNED:
        a ^= view(signed(a) >> 31, U32)
    zeros = leading_zeros(a)
    put(c, u, base, select(a == 0, FULL, zeros) if c[I.FLAGS] & I.SHIFT else 31 - zeros, on)


def sgxt(c, u, base, preds, scratch, on):
    """The low b bits, sign-extended or not."""
    a, n = word(c, u, base, 0), word(c, u, base, 1)
    n = n & 31 if c[I.FLAGS] & I.WRAP else select(n < 32, n, 32)
    by = (32 - n) & 31
    top = a << by
    value = top >> by if c[I.FLAGS] & I.UNSIGNED else view(signed(top) >> signed(by), U32)
    put(c, u, base, select(n == 0, 0, value), on)


def bmsk(c, u, base, preds, scratch, on):
    """B ones from bit a on."""
    a, n = word(c, u, base, 0), word(c, u, base, 1)
    if c[I.FLAGS] & I.WRAP:
        a, n = a & 31, n & 31
    ones = select(n < 32, (splat(1, U32) << (n & 31)) - 1, FULL)
    put(c, u, base, select(a < 32, ones << (a & 31), 0), on)
