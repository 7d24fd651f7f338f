"""Integer sums, products, minima: 32 lanes at once."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import ONE, holds, negated, pair, put, put_pair, set_predicate, signed, word
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lanes import I64, U32, U64, bits, cast, select, splat, view
from gpusim.engine.state import fields as I


@inline
def carry(preds, field):
    """A predicate operand as 0 or 1 a lane."""
    return cast(holds(preds, field), U32)


@inline
def negation(x, mask):
    """``-x`` where ``mask`` is all ones, ``x`` where it is 0."""
    return (x ^ mask) - mask


def mov(c, u, base, preds, scratch, on):
    """A word, or a pair."""
    if c[I.WIDTH] == 8:
        put_pair(c, u, base, pair(c, u, base, 0), on)
    else:
        put(c, u, base, word(c, u, base, 0), on)


def sel(c, u, base, preds, scratch, on):
    """A where p0 holds, else b."""
    first = holds(preds, c[I.P0])
    if c[I.WIDTH] == 8:
        put_pair(c, u, base, select(first, pair(c, u, base, 0), pair(c, u, base, 1)), on)
    else:
        put(c, u, base, select(first, word(c, u, base, 0), word(c, u, base, 1)), on)


@jit
def sum_of_pairs(c, u, base):
    """A + b + c of 64 bits."""
    total = splat(0, U64)
    for k in range(3):
        total += negation(pair(c, u, base, k), np.uint64(-((c[I.MODS] >> k) & 1)))
    return total


def iadd3(c, u, base, preds, scratch, on):
    """Three-operand addition, with carries in and out where asked for."""
    a, b, k = word(c, u, base, 0), word(c, u, base, 1), word(c, u, base, 2)
    na, nb, nc = negated(c, 0), negated(c, 1), negated(c, 2)
    if c[I.SUB]:
        put(c, u, base, sums(c, a, b), on)
        return
    if c[I.WIDTH] == 8:
        put_pair(c, u, base, sum_of_pairs(c, u, base), on)
        return
    if c[I.Q0] == I.PRED_SINK and c[I.Q1] == I.PRED_SINK and not c[I.FLAGS] & I.X:
        put(c, u, base, negation(a, na) + negation(b, nb) + negation(k, nc), on)
        return
    total = cast(a ^ na, U64) + cast(b ^ nb, U64) + cast(k ^ nc, U64)
    if c[I.FLAGS] & I.X:
        total += cast(carry(preds, c[I.P0]), U64) + cast(carry(preds, c[I.P1]), U64)
    else:
        total += np.uint64((na & ONE) + (nb & ONE) + (nc & ONE))
    put(c, u, base, cast(total, U32), on)
    over = total >> 32
    set_predicate(preds, c[I.Q0], bits(over > 0), on)
    set_predicate(preds, c[I.Q1], bits(over > 1), on)


def imad(c, u, base, preds, scratch, on):
    """Lower word of ``a * b + c``."""
    multiply_add(c, u, base, preds, on)


@inline
def multiply_add(c, u, base, preds, on):
    """Lower word of a product, plus c."""
    a, b, k = word(c, u, base, 0), word(c, u, base, 1), word(c, u, base, 2)
    product = negation(a, negated(c, 0) ^ negated(c, 1)) * b
    if c[I.FLAGS] & I.X:
        put(c, u, base, product + (k ^ negated(c, 2)) + carry(preds, c[I.P0]), on)
    else:
        put(c, u, base, product + negation(k, negated(c, 2)), on)


@inline
def product_of(c, u, base):
    """64-bit product of a and b."""
    a, b = word(c, u, base, 0), word(c, u, base, 1)
    if c[I.FLAGS] & I.UNSIGNED:
        product = cast(a, U64) * cast(b, U64)
    else:
        product = view(cast(signed(a), I64) * cast(signed(b), I64), U64)
    mask = np.uint64(-(((c[I.MODS] >> 1) ^ c[I.MODS]) & 1))
    return negation(product, mask)


@jit
def multiplied(c, u, base, preds, on):
    """64-bit a * b + c, with carry in and out."""
    product, negative = product_of(c, u, base), np.int64((c[I.MODS] >> 2) & 1)
    addend = pair(c, u, base, 2) ^ np.uint64(-negative)
    more = cast(carry(preds, c[I.P0]), U64) if c[I.FLAGS] & I.X else splat(negative, U64)
    part = product + addend
    total = part + more
    if c[I.Q0] != I.PRED_SINK:
        set_predicate(preds, c[I.Q0], bits((part < product) | (total < part)), on)
    return total


def imad_wide(c, u, base, preds, scratch, on):
    """d:d+1 = a * b + c:c+1."""
    put_pair(c, u, base, multiplied(c, u, base, preds, on), on)


def imad_hi(c, u, base, preds, scratch, on):
    """D = upper word of a * b + c:c+1."""
    put(c, u, base, cast(multiplied(c, u, base, preds, on) >> 32, U32), on)


def lea(c, u, base, preds, scratch, on):
    """A shifted operand plus another; the carry is that of the two as they are added."""
    na, nb = negated(c, 0), negated(c, 1)
    x, y = (word(c, u, base, 0) << np.uint32(c[I.SUB])) ^ na, word(c, u, base, 1) ^ nb
    more = carry(preds, c[I.P0]) if c[I.FLAGS] & I.X else splat((na & ONE) + (nb & ONE), U32)
    total = cast(x, U64) + cast(y, U64) + cast(more, U64)
    put(c, u, base, cast(total, U32), on)
    set_predicate(preds, c[I.Q0], bits(total >> 32 > 0), on)


def lea_hi_x(c, u, base, preds, scratch, on):
    """Upper word of a shifted pair plus another operand: the second half of a 64-bit LEA."""
    na, nb = negated(c, 0), negated(c, 1)
    a, k = word(c, u, base, 0), word(c, u, base, 2)
    if c[I.FLAGS] & I.SIGNED:
        k = view(signed(a) >> 31, U32)
    wide = ((cast(k, U64) << 32) | cast(a, U64)) << np.uint64(c[I.SUB])
    more = carry(preds, c[I.P0])
    if not c[I.FLAGS] & I.X:
        more += splat((na & ONE) + (nb & ONE), U32)  # of a negated pair the upper word alone, whatever the lower is
    total = (wide >> 32 ^ np.uint64(na)) + cast(word(c, u, base, 1) ^ nb, U64) + cast(more, U64)
    put(c, u, base, cast(total, U32), on)
    set_predicate(preds, c[I.Q0], bits(total >> 32 > 0), on)


# ------------------------------------------------------------------ minima, and words taken in pieces


@inline
def piece_bits(c):
    """Bits of the pieces that a word is taken in: 32, 16 or 8."""
    return 32 >> (c[I.SUB] & 3)


@inline
def piece(x, k, size, unsigned):
    """Piece ``k`` of every word, sign-extended or not."""
    top = x << np.uint32(32 - size - size * k)
    return top >> np.uint32(32 - size) if unsigned else view(signed(top) >> np.int32(32 - size), U32)


@inline
def placed(x, k, size):
    """The low bits of every word as piece ``k`` of one."""
    return (x << np.uint32(32 - size)) >> np.uint32(32 - size - size * k)


@jit
def extreme_pair(c, u, base, preds):
    """The smaller one of two pairs where p0 holds, else the larger one."""
    a, b = pair(c, u, base, 0), pair(c, u, base, 1)
    less = a < b if c[I.FLAGS] & I.UNSIGNED else view(a, I64) < view(b, I64)
    return select(less ^ holds(preds, c[I.P0]), b, a)


@jit
def sums(c, a, b):
    """Sums of a and b, piece by piece."""
    size, value = piece_bits(c), splat(0, U32)
    for k in range(32 // size):
        x, y = negation(piece(a, k, size, True), negated(c, 0)), negation(piece(b, k, size, True), negated(c, 1))
        value |= placed(x + y, k, size)
    return value


def imnmx(c, u, base, preds, scratch, on):
    """Minimum where p0 holds, else maximum; of three words where ``sub`` says so."""
    if c[I.WIDTH] == 8:
        put_pair(c, u, base, extreme_pair(c, u, base, preds), on)
        return
    a, b, size, plain = word(c, u, base, 0), word(c, u, base, 1), piece_bits(c), c[I.FLAGS] & I.UNSIGNED
    value, firsts = (
        splat(0, U32),
        (lower_first(c, preds, a, b, size, 0), lower_first(c, preds, a, b, size, 32 // size - 1)),
    )
    for k in range(32 // size):
        x = extreme(c, preds, piece(a, k, size, plain), piece(b, k, size, plain))
        if c[I.SUB] & I.THIRD:
            x = extreme(c, preds, x, piece(word(c, u, base, 2), k, size, plain))
        value |= placed(x, k, size)
    put(c, u, base, value, on)
    set_predicate(preds, c[I.Q0], firsts[0], on)
    set_predicate(preds, c[I.Q1], firsts[1], on)


@jit
def lower_first(c, preds, a, b, size, k):
    """Lanes in which piece ``k`` of a is the extreme, or both are: what DPX's minima and maxima tell of themselves."""
    x, y = piece(a, k, size, c[I.FLAGS] & I.UNSIGNED), piece(b, k, size, c[I.FLAGS] & I.UNSIGNED)
    less = x < y if c[I.FLAGS] & I.UNSIGNED else signed(x) < signed(y)
    return bits((less ^ ~holds(preds, c[I.P0])) | (x == y))


