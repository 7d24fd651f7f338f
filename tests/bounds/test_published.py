"""Are the bounds that others published reproduced, or improved?"""

from __future__ import annotations

import pytest

from gpusim.bounds.published import ROWS, Row, ratio, verdict


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.program}, {row.source}")
def test_no_published_bound_is_better(row: Row) -> None:
    assert ratio(row) >= (0.5 if row.order else 1 - 1e-9)


def test_there_are_25_programs() -> None:
    assert len({row.program for row in ROWS}) >= 25
    assert all(row.source for row in ROWS)


def test_a_verdict_says_by_how_much() -> None:
    assert verdict(1.0, order=False) == "equal"
    assert verdict(5.66, order=False) == "better by 5.66"
    assert verdict(0.25, order=False) == "weaker by 4"
    assert verdict(0.577, order=True) == "same order, constant 0.577"
