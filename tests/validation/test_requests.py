"""Do parts of a line become one request to L2 as on an H200?"""

from __future__ import annotations

import pytest

from tests.validation import requests

pytestmark = pytest.mark.usefixtures("measured_compiler")
BY_CHANCE = {"W4", "REST"}
"""Warps that share a scheduler, or write the same lines: on an H200 part of the rounds go either way."""
CERTAIN = [row for row in requests.MEASURED if not BY_CHANCE & set(row["programs"])]


def test_most_rows_are_certain() -> None:
    assert len(CERTAIN) > 250


@pytest.mark.slow
@pytest.mark.parametrize("row", CERTAIN[::6], ids=requests.name)
def test_parts_become_one_request(row: requests.Row) -> None:
    assert requests.simulated(row) == pytest.approx((row["requests"], row["sectors"]), abs=0.1)


@pytest.mark.long
@pytest.mark.parametrize("row", CERTAIN, ids=requests.name)
def test_all_of_them_do(row: requests.Row) -> None:
    assert requests.simulated(row) == pytest.approx((row["requests"], row["sectors"]), abs=0.1)