@inline
def extreme(c, preds, a, b):
    """The smaller one where p0 holds, else the larger one; RELU flag: at least 0."""
    less = a < b if c[I.FLAGS] & I.UNSIGNED else signed(a) < signed(b)
    value = select(less ^ holds(preds, c[I.P0]), b, a)
    if c[I.FLAGS] & I.RELU:
        value = select(signed(value) < 0, 0, value)
    return value


def iaddmnmx(c, u, base, preds, scratch, on):
    """Minimum or maximum of a sum and c."""
    a, b = word(c, u, base, 0), word(c, u, base, 1)
    size, plain, value = piece_bits(c), c[I.FLAGS] & I.UNSIGNED, splat(0, U32)
    total = sums(c, a, b)
    for k in range(32 // size):
        x = extreme(c, preds, piece(total, k, size, plain), piece(word(c, u, base, 2), k, size, plain))
        value |= placed(x, k, size)
    put(c, u, base, value, on)


def iabs(c, u, base, preds, scratch, on):
    """D = |a|."""
    put(c, u, base, absolute(word(c, u, base, 0)), on)


@inline
def absolute(a):
    """Magnitude of signed words."""
    sign = view(signed(a) >> 31, U32)
    return (a ^ sign) - sign


def iabsdiff(c, u, base, preds, scratch, on):
    """Distances of the pieces of a and b, put together or, with the flag, added up; plus c."""
    size, plain, value = piece_bits(c), c[I.FLAGS] & I.UNSIGNED, word(c, u, base, 2)
    for k in range(32 // size):
        a, b = piece(word(c, u, base, 0), k, size, plain), piece(word(c, u, base, 1), k, size, plain)
        less = a < b if plain else signed(a) < signed(b)
        distance = select(less, b - a, a - b)
        value += distance if c[I.SUB] & I.THIRD else placed(distance, k, size)
    put(c, u, base, value, on)


def idp(c, u, base, preds, scratch, on):
    """Dot product of four bytes, or of two halves with two bytes, plus c."""
    a, b, total = word(c, u, base, 0), word(c, u, base, 1), negation(word(c, u, base, 2), negated(c, 2))
    plain = c[I.SUB] | (3 if c[I.FLAGS] & I.UNSIGNED else 0)
    if plain & I.HALVES:
        first = 2 if plain & I.UPPER else 0
        for k in range(2):
            total += piece(a, k, 16, plain & 1) * octet(b, first + k, plain & 2)
    else:
        for k in range(4):
            total += octet(a, k, plain & 1) * octet(b, k, plain & 2)
    put(c, u, base, total, on)


@inline
def octet(x, k, unsigned):
    """Byte ``k`` of every word, sign-extended or not."""
    top = x << np.uint32(24 - 8 * k)
    return top >> 24 if unsigned else view(signed(top) >> 24, U32)
