"""The descriptions are launched as the kernels were whose hardware counters they are held against."""

import pytest

from calibration.described import MEASURED
from gpusim.catalogue import lookup


@pytest.mark.parametrize("name", MEASURED)
def test_grid_and_block_are_those_that_were_measured(name):
    measured = MEASURED[name]
    launch = lookup.get(measured.kernel).launch(**measured.params)
    assert launch.grid == measured.grid
    assert launch.block == measured.block


@pytest.mark.parametrize("name", MEASURED)
def test_no_two_launches_are_described_alike(name):
    same = [other for other, launch in MEASURED.items() if launch == MEASURED[name]]
    assert same == [name]
