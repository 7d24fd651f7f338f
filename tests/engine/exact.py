"""What arithmetic gives in exact numbers, rounded once to a format: the judge of everything floating."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import ml_dtypes
import numpy as np

from gpusim.isa.variants import Round


class Format(NamedTuple):
    """A binary float: significant bits, exponent of its smallest unit, exponent its largest power of two has."""

    digits: int
    unit: int
    top: int
    dtype: type

    @property
    def largest(self) -> Fraction:
        if self.dtype is ml_dtypes.float8_e4m3fn:
            return Fraction(448)
        return (2 - Fraction(1, 1 << (self.digits - 1))) * Fraction(2) ** self.top

    @property
    def least_normal(self) -> float:
        return 2.0 ** (self.unit + self.digits - 1)


FP64 = Format(53, -1074, 1023, np.float64)
FP32 = Format(24, -149, 127, np.float32)
FP16 = Format(11, -24, 15, np.float16)
BF16 = Format(8, -133, 127, ml_dtypes.bfloat16)
E4M3 = Format(4, -9, 8, ml_dtypes.float8_e4m3fn)
E5M2 = Format(3, -16, 15, ml_dtypes.float8_e5m2)


def to_integer(x: Fraction, how: Round) -> int:
    """The whole number next to ``x``."""
    if how is Round.NEAREST:
        return round(x)  # halves to even
    if how is Round.ZERO:
        return math.trunc(x)
    return math.floor(x) if how is Round.DOWN else math.ceil(x)


def rounded(x: Fraction, form: Format, how: Round = Round.NEAREST) -> float:
    """``x``, not zero, as the format holds it; infinite where it is too large."""
    exponent = abs(x).numerator.bit_length() - abs(x).denominator.bit_length() - 1
    while abs(x) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    unit = Fraction(2) ** max(exponent - form.digits + 1, form.unit)
    value = to_integer(x / unit, how) * unit
    if abs(value) > form.largest:
        inward = how is Round.ZERO or (how is Round.DOWN and x > 0) or (how is Round.UP and x < 0)
        return (-1 if x < 0 else 1) * (float(form.largest) if inward else math.inf)
    return math.copysign(float(abs(value)), -1 if x < 0 else 1)


def fused(a: float, b: float, c: float, form: Format, how: Round = Round.NEAREST) -> float:
    """``a * b + c`` with one rounding."""
    if not all(map(math.isfinite, (a, b, c))):
        return c if math.isfinite(a) and math.isfinite(b) else a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact:
        return rounded(exact, form, how)
    sign = math.copysign(1, a) * math.copysign(1, b)
    if (a == 0 or b == 0) and sign == math.copysign(1, c):
        return math.copysign(0.0, sign)
    return -0.0 if how is Round.DOWN else 0.0


def product(a: float, b: float, form: Format, how: Round = Round.NEAREST) -> float:
    """``a * b`` rounded."""
    return fused(a, b, math.copysign(0.0, math.copysign(1, a) * math.copysign(1, b)), form, how)


def flushed(x: float, form: Format) -> float:
    """``x``, or a zero of its sign where it is subnormal."""
    return math.copysign(0.0, x) if abs(x) < form.least_normal else x


def clamped(x: float) -> float:
    """``x`` in [0, 1]; NaN gives 0."""
    return min(x, 1.0) if x > 0 else 0.0


def modified(x: np.ndarray, neg: bool, magnitude: bool = False) -> np.ndarray:
    """``x`` as an operand's modifiers change it."""
    x = np.abs(x) if magnitude else x
    return -x if neg else x


def same(got: np.ndarray, want: np.ndarray) -> None:
    """Equal bit for bit as floats of the type of ``want``; any NaN is as good as another."""
    bits = np.dtype(f"u{want.dtype.itemsize}")
    got = got.astype(bits).view(want.dtype) if got.dtype != want.dtype else got
    nan = np.isnan(want.astype(np.float64))
    np.testing.assert_array_equal(np.isnan(got.astype(np.float64)), nan)
    np.testing.assert_array_equal(got[~nan].view(bits), want[~nan].view(bits))
