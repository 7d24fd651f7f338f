"""Formats of floating-point numbers: their bits, the range they span, and how finely they divide it.

A number is (-1)^s 2^(e - bias) 1.f, with the bits of f called the mantissa.  Between 1
and the next number lies epsilon, 2^-(bits of the mantissa); rounding to nearest is off by
half of it at most.  Below the smallest normal number the exponent stays, and numbers are
evenly spaced: the subnormal ones.

======== ==== ========= ============ ===============================================================
format   sign exponent  mantissa     source
======== ==== ========= ============ ===============================================================
``fp32`` 1    8         23           IEEE 754-2019, binary32
``tf32`` 1    8         10           NVIDIA A100 whitepaper 2020, figure 9
``bf16`` 1    8         7            Kalamkar et al. 2019, arXiv 1905.12322, table 1
``fp16`` 1    5         10           IEEE 754-2019, binary16
``e4m3`` 1    4         3            Micikevicius et al. 2022, arXiv 2209.05433, table 1
``e5m2`` 1    5         2            Micikevicius et al. 2022, arXiv 2209.05433, table 1
======== ==== ========= ============ ===============================================================

All but TF32 are read from ``ml_dtypes.finfo``, and arithmetic in them is that of NumPy and
ml_dtypes.  ml_dtypes has no TF32, which is no type of memory but one that tensor cores
round FP32 operands to: its figures follow from its bits here, and :func:`cast` rounds FP32
numbers to ten bits, to nearest, ties to even.  Arithmetic in TF32 is then that of FP32,
rounded again.  (A sum of two numbers of p bits that is rounded to 2 p + 2 bits and then
to p is rounded as if at once: Figueroa 1995, "When is double rounding innocuous?")

E4M3 has no infinity: what is too large for it becomes NaN.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from gpusim.errors import UnknownNameError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

TYPES = {
    "fp32": "float32",
    "tf32": "float32",
    "bf16": "bfloat16",
    "fp16": "float16",
    "e4m3": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
}
"""The NumPy type that holds numbers of a format, by name."""

_TF32_EXPONENT, _TF32_MANTISSA = 8, 10


@dataclass(frozen=True, slots=True)
class Format:
    """A format of floating-point numbers.

    Attributes
    ----------
    name : str
    exponent_bits, mantissa_bits : int
        Beside one bit for the sign.
    largest : float
        The largest finite number.
    smallest_normal, smallest_subnormal : float
        The smallest numbers above zero, with all bits of the mantissa, and with one.
    epsilon : float
        From 1 to the next number.
    """

    name: str
    exponent_bits: int
    mantissa_bits: int
    largest: float
    smallest_normal: float
    smallest_subnormal: float
    epsilon: float

    @property
    def bits(self) -> int:
        """Of sign, exponent and mantissa: 19 of TF32, which takes 32 in memory."""
        return 1 + self.exponent_bits + self.mantissa_bits

    @property
    def roundoff(self) -> float:
        """The largest relative error of rounding to nearest, half of epsilon."""
        return self.epsilon / 2

    @property
    def largest_score(self) -> float:
        """The x from which on exp(x) is larger than any number: the logarithm of the largest."""
        return math.log(self.largest)


@cache
def format_of(name: str) -> Format:
    """Give a format.

    Parameters
    ----------
    name : str
        One of :data:`TYPES`.

    Raises
    ------
    UnknownNameError
        If there is none of that name.

    Examples
    --------
    >>> fp16 = format_of("fp16")
    >>> fp16.largest, fp16.epsilon, round(fp16.largest_score, 2)
    (65504.0, 0.0009765625, 11.09)
    """
    import ml_dtypes

    dtype = dtype_of(name)
    if name == "tf32":
        return _of_bits(name, _TF32_EXPONENT, _TF32_MANTISSA)
    info = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    figures = (info.max, info.smallest_normal, info.smallest_subnormal, info.eps)
    return Format(name, int(info.nexp), int(info.nmant), *map(float, figures))


def _of_bits(name: str, exponent: int, mantissa: int) -> Format:
    """Derive a format's figures as IEEE 754 does: the largest exponent is kept for infinity and NaN."""
    bias = 2 ** (exponent - 1) - 1
    epsilon = 2.0**-mantissa
    smallest = 2.0 ** (1 - bias)
    return Format(name, exponent, mantissa, (2 - epsilon) * 2.0**bias, smallest, smallest * epsilon, epsilon)


def dtype_of(name: str) -> np.dtype[Any]:
    """Give the NumPy type that holds a format's numbers: FP32 for TF32.

    Raises
    ------
    UnknownNameError
        If there is no such format.
    """
    import ml_dtypes
    import numpy as np

    if name not in TYPES:
        raise UnknownNameError("format", name, TYPES)
    return np.dtype(getattr(ml_dtypes, TYPES[name], TYPES[name]))


def cast(x: ArrayLike, name: str) -> NDArray[Any]:
    """Round numbers to a format, to nearest, ties to even.

    Parameters
    ----------
    x : array_like
        Taken as FP32 first.
    name : str
        One of :data:`TYPES`.

    Returns
    -------
    ndarray
        Of :func:`dtype_of` the format; what is too large is infinite, or NaN where there is no infinity.

    Examples
    --------
    >>> [float(cast(1 / 3, name)) for name in ("tf32", "fp16", "bf16", "e4m3", "e5m2")]
    [0.333251953125, 0.333251953125, 0.333984375, 0.34375, 0.3125]
    """
    import numpy as np

    with np.errstate(over="ignore", under="ignore"):
        single = np.asarray(x, np.float32)
        if name == "tf32":
            return _to_tf32(single)
        return np.asarray(single.astype(dtype_of(name)))


def _to_tf32(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Round off the 13 bits of an FP32 mantissa that TF32 lacks; a carry may go to the exponent, as it should."""
    import numpy as np

    lacks = 23 - _TF32_MANTISSA
    words = np.ascontiguousarray(x).view(np.uint32).reshape(x.shape)
    odd = (words >> np.uint32(lacks)) & np.uint32(1)
    rounded = (words + np.uint32(2 ** (lacks - 1) - 1) + odd) & np.uint32(2**32 - 2**lacks)
    return np.where(np.isfinite(x), rounded.view(np.float32).reshape(x.shape), x)
