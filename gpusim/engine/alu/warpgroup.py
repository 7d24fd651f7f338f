"""Products of matrices by a warpgroup: a warp's 16 rows of d = a b + c, eight columns at a time.

Registers lie as those of ``mma.sync`` (:mod:`gpusim.engine.alu.tensor`); those of a and b have been put into scratch
(:mod:`gpusim.engine.load_store.warpgroup`).  The routines are called for one tile after another, the first one first.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.half import from_octet
from gpusim.engine.alu.integer import octet
from gpusim.engine.alu.operands import at, predicate, put_row, signed
from gpusim.engine.alu.tensor import (
    DEPTH,
    accumulate,
    cut,
    half_sum,
    lay_columns_of_halves,
    lay_columns_of_words,
    lay_rows_of_halves,
    lay_rows_of_words,
    lay_sums,
    lower,
    multiply,
    power,
    tuple_of_octets,
    upper,
)
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lane_moves import (
    load_even,
    load_odd,
    nothing,
    pointer_as,
    store_columns,
    store_woven,
)
from gpusim.engine.compiling.lanes import F32, F64, I32, U32, cast, cooked, load, raw, store, sum_saturated, view
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I
from gpusim.hardware.fixed import TENSOR_BITS, TENSOR_OCTET_BITS
from gpusim.isa import warpgroup as G

_ROWS, _OCTETS, _REGISTERS = 16, 4, 4  # of c, to a word, of a fragment of a
_INTEGER_B, _INTEGER_C = 512, 768  # where b and c lie in scratch, of integers
_LONG = G.ROW_BYTES  # elements of a row of bytes
_FP8_B, _FP8_POWERS, _FP8_C = 32 * _LONG, 40 * _LONG, 48 * _LONG
_SHORTENED = ~np.int64((1 << 52 - TENSOR_OCTET_BITS) - 1)  # of an fp64, so many bits of its fraction


@inline
def staged_b(tile):
    """Where the registers of b begin that belong to a tile, in words."""
    return np.int64(S.STAGED_B + S.STAGED_TILE * (tile & 1))


@inline
def old(c, u, base, preds, k):
    """Register ``k`` of c, 0 where there is none or it does not count."""
    counts = c[I.C_] != I.NO_ROW and predicate(preds, c[I.P0]) != 0
    row = at(c[I.C_], base) + k if counts else np.int64(~I.NO_ROW)
    return load(u, np.int64(row) * 32, U32)


@inline
def lay_old(c, u, base, preds, s, place, tile):
    """C of a tile."""
    for r in range(2):
        if c[I.SUB] & G.HALF_SUMS:
            word = old(c, u, base, preds, 2 * tile + r)
            lay_sums(s, place + 64 * r, lower(word, False), upper(word, False))
        else:
            low, high = old(c, u, base, preds, 4 * tile + 2 * r), old(c, u, base, preds, 4 * tile + 2 * r + 1)
            lay_sums(s, place + 64 * r, view(low, F32), view(high, F32))


@inline
def put_sums(c, u, base, s, place, tile, on):
    """D of a tile."""
    first = at(c[I.DST], base)
    for r in range(2):
        low, high = load_even(s, np.int64(place + 64 * r)), load_odd(s, np.int64(place + 64 * r))
        if c[I.SUB] & G.HALF_SUMS:
            put_row(u, first + 2 * tile + r, half_sum(low) | (half_sum(high) << 16), on)
        else:
            put_row(u, first + 4 * tile + 2 * r, cut(low), on)
            put_row(u, first + 4 * tile + 2 * r + 1, cut(high), on)


# ------------------------------------------------------------------ fp16, bf16, tf32


def hgmma(c, u, base, preds, scratch, on):
    """As HMMA; c and d in fp32 or fp16."""
    s, p, tile = pointer_as(scratch, F64), pointer_as(scratch, U32), np.int64(scratch[S.TILE])
    kind, first, sums = c[I.SUB] & G.TYPE_MASK, staged_b(tile), 48 * DEPTH
    brain, elements = kind == G.BF16, 1 if kind == G.TF32 else 2
    if kind == G.TF32:
        if tile == 0:
            lay_rows_of_words(p, np.int64(S.STAGED_A), s, 2)
        lay_columns_of_words(p, first, s, 2)
    else:
        if tile == 0:
            lay_rows_of_halves(p, np.int64(S.STAGED_A), s, 2, brain)
        lay_columns_of_halves(p, first, s, 2, brain)
    lay_old(c, u, base, preds, s, sums, tile)
    accumulate(s, 8 * elements, 4 * elements, DEPTH, 2.0**-TENSOR_BITS)
    put_sums(c, u, base, s, sums, tile, on)


# ------------------------------------------------------------------ fp8
#
# Assumed until it is measured: all products and c are aligned, cut and added up as those of halves are, but 13 bits are
# kept below the first one of the largest, and 13 of the fraction of a sum.  DeepSeek-AI, "Insights into DeepSeek-V3"
# (ISCA 2025), section 3.1, says so of Hopper.  Subnormal numbers count as the least normal ones.


def qgmma(c, u, base, preds, scratch, on):
    """E4M3 and E5M2; c and d in fp32 or fp16."""
    s, p, tile = pointer_as(scratch, F64), pointer_as(scratch, U32), np.int64(scratch[S.TILE])
    if tile == 0:
        lay_rows_of_octets(p, s, octets_of(c[I.SUB] & G.TYPE_MASK))
    lay_columns_of_octets(p, staged_b(tile), s, octets_of(c[I.SUB] >> G.B_TYPE & G.TYPE_MASK))
    lay_old(c, u, base, preds, s, _FP8_C, tile)
    accumulate(s, _LONG, 4 * _OCTETS, _LONG, 2.0**-TENSOR_OCTET_BITS)
    shorten(s)
    put_sums(c, u, base, s, _FP8_C, tile, on)


@inline
def octets_of(element):
    """The format of a type of elements, as conversions name it."""
    return np.int64(I.E4M3 if element == G.E4M3 else I.E5M2)


@inline
def least_normal(kind):
    """The least number of a format that is no subnormal one."""
    return 2.0**-6 if kind == I.E4M3 else 2.0**-14


@jit
def lay_rows_of_octets(p, s, kind):
    """A, four elements to a word."""
    least = least_normal(kind)
    for r in range(_REGISTERS):
        word = load(p, np.int64(S.STAGED_A + 32 * r), U32)
        a, b = from_octet(octet(word, 0, True), kind), from_octet(octet(word, 1, True), kind)
        x, y = from_octet(octet(word, 2, True), kind), from_octet(octet(word, 3, True), kind)
        store_woven(s, np.int64(128 * r), (cast(a, F64), cast(b, F64), cast(x, F64), cast(y, F64)))
        powers = power(a, least), power(b, least), power(x, least), power(y, least)
        store_woven(s, np.int64(16 * _LONG + 128 * r), powers)


@jit
def lay_columns_of_octets(p, first, s, kind):
    """B, four elements to a word."""
    least = least_normal(kind)
    for r in range(2):
        word = load(p, first + 32 * r, U32)
        for i in range(_OCTETS):
            x, row = from_octet(octet(word, i, True), kind), 8 * (i + 4 * _OCTETS * r)
            store_columns(s, np.int64(_FP8_B + row), np.int64(8 * _OCTETS), cast(x, F64))
            store_columns(s, np.int64(_FP8_POWERS + row), np.int64(8 * _OCTETS), power(x, least))


@inline
def shorten(s):
    """Cut the fractions of all sums."""
    for k in range(_ROWS * 8 // 32):
        x = load(s, np.int64(_FP8_C + 32 * k), F64)
        store(s, np.int64(_FP8_C + 32 * k), cooked(raw(x) & _SHORTENED))


# ------------------------------------------------------------------ integers


def igmma(c, u, base, preds, scratch, on):
    """8-bit inputs, signed or not; the SAT flag clamps the sum."""
    s, p, tile = pointer_as(scratch, I32), pointer_as(scratch, U32), np.int64(scratch[S.TILE])
    plain = (c[I.SUB] >> G.B_TYPE & G.TYPE_MASK) == G.U8
    if tile == 0:
        lay_rows_of_integers(p, s, (c[I.SUB] & G.TYPE_MASK) == G.U8)
    for r in range(2):
        word = load(p, staged_b(tile) + 32 * r, U32)
        for i in range(_OCTETS):
            row = np.int64(_INTEGER_B + 8 * (i + 4 * _OCTETS * r))
            store_columns(s, row, np.int64(8 * _OCTETS), signed(octet(word, i, plain)))
    for k in range(_ROWS):
        store(s, np.int64(_INTEGER_C + 8 * k), nothing(s))
    multiply(s, _ROWS, _LONG, 4 * _OCTETS)
    for r in range(2):
        place = np.int64(_INTEGER_C + 64 * r)
        put_total(c, u, base, preds, 4 * tile + 2 * r, load_even(s, place), on)
        put_total(c, u, base, preds, 4 * tile + 2 * r + 1, load_odd(s, place), on)


@inline
def lay_rows_of_integers(p, s, plain):
    """A, four elements to a word."""
    for r in range(_REGISTERS):
        store_woven(s, np.int64(128 * r), tuple_of_octets(load(p, np.int64(S.STAGED_A + 32 * r), U32), plain))


@inline
def put_total(c, u, base, preds, k, total, on):
    """Register ``k`` of d: that of c, plus the products."""
    before = signed(old(c, u, base, preds, k))
    value = sum_saturated(total, before) if c[I.FLAGS] & I.SAT else total + before
    put_row(u, at(c[I.DST], base) + k, view(value, U32), on)
