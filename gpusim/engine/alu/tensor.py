"""Tensor cores: d = a b + c on the fragments that PTX documents for mma.sync.

All layouts are one.  With g = lane / 4, t = lane % 4 and E elements in a word, register r of a holds row
g + 8 (r % 2), elements E t + 4 E (r / 2) and following; register r of b the same of column g; register r of c
row g + 8 (r / 2), column 2 t + r % 2.  (With 8 rows a has no odd registers.)
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.half import from_half, narrowed
from gpusim.engine.alu.integer import octet
from gpusim.engine.alu.operands import at, canonical, put_row, signed
from gpusim.engine.alu.rounding import single, single_odd
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lane_moves import (
    load_eight,
    load_even,
    load_odd,
    nothing,
    pointer_as,
    splat_eight,
    store_columns,
    store_woven,
)
from gpusim.engine.compiling.lanes import (
    F32,
    F64,
    I32,
    U32,
    U64,
    cast,
    cooked,
    fma,
    load,
    magnitude,
    raw,
    select,
    store,
    sum_saturated,
    trunc,
    view,
)
from gpusim.engine.state import fields as I
from gpusim.hardware.fixed import TENSOR_BITS

DEPTH = 16  # elements of a row of a, at most, but for integers
_B, _C = 512, 768  # elements of scratch from which b (k by column) and c (row by column) lie; a from 0 on
_POWERS_A, _POWERS_B = 256, 16  # further on, in elements of a and in rows of b: their powers of two
NO_POWER = 2.0**-300  # in place of that of 0


def tensor(c, u, base, preds, scratch, on):
    """Dispatch by opcode."""
    op = c[0]
    if op == I.HMMA:
        hmma(c, u, base, pointer_as(scratch, F64), on)
    elif op == I.IMMA:
        imma(c, u, base, pointer_as(scratch, I32), on)
    elif op == I.DMMA:
        dmma(c, u, base, pointer_as(scratch, F64), on)


@inline
def part(c, u, base, which, r):
    """Register ``r`` of a fragment."""
    return load(u, np.int64(at(c[I.A + which], base) + r) * 32, U32)


@inline
def first_of(c, base, which):
    """Where the registers of a fragment begin, in words."""
    return np.int64(at(c[I.A + which], base)) * 32


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
#
# Products are aligned with the largest of them and of c, cut, and added up (Fasi, Higham, Mikaitis and Pranesh,
# "Numerical behavior of NVIDIA tensor cores", 2021).  How many bits are kept and how many products are added at a time
# is what gives every bit an H200 gives (tests/cuda/test_instructions.py); earlier GPUs have less of both.  A product
# counts by the sum of its factors' exponents.  Assumed: subnormal numbers count as the least normal ones, 0 for
# nothing, and sums too large for fp32 are infinite.


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
    """fp16, bf16 or tf32 inputs; c and d in fp32 or fp16."""
    kind = c[I.SUB]
    short = kind == I.F16_1688_F32 or kind == I.F16_1688_F16 or kind == I.BF16_1688_F32 or kind == I.TF32_1684_F32
    n = 1 if short else 2
    brain = kind == I.BF16_16816_F32 or kind == I.BF16_1688_F32
    if kind == I.TF32_1684_F32 or kind == I.TF32_1688_F32:
        elements = 1
        lay_rows_of_words(u, first_of(c, base, 0), s, n)
        lay_columns_of_words(u, first_of(c, base, 1), s, n)
    else:
        elements = 2
        lay_rows_of_halves(u, first_of(c, base, 0), s, n, brain)
        lay_columns_of_halves(u, first_of(c, base, 1), s, n, brain)
    packed = kind == I.F16_16816_F16 or kind == I.F16_1688_F16
    for r in range(2):
        low = part(c, u, base, 2, r if packed else 2 * r)
        if packed:
            lay_sums(s, _C + 64 * r, lower(low, False), upper(low, False))
        else:
            lay_sums(s, _C + 64 * r, view(low, F32), view(part(c, u, base, 2, 2 * r + 1), F32))
    accumulate(s, 4 * elements * n, 4 * elements, DEPTH, 2.0**-TENSOR_BITS)
    for r in range(2):
        low, high = load_even(s, _C + 64 * r), load_odd(s, _C + 64 * r)
        if packed:
            put_row(u, at(c[I.DST], base) + r, half_sum(low) | (half_sum(high) << 16), on)
        else:
            put_row(u, at(c[I.DST], base) + 2 * r, cut(low), on)
            put_row(u, at(c[I.DST], base) + 2 * r + 1, cut(high), on)


@inline
def lay_sums(s, place, low, high):
    """Eight rows of c, from two registers."""
    store_woven(s, np.int64(place), (cast(low, F64), cast(high, F64)))


@inline
def half_sum(x):
    """A sum as fp16."""
    return narrowed(single_odd(x), I.F16, I.ROUND_NEAREST, False)


@inline
def cut(x):
    """Bits of a sum as fp32, towards zero."""
    y = single(x, I.ROUND_ZERO)
    return view(canonical(select(magnitude(x) >= 2.0**128, cast(x, F32), y)), U32)


@inline
def power(x, least):
    """Power of two at or below the size of fp32 values, infinite for NaN; ``least`` for subnormal ones."""
    p = cast(view(view(x, U32) & 0x7F800000, F32), F64)
    return select(x == 0, NO_POWER, select(p < least, least, p))


@inline
def lay_rows_of_words(p, first, s, n):
    """A of tf32, which is fp32 whose last 13 bits do not count, from ``p[first]`` on, register by register."""
    for r in range(2 * n):
        x = view(load(p, first + 32 * r, U32) & 0xFFFFE000, F32)
        store_woven(s, np.int64(32 * r), (cast(x, F64),))
        store_woven(s, np.int64(_POWERS_A + 32 * r), (power(x, 2.0**-126),))


@inline
def lay_columns_of_words(p, first, s, n):
    """The same of b."""
    for r in range(n):
        x = view(load(p, first + 32 * r, U32) & 0xFFFFE000, F32)
        lay_columns(s, r, 1, 0, cast(x, F64))
        lay_columns(s, r, 1, _POWERS_B, power(x, 2.0**-126))


@inline
def lay_rows_of_halves(p, first, s, n, brain):
    """A of fp16 or bf16, two to a word, from ``p[first]`` on, register by register."""
    least = 2.0**-126 if brain else 2.0**-14
    for r in range(2 * n):
        word = load(p, first + 32 * r, U32)
        low, high = lower(word, brain), upper(word, brain)
        store_woven(s, np.int64(64 * r), (cast(low, F64), cast(high, F64)))
        store_woven(s, np.int64(_POWERS_A + 64 * r), (power(low, least), power(high, least)))


@inline
def lay_columns_of_halves(p, first, s, n, brain):
    """The same of b."""
    least = 2.0**-126 if brain else 2.0**-14
    for r in range(n):
        word = load(p, first + 32 * r, U32)
        for i in range(2):
            x = upper(word, brain) if i else lower(word, brain)
            lay_columns(s, r, 2, i, cast(x, F64))
            lay_columns(s, r, 2, i + _POWERS_B, power(x, least))


@jit
def accumulate(s, depth, wide, room, finest):
    """C += a b in scratch, as tensor cores add up.

    Parameters
    ----------
    room : int
        Depth for which scratch has room: the powers of two of a lie from 16 times as many elements on, b from 32 times,
        its powers from 40 times, c from 48 times.
    finest : float
        The last bit that is kept of products, where 1 is the first one of the largest.
    """
    powers_a, sums = 16 * room, 48 * room
    for row in range(16):
        first = (row & 7) * wide + (row >> 3) * 8 * wide
        old = load_eight(s, sums + 8 * row)
        largest = exponents_of(old)
        for begin in range(0, depth, wide):
            for k in range(wide):
                a, b = powers_a + begin * 16 + first + k, 40 * room + 8 * (begin + k)
                p = splat_eight(s, a) * load_eight(s, b)
                largest = select(p > largest, p, largest)
        unit = largest * finest
        inverse = cooked((2046 << 52) - raw(unit))
        total, plain = trunc(old * inverse), old
        for begin in range(0, depth, wide):
            for k in range(wide):
                p = splat_eight(s, begin * 16 + first + k) * load_eight(s, 32 * room + 8 * (begin + k))
                total += trunc(p * inverse)
                plain += p
        store(s, sums + 8 * row, select(largest < np.inf, total * unit, plain))


@inline
def exponents_of(x):
    """Powers of two of fp32 values held in fp64, as :func:`power`; of 0 one so small that nothing is lost beside it."""
    p = cooked(raw(x) & np.int64(0x7FF << 52))
    return select(x == 0, 2.0**-200, select(p < 2.0**-126, 2.0**-126, p))


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
    """fp64: 8 x 8 x 4; 16 x 8 x 4, 8 or 16.  Assumed of the latter: their products are added one by one, too."""
    kind = c[I.SUB]
    rows = 8 if kind == I.F64_884 else 16
    steps = 4 if kind == I.F64_16816 else 2 if kind == I.F64_1688 else 1
    for r in range(steps * rows // 8):
        store_woven(s, 32 * r, (part_pair(c, u, base, 0, r),))
    for r in range(steps):
        lay_columns(s, r, 1, 0, part_pair(c, u, base, 1, r))
    for r in range(rows // 8):
        store_woven(s, _C + 64 * r, (part_pair(c, u, base, 2, 2 * r), part_pair(c, u, base, 2, 2 * r + 1)))
    multiply(s, rows, 4 * steps, 4)
    for r in range(rows // 8):
        put_double(c, u, base, 2 * r, load_even(s, _C + 64 * r), on)
        put_double(c, u, base, 2 * r + 1, load_odd(s, _C + 64 * r), on)


@inline
def put_double(c, u, base, r, value, on):
    """The r-th register pair of d."""
    word = view(value, U64)
    put_row(u, at(c[I.DST], base) + 2 * r, cast(word, U32), on)
    put_row(u, at(c[I.DST], base) + 2 * r + 1, cast(word >> 32, U32), on)
