"""When the data of loads with bank conflicts is there: here and on an H200."""

import pytest

from calibration.microbenchmarks.bank_conflicts import MEASURED, cycles

pytestmark = pytest.mark.usefixtures("measured_compiler")


@pytest.mark.parametrize("kernel", MEASURED)
def test_the_last_register_of_a_load_comes_when_it_comes_on_silicon(kernel):
    within = 0.2 if kernel.startswith("shared") else 1.3
    for stride, measured in MEASURED[kernel].items():
        assert cycles(kernel, int(stride)) == pytest.approx(measured, abs=within), stride
