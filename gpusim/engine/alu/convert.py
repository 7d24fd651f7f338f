"""Conversions between integers, floats of all sizes, and packed ones."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.half import from_half, from_octet, narrowed
from gpusim.engine.alu.operands import (
    FULL,
    HIGH,
    MAGNITUDE,
    SIGN,
    canonical,
    double,
    flushed,
    negated,
    pair,
    put,
    put_pair,
    put_real,
    real,
    signed,
    word,
)
from gpusim.engine.alu.packed import half_of
from gpusim.engine.alu.rounding import clamped, lost, nudged, odd, single, single_odd, whole
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lanes import F32, F64, I32, I64, U32, U64, cast, saturated, select, view
from gpusim.engine.state import fields as I


def convert(c, u, base, preds, scratch, on):
    """Dispatch by opcode."""
    op, kind, how, other = c[0], c[I.SUB] & 15, (c[I.SUB] >> 4) & 3, (c[I.SUB] >> 8) & 15
    if op == I.F2FP:
        f2fp(c, u, base, kind, how, on)
    elif op == I.I2F:
        i2f(c, u, base, kind, how, other, on)
    elif op == I.F2I:
        f2i(c, u, base, kind, how, other, on)
    elif op == I.FRND:
        result(c, u, base, whole(source(c, u, base, 0, other), how), other, how, on)
    elif op == I.I2I:
        i2i(c, u, base, kind, on)
    elif op == I.F2IP:
        low, high = whole_of(c, u, base, 1, kind, how, 0), whole_of(c, u, base, 0, kind, how, 0)
        put(c, u, base, (word(c, u, base, 2) << 16) | ((high & 255) << 8) | (low & 255), on)
    elif kind == I.TO_F64:
        result(c, u, base, source(c, u, base, 0, other), I.F64, how, on)
    elif kind == I.TO_F16 or kind == I.TO_BF16:
        result(c, u, base, source(c, u, base, 0, other), I.F16 if kind == I.TO_F16 else I.BF16, how, on)
    else:
        result(c, u, base, source(c, u, base, 0, kind), I.S32, how, on)


# ------------------------------------------------------------------ floats of any size


@jit
def source(c, u, base, which, kind):
    """A source as fp64; ``kind`` other than F16, BF16, F64: an fp32."""
    if kind == I.F64:
        x = double(c, u, base, which)
        return flushed_double(x) if c[I.FLAGS] & I.FTZ else x
    if kind == I.F16 or kind == I.BF16:
        n = (word(c, u, base, which) >> np.uint32(16 if half_picked(c) == HIGH else 0)) & 0xFFFF
        x = view(from_half(n, kind == I.BF16), U32) & (MAGNITUDE if c[I.MODS] & 8 else FULL)
        x = view(x ^ (negated(c, which) & SIGN), F32)
        x = flushed_below(x, kind) if c[I.FLAGS] & I.FTZ else x
    else:
        x = real(c, u, base, which)
    return cast(x, F64)


@inline
def flushed_double(x):
    """fp64 values with subnormal ones as zeros of their sign."""
    n = view(x, U64)
    return view(select((n & np.uint64(0x7FF << 52)) == 0, n & np.uint64(1 << 63), n), F64)


@inline
def flushed_below(x, kind):
    """fp16 or bf16 values, held as fp32, with those subnormal in their format as zeros of their sign."""
    n, least = view(x, U32), np.uint32(0x00800000 if kind == I.BF16 else 0x38800000)
    return view(select((n & MAGNITUDE) < least, n & SIGN, n), F32)


@inline
def half_picked(c):
    """What Operand.half says of source a."""
    return (c[I.MODS] >> 6) & 7


@jit
def result(c, u, base, x, kind, how, on):
    """Write fp64 values to the destination in a format."""
    if c[I.FLAGS] & I.SAT:
        x = clamped(x)
    if kind == I.F64:
        put_pair(c, u, base, view(x, U64), on)
    elif kind == I.F16 or kind == I.BF16:
        y = narrowed(single_odd(x), kind, how, False)
        if c[I.FLAGS] & I.FTZ:
            y = select((y & np.uint32(0x7F80 if kind == I.BF16 else 0x7C00)) == 0, y & 0x8000, y)
        put(c, u, base, y, on)
    else:
        y = single(x, how)
        if c[0] != I.F2F or (c[I.SUB] & 15) != I.F64:  # a NaN of fp64 keeps the upper bits of its payload
            y = canonical(y)
        put_real(c, u, base, flushed(y) if c[I.FLAGS] & I.FTZ else y, on)


# ------------------------------------------------------------------ integers


@jit
def i2f(c, u, base, kind, how, other, on):
    """Integer to float: the sum of its two words as fp64, rounded once."""
    n = integer_source(c, u, base, kind)
    low = cast(n & np.int64(0xFFFFFFFF), F64)
    top = cast(view(n, U64) >> 32, F64) if kind == I.U64 else cast(n >> 32, F64)
    high = top * 2.0**32
    s = high + low
    e = lost(high, low, s)
    if other == I.F64:
        result(c, u, base, nudged(s, e > 0, e < 0, how), I.F64, how, on)
    else:
        result(c, u, base, odd(s, e > 0, e < 0), other, how, on)


@jit
def integer_source(c, u, base, kind):
    """Source a as 64-bit integers; of 8 and 16 bits its byte or half is in the operand's ``half``."""
    pick = half_picked(c)
    if kind == I.S64 or kind == I.U64:
        return modified(c, view(pair(c, u, base, 0), I64))
    n = word(c, u, base, 0)
    if kind == I.S8 or kind == I.U8:
        n = n << np.uint32(24 - 8 * (pick - 3) if pick > 3 else 8 if pick == HIGH else 24)
        n = n >> 24 if kind == I.U8 else view(signed(n) >> 24, U32)
    elif kind == I.S16 or kind == I.U16:
        n = n << np.uint32(0 if pick == HIGH else 16)
        n = n >> 16 if kind == I.U16 else view(signed(n) >> 16, U32)
    return modified(c, view(cast(n, U64), I64) if kind == I.U32 else cast(signed(n), I64))


