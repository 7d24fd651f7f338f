"""Is no bound above what any launch was counted to move, and is the page what it was made of?"""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration import bounds

PAGE = Path(__file__).resolve().parents[2] / "docs" / "bounds.md"


@pytest.mark.long
def test_no_launch_moves_less_than_its_bound() -> None:
    found = list(bounds.measured())
    assert len({one.launch for one in found}) >= 266
    assert [one for one in found if one.is_violated] == []


@pytest.mark.long
@pytest.mark.slow
def test_neither_does_any_other_that_was_counted_or_predicted() -> None:
    found = bounds.held()
    assert len(found) >= 2700
    assert [one for one in found if one.is_violated] == []


@pytest.mark.slow
def test_the_page_is_what_it_was_made_of() -> None:
    assert PAGE.read_text() == bounds.page()
