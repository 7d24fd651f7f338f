"""Are code and constants there when they are on an H200, and what do accesses by no lane cost?"""

from collections.abc import Sequence

import numpy as np
import pytest

from calibration import bench
from calibration.microbenchmarks import constant_loads, instruction_fetch, predicated_off


def residuals(cases: Sequence[bench.Case]) -> dict[str, float]:
    return {row.name: abs(row.residual) for row in map(bench.run, cases) if row.measured}


@pytest.mark.long
def test_constants_are_read_as_often_and_there_as_soon():
    off = residuals([*constant_loads.cases()])
    assert np.median([*off.values()]) < 0.02
    assert max(off.values()) < 0.17, off  # of two addresses a load those of other warps come in between


@pytest.mark.long
def test_accesses_by_no_lane_take_the_pipe():
    off = residuals([*predicated_off.cases()])
    assert np.median([*off.values()]) < 0.03
    assert max(off.values()) < 0.14, off


@pytest.mark.long
def test_code_of_a_launch_comes_in_turns_and_straight_code_line_by_line():
    off = residuals([*instruction_fetch.cases()])
    assert np.median([*off.values()]) < 0.06
    assert off.pop("asked, blocks x threads: 132x32") < 0.45  # deviation 28a: a lone warp waits for constants too long
    for blocks in ("132x128", "132x256"):  # deviation 28c: warps of an SM begin closer together
        assert off.pop(f"begun, blocks x threads: {blocks}") < 0.45
    assert max(off.values()) < 0.25, off