@inline
def modified(c, n):
    """Integers with the sign or magnitude asked for."""
    if c[I.MODS] & 8:
        n = select(n < 0, 0 - n, n)
    if c[I.MODS] & 1:
        n = 0 - n
    return n


@jit
def f2i(c, u, base, kind, how, other, on):
    """Float to integer, saturating; NaN gives 0, or with the NAN flag the sign bit alone."""
    if kind == I.S64 or kind == I.U64:
        x = source(c, u, base, 0, other)
        r = whole(x, how)
        n = saturated(r, U64) if kind == I.U64 else view(saturated(r, I64), U64)
        if c[I.FLAGS] & I.NAN_FLAG:
            n = select(x != x, np.uint64(1 << 63), n)
        put_pair(c, u, base, n, on)
    else:
        put(c, u, base, whole_of(c, u, base, 0, kind, how, other), on)


@jit
def whole_of(c, u, base, which, kind, how, other):
    """A float as an integer of at most 32 bits."""
    x = source(c, u, base, which, other)
    r = whole(x, how)
    n = saturated(r, U32) if kind == I.U32 else clipped(saturated(r, I32), kind)
    if c[I.FLAGS] & I.NAN_FLAG:
        n = select(x != x, np.uint32(1 << (size_of(kind) - 1)), n)
    return n


@inline
def size_of(kind):
    """Bits of an integer type of at most 32."""
    return 8 if kind == I.S8 or kind == I.U8 else 16 if kind == I.S16 or kind == I.U16 else 32


@jit
def i2i(c, u, base, kind, on):
    """A word clamped to what fewer bits hold."""
    n = signed(word(c, u, base, 0))
    if c[I.FLAGS] & I.UNSIGNED:
        n = select(n < 0, np.int32(0x7FFFFFFF), n)
    put(c, u, base, clipped(n, kind), on)


@inline
def clipped(n, kind):
    """Signed words clamped to what a type of at most 32 bits holds."""
    unsigned, size = kind == I.U8 or kind == I.U16, size_of(kind)
    least = np.int32(0 if unsigned else -(1 << (size - 1)))
    most = np.int32((1 << size if unsigned else 1 << (size - 1)) - 1)
    n = select(n < least, least, n)
    return view(select(n > most, most, n), U32)


# ------------------------------------------------------------------ packed


@jit
def f2fp(c, u, base, kind, how, on):
    """Two fp32 packed, or one and half a word; or two octets unpacked to fp16."""
    octets, finite = kind == I.E4M3 or kind == I.E5M2, c[I.FLAGS] & I.SAT != 0
    if c[I.FLAGS] & I.UNPACK and not finite:
        n = word(c, u, base, 0) >> np.uint32(16 if half_picked(c) == HIGH else 0)
        low, high = from_octet(n & 0xFF, kind), from_octet((n >> 8) & 0xFF, kind)
        value = narrowed(low, I.F16, 0, False) | (narrowed(high, I.F16, 0, False) << 16)
    else:
        if c[I.FLAGS] & I.UNPACK:
            x, y = half_of(c, u, base, 0, 1), half_of(c, u, base, 0, 0)
        else:
            x, y = real(c, u, base, 0), real(c, u, base, 1)
        high = narrowed(rectified(c, x), kind, how, finite)
        low = narrowed(rectified(c, y), kind, how, finite)
        value = low | (high << np.uint32(8 if octets else 16))
        if c[I.FLAGS] & I.MERGE:
            rest = word(c, u, base, 2)
            value = value & 0xFFFF | (rest & 0xFFFF0000 if (c[I.MODS] >> 12) & 7 == HIGH else rest << 16)
    put(c, u, base, value, on)


@inline
def rectified(c, x):
    """Negative values and -0 as 0, if asked for."""
    return select(x <= 0, 0, x) if c[I.FLAGS] & I.RELU else x
