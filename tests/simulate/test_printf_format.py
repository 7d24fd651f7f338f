"""Is what printf prints what a C library prints?"""

from __future__ import annotations

import ctypes
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gpusim.simulate.printf_format import conversions, formatted, places

LIBC = ctypes.CDLL(None)
FLAGS = st.sets(st.sampled_from("-+ #0")).map(lambda flags: "".join(sorted(flags)))
WIDTH = st.none() | st.integers(1, 30)
PRECISION = st.none() | st.integers(0, 20)


def _by_c(text: bytes, argument: object) -> bytes:
    room = ctypes.create_string_buffer(4096)
    LIBC.snprintf(room, 4096, text, argument)
    return room.value


def _text(flags: str, width: int | None, precision: int | None, letters: str) -> bytes:
    middle = f"{'' if width is None else width}{'' if precision is None else f'.{precision}'}"
    return f"<%{flags}{middle}{letters}>".encode()


@given(FLAGS, WIDTH, PRECISION, st.sampled_from(["", "h", "hh", "l", "ll"]), st.sampled_from("diuxXo"), st.integers())
def test_integers_are_written_as_in_c(flags, width, precision, length, kind, number):
    text = _text(flags, width, precision, length + kind)
    size = 8 if length in ("l", "ll") else 4
    bits = number & (1 << 8 * size) - 1
    argument = (ctypes.c_uint64 if size == 8 else ctypes.c_uint32)(bits)
    assert formatted(text, bits.to_bytes(size, "little"), lambda at: b"") == _by_c(text, argument)


@given(FLAGS, WIDTH, PRECISION, st.sampled_from("fFeEgGaA"), st.floats())
@example("0", 10, None, "f", float("-inf"))
@example("", None, 0, "a", 1.5)
@example("#", None, 0, "a", 2.5)
@example("", None, None, "a", 5e-324)
def test_floats_are_written_as_in_c(flags, width, precision, kind, number):
    text = _text(flags, width, precision, kind)
    assert formatted(text, struct.pack("<d", number), lambda at: b"") == _by_c(text, ctypes.c_double(number))


@given(st.sampled_from(["", "-"]), WIDTH, PRECISION, st.binary(max_size=20).filter(lambda s: 0 not in s))
def test_strings_are_written_as_in_c(flags, width, precision, string):
    text = _text(flags, width, precision, "s")
    assert formatted(text, struct.pack("<Q", 7), {7: string}.__getitem__) == _by_c(text, ctypes.c_char_p(string))


@pytest.mark.parametrize(
    ("text", "arguments", "printed"),
    [
        (b"100%%\n", b"", b"100%\n"),
        (b"%c%5c", struct.pack("<2i", 65, 66), b"A    B"),
        (b"%p", struct.pack("<Q", 0x7F0000001000), b"0x7f0000001000"),
        (b"%*d|", struct.pack("<2i", -5, 42), b"42   |"),
        (b"%.*f|", struct.pack("<i4xd", 2, 1.125), b"1.12|"),
        (b"%s", struct.pack("<Q", 0), b"(null)"),
        (b"%d %lld %d", struct.pack("<i4xqi", -1, -2, 3), b"-1 -2 3"),
    ],
)
def test_what_device_code_may_print(text, arguments, printed):
    assert formatted(text, arguments, lambda at: b"?") == printed


def test_arguments_lie_on_multiples_of_their_sizes():
    assert places(conversions(b"%d %f %hd %s %c")) == ([0, 8, 16, 24, 32], 36)
