"""Tensor cores: d = a b + c on the fragments that PTX documents for mma.sync.

All layouts are one.  With g = lane / 4, t = lane % 4 and E elements in a word, register r of a holds row
g + 8 (r % 2), elements E t + 4 E (r / 2) and following; register r of b the same of column g; register r of c
row g + 8 (r / 2), column 2 t + r % 2.  (With 8 rows a has no odd registers.)
"""

from __future__ import annotations

import numpy as np

from gpusim.engine import fields as I
from gpusim.engine.half import from_half, narrowed
from gpusim.engine.integer import octet
from gpusim.engine.jit import inline, jit
from gpusim.engine.lanes import (
    F32,
    F64,
    I32,
    U32,
    U64,
    cast,
    fma,
    load,
    load_eight,
    load_even,
    load_odd,
    nothing,
    pointer_as,
    splat_eight,
    store,
    store_columns,
    store_woven,
    sum_saturated,
    view,
)
from gpusim.engine.operands import at, put_row, signed

_B, _C = 512, 768  # words of scratch from which b (k by column) and c (row by column) lie; a from 0 on


def tensor(c, u, base, preds, scratch, on):
    """Dispatch by opcode."""
    op = c[0]
    if op == I.HMMA:
        hmma(c, u, base, pointer_as(scratch, F32), on)
    elif op == I.IMMA:
        imma(c, u, base, pointer_as(scratch, I32), on)
    elif op == I.DMMA:
        dmma(c, u, base, pointer_as(scratch, F64), on)


@inline
def part(c, u, base, which, r):
    """Register ``r`` of a fragment."""
    return load(u, np.int64(at(c[I.A + which], base) + r) * 32, U32)


@inline
def lay_columns(s, r, elements, i, values):
    """Element ``i`` of register ``r`` of b into its rows."""
    store_columns(s, np.int64(_B + 8 * (i + 4 * elements * r)), np.int64(8 * elements), values)


@jit
def multiply(s, rows, depth, wide):
    """C += a b in scratch, two rows of c at a time."""
    half = rows // 2
    for row in range(half):
        first, second = load_eight(s, _C + 8 * row), load_eight(s, _C + 8 * (row + half))
        for begin in range(0, depth, wide):
            a = begin * rows + row * wide
            for k in range(wide):
                b = load_eight(s, _B + 8 * (begin + k))
                first = fma(splat_eight(s, a + k), b, first)
                second = fma(splat_eight(s, a + half * wide + k), b, second)
        store(s, _C + 8 * row, first)
        store(s, _C + 8 * (row + half), second)


# ------------------------------------------------------------------ fp16, bf16, tf32


@inline
def lower(n, brain):
    """The lower halves as fp32."""
    return from_half(n & 0xFFFF, brain)


@inline
def upper(n, brain):
    """The upper halves as fp32."""
    return from_half(n >> 16, brain)


@jit
def hmma(c, u, base, s, on):
    """fp16, bf16 or tf32 inputs, accumulated in fp32."""
    kind = c[I.SUB]
    short = kind == I.F16_1688_F32 or kind == I.F16_1688_F16 or kind == I.BF16_1688_F32 or kind == I.TF32_1684_F32
    n = 1 if short else 2
    brain = kind == I.BF16_16816_F32 or kind == I.BF16_1688_F32
    if kind == I.TF32_1684_F32 or kind == I.TF32_1688_F32:
        elements = 1
        lay_words(c, u, base, s, n)
    else:
        elements = 2
        lay_halves(c, u, base, s, n, brain)
    packed = kind == I.F16_16816_F16 or kind == I.F16_1688_F16
    for r in range(2):
        low = part(c, u, base, 2, r if packed else 2 * r)
        if packed:
            store_woven(s, _C + 64 * r, (lower(low, False), upper(low, False)))
        else:
            store_woven(s, _C + 64 * r, (view(low, F32), view(part(c, u, base, 2, 2 * r + 1), F32)))
    multiply(s, 16, 4 * elements * n, 4 * elements)
    for r in range(2):
        low, high = load_even(s, _C + 64 * r), load_odd(s, _C + 64 * r)
        if packed:
            both = narrowed(low, I.F16, 0, False) | (narrowed(high, I.F16, 0, False) << 16)
            put_row(u, at(c[I.DST], base) + r, both, on)
        else:
            put_row(u, at(c[I.DST], base) + 2 * r, view(low, U32), on)
            put_row(u, at(c[I.DST], base) + 2 * r + 1, view(high, U32), on)


