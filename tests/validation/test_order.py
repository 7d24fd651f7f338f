"""Do the same warps get ahead as on an H200?"""

from __future__ import annotations

import pytest

from tests.validation import order


@pytest.mark.parametrize("row", order.MEASURED, ids=order.name)
def test_as_far_as_on_an_h200(row: order.Row) -> None:
    """The youngest warps get ahead, by little where all wait for a queue, by far where all could issue every cycle."""
    times = order.clocks(row)
    assert order.rounds(times) == pytest.approx(row["rounds"], abs=0.3)
    assert times.max() == pytest.approx(row["cycles"], rel=0.1)
