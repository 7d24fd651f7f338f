"""How long launches take that do nothing: here and on an H200."""

import pytest

from calibration.microbenchmarks import launch_overhead

EMPTY = [row for row in launch_overhead.SHOWN if row["kernel"] == "e_empty"]

LATE_WARPS = {(16896, 1024)}
"""11 % slow: warps of a block start two cycles apart here as there; there that keeps no block waiting."""


@pytest.mark.slow
@pytest.mark.usefixtures("measured_compiler")
@pytest.mark.parametrize("row", EMPTY, ids=lambda r: f"{r['grid']}x{r['block']}")
def test_launching_takes_the_time_it_takes_on_silicon(row, request):
    """Within a tenth and 600 cycles: two runs of an H200 differ by 300 to 500 where hardly anything happens."""
    if (row["grid"], row["block"]) in LATE_WARPS:
        request.applymarker(pytest.mark.xfail(strict=True))
    found = launch_overhead.cycles("e_empty", row["grid"], row["block"], None)
    assert found == pytest.approx(row["cycles_elapsed_max"], rel=0.1, abs=600)
