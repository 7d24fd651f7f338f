"""Formats of 16 and 8 bits: what their bits mean, 32 lanes at once.

:func:`half_value`, :func:`half_bits` and :func:`bf16_bits` do one number, for what goes lane by lane.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import MAGNITUDE, ONE, SIGN
from gpusim.engine.alu.rounding import narrow
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lanes import F32, U32, cast, magnitude, raw, select, splat, view
from gpusim.engine.state import fields as I

# A format: bits of its fraction, the exponent field fp32 has where its own is 1, its largest finite value, what
# lies beyond (infinity or NaN), NaN, and its sign's place.
_FP16 = 10, 113, 0x7BFF, 0x7C00, 0x7FFF, 15
_BF16 = 7, 1, 0x7F7F, 0x7F80, 0x7FFF, 15
_E4M3 = 3, 121, 0x7E, 0x7F, 0x7F, 7
_E5M2 = 2, 113, 0x7B, 0x7C, 0x7F, 7


@inline
def from_fp16(h):
    """fp16 (with zeros above) to fp32."""
    n = (h & 0x7FFF) << 13
    exponent = n & 0x0F800000
    normal = n + select(exponent == 0x0F800000, splat(224 << 23, U32), 112 << 23)
    small = view(view(n + (113 << 23), F32) - np.float32(2.0**-14), U32)
    return view(select(exponent == 0, small, normal) | ((h & 0x8000) << 16), F32)


@inline
def from_half(h, brain):
    """fp16 or bf16 (``brain``), with zeros above, to fp32."""
    if brain:
        x = view(h << 16, F32)
    else:
        x = from_fp16(h)
    return x


@jit
def from_octet(b, kind):
    """E4M3 or E5M2, with zeros above, to fp32."""
    if kind == I.E5M2:
        return from_fp16(b << 8)
    size = b & 0x7F
    n = view(view(size << 20, F32) * np.float32(2.0**120), U32) | ((b & 0x80) << 24)
    return view(select(size == 0x7F, splat(0x7FFFFFFF, U32), n), F32)


@inline
def format_of(kind):
    """A narrow format's description."""
    if kind == I.BF16:
        return _BF16
    if kind == I.E4M3:
        return _E4M3
    if kind == I.E5M2:
        return _E5M2
    return _FP16


@jit
def narrowed(x, kind, how, finite):
    """fp32 to a format of 16 or 8 bits; ``finite``: what is too large becomes the largest value."""
    fraction, least, most, beyond, nan, place = format_of(kind)
    n, size = narrow(x, fraction, least, how), magnitude(x)
    negative = raw(x) < 0
    if how == I.ROUND_NEAREST:
        limit = splat(beyond, U32)
    else:
        outward = (negative ^ (how == I.ROUND_UP)) & (how != I.ROUND_ZERO)
        limit = select(outward | (size == np.float32(np.inf)), splat(beyond, U32), most)
    if finite:
        limit = splat(most, U32)
    n = select(n > most, limit, n) | (cast(negative, U32) << np.uint32(place))
    return select(x != x, nan, n)


# ------------------------------------------------------------------ one number


@jit
def half_value(h):
    """fp16 bit pattern -> float32."""
    n = np.uint32((h & np.uint32(0x7FFF)) << np.uint32(13))
    exponent = n & np.uint32(0x0F800000)
    if exponent == 0:
        size = np.uint32(n + np.uint32(113 << 23)).view(np.float32) - np.float32(2.0**-14)
    else:
        size = np.uint32(n + np.uint32((224 if exponent == 0x0F800000 else 112) << 23)).view(np.float32)
    return -size if h & np.uint32(0x8000) else size


@jit
def half_bits(x):
    """float32 -> fp16 bit pattern, round to nearest even."""
    n = np.float32(x).view(np.uint32)
    sign, n = np.uint32((n & SIGN) >> np.uint32(16)), np.uint32(n & MAGNITUDE)
    if n > np.uint32(0x7F800000):
        return np.uint32(0x7FFF)
    if n >= np.uint32(0x47800000):
        return np.uint32(sign | np.uint32(0x7C00))
    if n < np.uint32(113 << 23):  # the sum's last bit is the subnormal's
        return np.uint32(
            sign | (np.float32(n.view(np.float32) + np.float32(0.5)).view(np.uint32) - np.uint32(126 << 23))
        )
    rounded = n - np.uint32(112 << 23) + np.uint32(0xFFF) + ((n >> np.uint32(13)) & ONE)
    return np.uint32(sign | (np.uint32(rounded) >> np.uint32(13)))


@jit
def bf16_bits(bits):
    """float32 bit pattern -> bf16 bit pattern, round to nearest even."""
    if (bits & MAGNITUDE) > np.uint32(0x7F800000):
        return np.uint32(0x7FFF)
    rounded = np.uint64(bits) + np.uint64(0x7FFF) + np.uint64((bits >> np.uint32(16)) & ONE)
    return np.uint32(rounded >> np.uint64(16))
