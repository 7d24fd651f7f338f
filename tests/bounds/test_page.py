"""Is every computation that docs/bounds.md writes out one that gpusim reads?"""

from __future__ import annotations

import pytest

from gpusim.bounds.computation import parse
from tests.docs.fences import fences

WRITTEN = [line for block in fences("docs/bounds.md") if block.language == "text" for line in block.text.splitlines()]


def test_there_are_some() -> None:
    assert len(WRITTEN) >= 6


@pytest.mark.parametrize("written", WRITTEN)
def test_it_is_read(written: str) -> None:
    assert parse(written).statements
