"""Formats of printf: their arguments, and the text that a C library makes of them.

Source: CUDA C++ Programming Guide 13, "Formatted Output", for what device code may print and how arguments lie; ISO
C17, 7.21.6.1, for the text.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass

WORD, LONG = 4, 8
SIGNED, UNSIGNED, FLOATS = "di", "uoxX", "fFeEgGaA"

_CONVERSION = re.compile(rb"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?(hh|h|ll|l|j|z|t|L|q)?([diuoxXfFeEgGaAcspn%])")


@dataclass(frozen=True)
class Conversion:
    """One conversion of a format.

    Attributes
    ----------
    before : bytes
        Text in front of it.
    flags : str
    width, precision : int or str or None
        A number, ``"*"`` for an argument, None for none.
    length : str
        ``"h"``, ``"l"``, ``"ll"``, ...
    kind : str
        Its letter; ``"%"`` takes no argument, and neither does ``""``, the end of the format.
    """

    before: bytes
    flags: str = ""
    width: int | str | None = None
    precision: int | str | None = None
    length: str = ""
    kind: str = ""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of its arguments."""
        stars = (self.width == "*") + (self.precision == "*")
        if self.kind in ("", "%"):
            return ()
        long = self.kind in FLOATS + "spn" or self.length in ("l", "ll", "j", "z", "t", "q")
        return (WORD,) * stars + ((LONG if long and self.kind != "c" else WORD),)


def conversions(text: bytes) -> list[Conversion]:
    """Take a format apart.

    Parameters
    ----------
    text : bytes
        Without the zero at its end.

    Examples
    --------
    >>> [(one.before, one.kind) for one in conversions(b"n=%d, %5.1f%%")]
    [(b'n=', 'd'), (b', ', 'f'), (b'', '%'), (b'', '')]
    """
    found, end = [], 0
    for one in _CONVERSION.finditer(text):
        flags, width, precision, length, kind = (None if part is None else part.decode() for part in one.groups())
        numbers = _number(width), _number(None if precision is None else precision or "0")
        found.append(Conversion(text[end : one.start()], flags or "", *numbers, length or "", kind or ""))
        end = one.end()
    return [*found, Conversion(text[end:])]


def _number(text: str | None) -> int | str | None:
    return int(text) if text is not None and text != "*" else text


