"""Does code outside ``gpusim/hardware`` compare architectures, or hold numbers of one?"""

import pytest

from tests.house.hardware_numbers import everywhere, found, telling


def test_what_an_architecture_is_stands_in_its_file() -> None:
    assert everywhere() == []


@pytest.mark.parametrize(
    "text",
    [
        "base = 0x210",
        "if size > 227 * 1024: pass",
        "held = 48 << 10",
        "size = 60 * 1024 * 1024",
        "known = arch >= 90",
        "known = gpu.compute_capability < (9, 0)",
        "bases = {'sm_90': 8}",
        "told = f'sm_{n}, compute_90'",
    ],
)
def test_they_are_found(text: str) -> None:
    assert list(found(text, "a.py", telling()))


@pytest.mark.parametrize(
    "text", ["size = 1024", "mask = 0xFFFF", "'''Since sm_90.'''", "name = f'sm_{n}'", "same = arch == other"]
)
def test_nothing_else_is(text: str) -> None:
    assert not list(found(text, "a.py", telling()))
