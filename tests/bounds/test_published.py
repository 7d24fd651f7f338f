"""Are the bounds that others published reproduced, or improved?"""

from __future__ import annotations

import pytest

from gpusim.bounds.published import INPUTS, ROWS, Row, ratio, verdict


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.program}, {row.source.name}, {row.formula}")
def test_no_published_bound_is_better_but_those_that_the_page_says(row: Row) -> None:
    if row.higher:
        assert 0.09 < ratio(row) < 0.9
    else:
        assert ratio(row) >= (0.5 if row.order else 1 - 1e-9)


def test_25_programs_are_held_against_formulas_that_were_checked() -> None:
    checked = [row for row in ROWS if row.source.checked and row.source is not INPUTS and not row.higher]
    assert len({row.program for row in checked}) >= 25
    assert {row.program for row in ROWS if row.higher} <= {row.program for row in checked}


def test_a_verdict_says_by_how_much() -> None:
    assert verdict(1.0, order=False) == "equal"
    assert verdict(5.66, order=False) == "better by 5.66"
    assert verdict(0.25, order=False) == "weaker by 4"
    assert verdict(0.577, order=True) == "same order, constant 0.577"
