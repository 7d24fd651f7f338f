"""Launches that only move data: cycles here and on an H200."""

import pytest

from calibration.microbenchmarks.streams import MEASURED, cycles

pytestmark = pytest.mark.usefixtures("measured_compiler")


LATE = {"store"}
"""By 13 %: a small launch that only stores, see docs/deviations.md."""


@pytest.mark.parametrize("kernel", MEASURED)
def test_what_moves_four_mebibytes_takes_the_time_it_takes_on_silicon(kernel, request):
    if kernel in LATE:
        request.applymarker(pytest.mark.xfail(strict=True))
    assert cycles(kernel, 4) == pytest.approx(MEASURED[kernel]["4"], rel=0.12)