@inline
def lay_words(c, u, base, s, n):
    """A and b of tf32: fp32 whose last 13 bits do not count."""
    for r in range(2 * n):
        store_woven(s, 32 * r, (view(part(c, u, base, 0, r) & 0xFFFFE000, F32),))
    for r in range(n):
        lay_columns(s, r, 1, 0, view(part(c, u, base, 1, r) & 0xFFFFE000, F32))


@inline
def lay_halves(c, u, base, s, n, brain):
    """A and b of fp16 or bf16, two to a word."""
    for r in range(2 * n):
        word = part(c, u, base, 0, r)
        store_woven(s, 64 * r, (lower(word, brain), upper(word, brain)))
    for r in range(n):
        word = part(c, u, base, 1, r)
        lay_columns(s, r, 2, 0, lower(word, brain))
        lay_columns(s, r, 2, 1, upper(word, brain))


# ------------------------------------------------------------------ integers


@jit
def imma(c, u, base, s, on):
    """8-bit inputs, four to a word; the SAT flag clamps the sum."""
    kind = c[I.SUB]
    plain = kind == I.U8_16816 or kind == I.U8_16832 or kind == I.U8_8816
    n = 2 if kind == I.S8_16832 or kind == I.U8_16832 else 1
    rows = 8 if kind == I.S8_8816 or kind == I.U8_8816 else 16
    for r in range(n * rows // 8):
        word = part(c, u, base, 0, r)
        store_woven(s, 128 * r, tuple_of_octets(word, plain))
    for r in range(n):
        word = part(c, u, base, 1, r)
        for i in range(4):
            lay_columns(s, r, 4, i, signed(octet(word, i, plain)))
    for k in range(rows):
        store(s, _C + 8 * k, nothing(s))
    multiply(s, rows, 16 * n, 16)
    for r in range(rows // 8):
        add_to(c, u, base, 2 * r, load_even(s, _C + 64 * r), on)
        add_to(c, u, base, 2 * r + 1, load_odd(s, _C + 64 * r), on)


@inline
def tuple_of_octets(word, plain):
    """The four bytes of every word as integers."""
    return (
        signed(octet(word, 0, plain)), signed(octet(word, 1, plain)), signed(octet(word, 2, plain)),
        signed(octet(word, 3, plain)),
    )  # fmt: skip


@inline
def add_to(c, u, base, r, total, on):
    """Register ``r`` of d: that of c, plus the products."""
    k = signed(part(c, u, base, 2, r))
    value = sum_saturated(total, k) if c[I.FLAGS] & I.SAT else total + k
    put_row(u, at(c[I.DST], base) + r, view(value, U32), on)


# ------------------------------------------------------------------ fp64


@inline
def part_pair(c, u, base, which, r):
    """The r-th register pair of a fragment, as fp64."""
    low, high = part(c, u, base, which, 2 * r), part(c, u, base, which, 2 * r + 1)
    return view((cast(high, U64) << 32) | cast(low, U64), F64)


@jit
def dmma(c, u, base, s, on):
    """fp64: 8 x 8 x 4."""
    store_woven(s, 0, (part_pair(c, u, base, 0, 0),))
    lay_columns(s, 0, 1, 0, part_pair(c, u, base, 1, 0))
    store_woven(s, _C, (part_pair(c, u, base, 2, 0), part_pair(c, u, base, 2, 1)))
    multiply(s, 8, 4, 4)
    for r in range(2):
        value = view(load_even(s, _C) if r == 0 else load_odd(s, _C), U64)
        put_row(u, at(c[I.DST], base) + 2 * r, cast(value, U32), on)
        put_row(u, at(c[I.DST], base) + 2 * r + 1, cast(value >> 32, U32), on)
