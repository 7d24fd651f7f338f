"""Does L1 replace what it replaces on an H200?"""

from __future__ import annotations

import numpy as np
import pytest

from calibration import bench
from calibration.microbenchmarks import l1_replacement
from gpusim import hardware
from gpusim.engine.l1 import set_of
from gpusim.simulate.build import l1_table

TAGS_KIB, ROOM_KIB = 256, 32  # of an L1; and how much less than that is surely there beside the smallest carve-out


def well_below(row: l1_replacement.Row) -> bool:
    """Whether all regions a row uses fit in L1 together, whatever their order."""
    return sum(row[region] for region in l1_replacement.REGIONS) <= TAGS_KIB - ROOM_KIB


FITS = [row for row in l1_replacement.MEASURED if well_below(row)]
STREAMS = [row for row in l1_replacement.MEASURED if not well_below(row)]


@pytest.mark.parametrize("row", FITS[::2], ids=l1_replacement.name)
def test_what_fits_is_held(row: l1_replacement.Row) -> None:
    assert l1_replacement.simulated(row) == l1_replacement.share(row)


@pytest.mark.parametrize("row", STREAMS[::2], ids=l1_replacement.name)
def test_what_outlasts_a_stream(row: l1_replacement.Row) -> None:
    """Within 2 % in three of four, 9 % at most."""
    assert l1_replacement.simulated(row) == pytest.approx(l1_replacement.share(row), abs=0.09)


@pytest.mark.long
def test_most_that_outlasts_a_stream_is_right() -> None:
    off = [abs(l1_replacement.simulated(row) - l1_replacement.share(row)) for row in STREAMS]
    assert np.mean(np.array(off) < 0.02) > 0.7
    assert np.median(off) < 0.001


def test_lines_that_replace_one_another_share_a_set() -> None:
    """Every line found on an H200, of addresses that differ in any of 26 bits."""
    table, measured = l1_table(hardware.load("h200")), bench.table("l1_sets")
    members = ([int(line), *(measured["first"] + k for k in ks)] for line, ks in measured["rows"].items())
    found = [{int(set_of(table, line)) for line in lines} for lines in members]
    assert {len(one) for one in found} == {1}
    assert len(set.union(*found)) > 25
