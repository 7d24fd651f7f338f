"""Numbers as people read them: bytes, counts, shares.

Units are decimal (1 GB = 10^9 bytes), as in data sheets and in Nsight Compute.
"""

from __future__ import annotations

import math

_BYTE_UNITS = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
_BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_COUNT_UNITS = ("", "k", "M", "G", "T", "P", "E")

NOTHING = "–"
"""Shown where there is no number."""


def format_bytes(nbytes: float) -> str:
    """Give a number of bytes to three significant digits.

    Parameters
    ----------
    nbytes : float
        At least 0; NaN stands for "not known".

    Returns
    -------
    str

    Examples
    --------
    >>> format_bytes(8_398_000_000), format_bytes(999_999), format_bytes(17), format_bytes(float("nan"))
    ('8.40 GB', '1.00 MB', '17 B', '–')
    """
    return _scaled(nbytes, _BYTE_UNITS)


def format_capacity(nbytes: float) -> str:
    """Give the size of a memory as documents print it, in powers of two: ``"192 KiB"``, ``"50 MiB"``.

    Parameters
    ----------
    nbytes : float
        At least 0; NaN stands for "not known".

    Examples
    --------
    >>> format_capacity(196_608), format_capacity(108 * 196_608), format_capacity(80 * 2**30), format_capacity(17)
    ('192 KiB', '20.25 MiB', '80 GiB', '17 B')
    """
    if not math.isfinite(nbytes):
        return NOTHING
    power = min(max(int(nbytes).bit_length() - 1, 0) // 10, len(_BINARY_UNITS) - 1)
    return f"{float(f'{nbytes / 1024**power:.4g}'):g} {_BINARY_UNITS[power]}"


def parse_bytes(text: str) -> float:
    """Read what :func:`format_bytes` wrote.

    Parameters
    ----------
    text : str
        A number and a unit, such as ``"8.40 GB"``.

    Returns
    -------
    float
        Bytes; NaN for "–".

    Raises
    ------
    ValueError
        If it is not a number followed by a decimal byte unit.

    Examples
    --------
    >>> parse_bytes("8.40 GB")
    8400000000.0
    """
    if text == NOTHING:
        return math.nan
    number, _, unit = text.partition(" ")
    if unit not in _BYTE_UNITS:
        raise ValueError(f"{text!r} has no unit among {', '.join(_BYTE_UNITS)}")
    return float(number) * 1000.0 ** _BYTE_UNITS.index(unit)


def format_count(count: float) -> str:
    """Give a count: whole below 100 000, to three significant digits above.

    Parameters
    ----------
    count : float
        At least 0; NaN stands for "not known".

    Returns
    -------
    str

    Examples
    --------
    >>> format_count(65536), format_count(134_217_728), format_count(0)
    ('65 536', '134 M', '0')
    """
    if math.isfinite(count) and round(count) < 100_000:
        return f"{round(count):,}".replace(",", " ")
    return _scaled(count, _COUNT_UNITS)


def format_number(value: float) -> str:
    """Give a value that need not be whole: as a count from 1000 on, to four significant digits below.

    Parameters
    ----------
    value : float
        NaN stands for "not known".

    Returns
    -------
    str

    Examples
    --------
    >>> format_number(9895.2), format_number(28_502.7), format_number(61.163), format_number(0.25), format_number(-7.0)
    ('9 895', '28 503', '61.16', '0.25', '-7')
    """
    if value < 0:
        return f"-{format_number(-value)}"
    if not math.isfinite(value) or value >= 999.95 or float(value).is_integer():
        return format_count(value)
    digits = 3 - math.floor(math.log10(value))
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def format_seconds(seconds: float) -> str:
    """A time with three digits.

    Parameters
    ----------
    seconds : float

    Examples
    --------
    >>> format_seconds(3.2e-5), format_seconds(0.25), format_seconds(194)
    ('32.0 us', '250 ms', '194 s')
    """
    for factor, unit in ((1e9, "ns"), (1e6, "us"), (1e3, "ms"), (1, "s")):
        value = seconds * factor
        if value < 999.5 or unit == "s":
            break
    return f"{value:.0f} {unit}" if value >= 99.95 else f"{value:#.3g} {unit}"


def format_share(share: float) -> str:
    """Give a share of one as a percentage.

    Parameters
    ----------
    share : float
        0.49 for 49 %; NaN stands for "not known".

    Returns
    -------
    str

    Examples
    --------
    >>> format_share(0.4883), format_share(0.004), format_share(1)
    ('49 %', '0.4 %', '100 %')
    """
    if not math.isfinite(share):
        return NOTHING
    percent = 100 * share
    return f"{percent:.1f} %" if 0.05 <= percent < 9.95 else f"{percent:.0f} %"


def format_factor(factor: float) -> str:
    """Give a factor to two digits: ``"3.9"``, ``"16"``.

    Examples
    --------
    >>> format_factor(3.94), format_factor(15.7)
    ('3.9', '16')
    """
    if not math.isfinite(factor):
        return NOTHING
    return f"{factor:.1f}" if factor < 9.95 else f"{factor:.0f}"


def _scaled(value: float, units: tuple[str, ...]) -> str:
    """`value` to three significant digits with the unit that leaves one to three before the point."""
    if not math.isfinite(value):
        return NOTHING
    power = 0
    while value >= 999.5 and power < len(units) - 1:
        value /= 1000
        power += 1
    digits = 0 if power == 0 or value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:.{digits}f} {units[power]}".rstrip()
