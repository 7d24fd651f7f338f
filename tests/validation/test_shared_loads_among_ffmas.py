"""Loads from shared memory among FFMAs: cycles here and on an H200."""

import pytest

from calibration.microbenchmarks.shared_loads_among_ffmas import MEASURED, cycles

WITHIN, WARPS = 0.06, (4, 16)
IN_A_ROW = {"same 4 16", "same 4 32"}
"""Loads in a row keep results waiting longer there (7 to 20 %)."""

pytestmark = pytest.mark.usefixtures("measured_compiler")

RIGHT = [case for case in MEASURED if case not in IN_A_ROW]
KNOWN = [pytest.param(case, marks=pytest.mark.xfail(strict=True)) for case in MEASURED if case in IN_A_ROW]


@pytest.mark.parametrize("case", [*RIGHT, *KNOWN])
def test_loads_hold_back_results_as_on_silicon(case):
    for warps in WARPS:
        assert cycles(case, warps) == pytest.approx(MEASURED[case][str(warps)], rel=WITHIN), warps