def places(parts: list[Conversion]) -> tuple[list[int], int]:
    """Where each argument of a format lies, and the bytes of all: each on a multiple of its size."""
    found, end = [], 0
    for size in (size for part in parts for size in part.sizes):
        found.append(-(-end // size) * size)
        end = found[-1] + size
    return found, end


def formatted(text: bytes, arguments: bytes, string_at: Callable[[int], bytes]) -> bytes:
    """What is printed.

    Parameters
    ----------
    text : bytes
        The format.
    arguments : bytes
        As they lie in memory.
    string_at : callable
        The string at an address.
    """
    parts = conversions(text)
    values = iter(places(parts)[0])

    def word(size: int) -> int:
        begin = next(values)
        return int.from_bytes(arguments[begin : begin + size], "little")

    printed = b""
    for part in parts:
        *stars, last = [word(size) for size in part.sizes] or [0]
        printed += part.before + _converted(_filled(part, stars), last, string_at)
    return printed


def _filled(part: Conversion, stars: list[int]) -> Conversion:
    """A conversion with the width and precision that its arguments say."""
    if not stars:
        return part
    numbers = [_signed(star, WORD) for star in stars]
    width = numbers.pop(0) if part.width == "*" else part.width
    precision = numbers.pop(0) if part.precision == "*" else part.precision
    flags = part.flags
    if isinstance(width, int) and width < 0:
        flags, width = flags + "-", -width
    if isinstance(precision, int) and precision < 0:
        precision = None
    return Conversion(part.before, flags, width, precision, part.length, part.kind)


def _converted(part: Conversion, value: int, string_at: Callable[[int], bytes]) -> bytes:
    kind = part.kind
    if kind in ("", "%", "n"):
        return b"%" if kind == "%" else b""
    if kind in SIGNED + UNSIGNED:
        return _padded(part, *_integer(part, value), zeros=part.precision is None)
    if kind in FLOATS:
        number = struct.unpack("<d", value.to_bytes(LONG, "little"))[0]
        finite = number - number == 0
        return _padded(part, *_real(part, number, bool(value >> 63)), zeros=finite)
    if kind == "p":
        return _padded(part, "", f"{value:#x}" if value else "(nil)", zeros=False)
    if kind == "c":
        return _wide(part, bytes([value & 0xFF]))
    string = string_at(value) if value else b"(null)"
    return _wide(part, string if part.precision is None else string[: int(part.precision)])


def _integer(part: Conversion, value: int) -> tuple[str, str]:
    """Sign or prefix, and digits."""
    size = {"hh": 1, "h": 2}.get(part.length, part.sizes[-1])
    if part.kind in SIGNED:
        number = _signed(value, size)
        sign, digits = _sign(part, number < 0), str(abs(number))
    else:
        number = value & (1 << 8 * size) - 1
        digits = format(number, {"u": "d"}.get(part.kind, part.kind))
        sign = f"0{part.kind}" if "#" in part.flags and part.kind in "xX" and number else ""
        if "#" in part.flags and part.kind == "o" and not digits.startswith("0"):
            digits = f"0{digits}"
    least = 1 if part.precision is None else int(part.precision)
    return sign, "" if least == 0 and number == 0 else digits.rjust(least, "0")


def _signed(value: int, size: int) -> int:
    bits = 8 * size
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def _sign(part: Conversion, negative: bool) -> str:
    return "-" if negative else "+" if "+" in part.flags else " " if " " in part.flags else ""


def _real(part: Conversion, number: float, negative: bool) -> tuple[str, str]:
    """Sign and prefix, and digits."""
    sign, size = _sign(part, negative), abs(number)
    if number - number != 0:
        text = "nan" if number != number else "inf"
        return sign, text.upper() if part.kind.isupper() else text
    if part.kind in "aA":
        text = _hexadecimal(size, part)
        prefix, digits = text[:2], text[2:]
        return (sign + prefix.upper(), digits.upper()) if part.kind == "A" else (sign + prefix, digits)
    precision = 6 if part.precision is None else int(part.precision)
    return sign, f"%{'#' if '#' in part.flags else ''}.{precision}{part.kind}" % size


def _hexadecimal(size: float, part: Conversion) -> str:
    """A number as ``%a`` writes it, whose last digit is rounded to even."""
    bits = struct.unpack("<Q", struct.pack("<d", size))[0]
    exponent, fraction = bits >> 52, bits & (1 << 52) - 1
    lead, power = (1, exponent - 1023) if exponent else (0, -1022 if fraction else 0)
    whole, digits = lead << 52 | fraction, 13
    if part.precision is not None and int(part.precision) < digits:
        digits = int(part.precision)
        cut = 4 * (13 - digits)
        rest, whole = whole & (1 << cut) - 1, whole >> cut
        half = 1 << cut - 1
        whole += rest > half or (rest == half and whole & 1)
    text = f"{whole & (1 << 4 * digits) - 1:0{digits}x}" if digits else ""
    text = text.rstrip("0") if part.precision is None else text.ljust(int(part.precision), "0")
    point = "." if text or "#" in part.flags else ""
    return f"0x{whole >> 4 * digits}{point}{text}p{power:+d}"


def _padded(part: Conversion, sign: str, digits: str, *, zeros: bool) -> bytes:
    """To its width: with zeros after the sign, or with blanks."""
    missing = int(part.width or 0) - len(sign) - len(digits)
    if zeros and "0" in part.flags and "-" not in part.flags and missing > 0:
        digits = "0" * missing + digits
    return _wide(part, (sign + digits).encode())


def _wide(part: Conversion, text: bytes) -> bytes:
    width = int(part.width or 0)
    return text.ljust(width) if "-" in part.flags else text.rjust(width)
