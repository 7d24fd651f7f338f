"""Rounding in training: updates that are lost, gradients that vanish, sums that drift, exponentials that overflow.

Each function computes in the format that it is asked for, number by number, as
NumPy and ml_dtypes do (see :mod:`gpusim.model.formats`), and returns what came out.

- A weight w stays as it is where the update is less than half the distance to the
  next number, so epsilon / 2 near 1: updates then belong in a master copy in FP32.
  Source: Micikevicius et al. 2018, "Mixed precision training", arXiv 1710.03740,
  section 3.1.
- A gradient below half the smallest subnormal number becomes 0; times 2^k it may
  not, and is divided again in FP32.  Source: the same, section 3.2.
- N numbers added one after another are off by (N - 1) u sum |x| at most, to first order,
  with u = epsilon / 2.  Source: Higham 2002, "Accuracy and stability of numerical
  algorithms", 2nd edition, section 4.2, equation 4.4.  Lectures write (N - 1) epsilon,
  twice as much.
- A sum stops growing where a term is below half the distance to the next number: ones
  add up to 2 / epsilon and no further.
- exp(x) overflows from the logarithm of the largest number on.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from gpusim.errors import ParameterError
from gpusim.model.formats import cast, format_of
from gpusim.model.inputs import at_least

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def _plus(a: Any, b: Any, name: str) -> Any:
    """Add two numbers of a format; a sum in FP32 is rounded to TF32."""
    return cast(a + b, name)[()] if name == "tf32" else a + b


def updated(weight: float, step: float, times: int, name: str) -> float:
    """Add a step to a weight again and again, rounding after each.

    Parameters
    ----------
    weight, step : float
    times : int
    name : str
        Format, one of :data:`gpusim.model.formats.TYPES`.

    Returns
    -------
    float
        The weight in the end.

    Examples
    --------
    >>> updated(1.0, 1e-4, 100, "bf16"), round(updated(1.0, 1e-4, 100, "fp32"), 4)
    (1.0, 1.01)
    """
    at_least(0, times=times)
    current, change = cast(weight, name)[()], cast(step, name)[()]
    for _ in range(times):
        current = _plus(current, change, name)
    return float(current)


def scaled_gradient(gradient: float, name: str, scale: float = 1.0) -> float:
    """Write a gradient in a format after multiplying it, and divide it again in FP32.

    Parameters
    ----------
    gradient : float
    name : str
        Format.
    scale : float
        Of the loss, and so of all gradients; a power of two changes no bit of the mantissa.

    Returns
    -------
    float
        What the optimizer sees.

    Examples
    --------
    >>> scaled_gradient(2.0**-27, "fp16"), scaled_gradient(2.0**-27, "fp16", 2.0**16) == 2.0**-27
    (0.0, True)
    """
    return float(cast(gradient * scale, name)) / scale


def accumulated(values: ArrayLike, name: str) -> float:
    """Round numbers to a format and add them one after another, rounding after each.

    Parameters
    ----------
    values : array_like
        One axis, at least a number.
    name : str
        Format.

    Returns
    -------
    float

    Raises
    ------
    ParameterError
        If there is no number, or more than one axis.

    Examples
    --------
    >>> [accumulated([1.0] * 600, name) for name in ("fp16", "bf16", "e4m3", "e5m2")]
    [600.0, 256.0, 16.0, 8.0]
    """
    terms = cast(values, name)
    if terms.ndim != 1 or not terms.size:
        raise ParameterError("values must be a list of numbers, one at least")
    total = terms[0]
    for term in terms[1:]:
        total = _plus(total, term, name)
    return float(total)


def accumulation_bound(terms: int, name: str) -> float:
    """Give (N - 1) epsilon: what a sum of N numbers above zero may be off by, over the sum.

    Parameters
    ----------
    terms : int
        N.
    name : str
        Format.

    Returns
    -------
    float
        From 1 on it says nothing.  Half of it suffices to first order, as rounding is to nearest.

    Examples
    --------
    >>> accumulation_bound(1025, "bf16")
    8.0
    """
    at_least(1, terms=terms)
    return (terms - 1) * format_of(name).epsilon


def largest_surviving_score(name: str) -> int:
    """Try whole scores x, from 0 up: the last one whose exponential, rounded to a format, is a finite number.

    Parameters
    ----------
    name : str
        Format.

    Returns
    -------
    int

    Examples
    --------
    >>> [largest_surviving_score(name) for name in ("fp32", "fp16")]
    [88, 11]
    """
    import numpy as np

    def overflows(score: int) -> bool:
        return not np.isfinite(cast(np.exp(np.float64(score)), name).astype(np.float32))

    return next(score for score in count() if overflows(score)) - 1
