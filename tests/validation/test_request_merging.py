"""Do parts of a line become one request to L2 as on an H200?"""

from __future__ import annotations

import pytest

from calibration.microbenchmarks import request_merging
from tests.marks import most_by_hand

pytestmark = pytest.mark.usefixtures("measured_compiler")
BY_CHANCE = {"W4", "REST"}
"""Warps that share a scheduler, or write the same lines: on an H200 part of the rounds go either way."""
CERTAIN = [row for row in request_merging.MEASURED if not BY_CHANCE & set(row["programs"])]


def test_most_rows_are_certain() -> None:
    assert len(CERTAIN) > 250


@pytest.mark.slow
@pytest.mark.parametrize("row", most_by_hand(CERTAIN[::6], CERTAIN[::12]), ids=request_merging.name)
def test_parts_become_one_request(row: request_merging.Row) -> None:
    assert request_merging.simulated(row) == pytest.approx((row["requests"], row["sectors"]), abs=0.1)


@pytest.mark.long
@pytest.mark.parametrize("row", CERTAIN, ids=request_merging.name)
def test_all_of_them_do(row: request_merging.Row) -> None:
    assert request_merging.simulated(row) == pytest.approx((row["requests"], row["sectors"]), abs=0.1)
