"""Does a warp whose lanes come to a WARPSYNC by different ways execute as many instructions as on an H200?"""

from __future__ import annotations

import pytest

from calibration.microbenchmarks import meetings


@pytest.mark.parametrize("row", meetings.MEASURED, ids=meetings.name)
def test_lanes_that_meet_execute_the_barrier_once_more(row: meetings.Row) -> None:
    """Once for each way, and once together."""
    assert meetings.simulated(row) == row
