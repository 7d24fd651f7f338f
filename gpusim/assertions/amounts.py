"""Amounts as a test writes them: ``0``, ``"34 MB"``, ``"10 us"``, ``"45 %"``; and as a message shows them."""

from __future__ import annotations

import math
import re

from gpusim.errors import GpusimError, ParameterError, is_number, shown
from gpusim.report.units import format_bytes, format_number, format_seconds, format_share

_AMOUNT = re.compile(r"([-+]?[\d_]*\.?[\d_]+(?:e[-+]?\d+)?)\s*(.*)", re.IGNORECASE)

BYTES = {
    "B": 1, "byte": 1, "bytes": 1,
    "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip
SECONDS = {"s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9}
COUNTS = {"k": 1e3, "M": 1e6, "G": 1e9}


def read(given: int | float | str, unit: str) -> float:
    """Read an amount.

    Parameters
    ----------
    given : int, float or str
        A number is in the unit itself.
    unit : str
        What the quantity is counted in; ``"share"`` for 0 to 1.

    Raises
    ------
    GpusimError
        No number (NaN and infinity are none), or a unit of something else.

    Examples
    --------
    >>> read("34 MB", "byte"), read("10 us", "s"), read("45 %", "share"), read(3, "wavefront"), read("1.5 k", "sector")
    (34000000.0, 1e-05, 0.45, 3, 1500.0)
    """
    if not isinstance(given, str):
        if not is_number(given) or not math.isfinite(given):
            raise ParameterError(f"an amount is a number, or one with its unit as in '34 MB', not {shown(given)}")
        return given
    found = _AMOUNT.fullmatch(given.strip())
    factors = _factors(unit)
    amount = math.nan if found is None else _number(found[1])
    if found is None or found[2] not in factors or not math.isfinite(amount):
        units = ", ".join(name for name in factors if name)
        raise GpusimError(f"{given!r} is no amount of what is counted in {_in_words(unit)}: units are {units}")
    amount *= factors[found[2]]
    return round(amount, 15) if unit == "s" else amount


def _number(text: str) -> float:
    """A number as it is written; NaN where it is none, as 1__0."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _factors(unit: str) -> dict[str, float]:
    """Units that an amount may be in, and what each is worth."""
    if unit == "byte":
        return {"": 1, **BYTES}
    if unit == "s":
        return {"": 1, **SECONDS}
    if unit == "share":
        return {"": 1, "%": 0.01}
    if unit == "%":
        return {"": 1, "%": 1}
    return {"": 1, unit: 1, f"{unit}s": 1, **COUNTS}


def _in_words(unit: str) -> str:
    return {"s": "seconds", "share": "shares of 1", "%": "per cent"}.get(unit, f"{unit}s")


def written(value: float, unit: str) -> str:
    """Write an amount, with all digits that tell it from others.

    Parameters
    ----------
    value : float
    unit : str

    Examples
    --------
    >>> written(63488, "wavefront"), written(265728, "byte"), written(3.07e-6, "s"), written(0.921, "share")
    ('63 488 wavefronts', '266 kB (265 728 bytes)', '3.07 us', '92 %')
    """
    if math.isnan(value):
        return "not known"
    if unit == "byte":
        exact = f"{value:,.0f}".replace(",", " ")
        return f"{format_bytes(value)} ({exact} bytes)" if value >= 1000 else f"{exact} bytes"
    if unit == "s":
        return format_seconds(value)
    if unit == "share":
        return format_share(value)
    if unit == "%":
        return f"{format_number(value)} %"
    whole = float(value).is_integer() and value < 1e15
    number = f"{value:,.0f}".replace(",", " ") if whole else format_number(value)
    plural = "" if value == 1 or "/" in unit or unit == "inst" else "s"
    return f"{number} {unit}{plural}" if unit else number
