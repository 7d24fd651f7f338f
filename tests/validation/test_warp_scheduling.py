"""Do the same warps get ahead as on an H200?"""

from __future__ import annotations

import pytest

from calibration.microbenchmarks import warp_scheduling


@pytest.mark.parametrize("row", warp_scheduling.MEASURED, ids=warp_scheduling.name)
def test_as_far_as_on_an_h200(row: warp_scheduling.Row) -> None:
    """The youngest warps get ahead, by little where all wait for a queue, by far where all could issue every cycle."""
    times = warp_scheduling.clocks(row)
    assert warp_scheduling.rounds(times) == pytest.approx(row["rounds"], abs=0.3)
    assert times.max() == pytest.approx(row["cycles"], rel=0.1)
