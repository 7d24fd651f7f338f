"""Which blocks share an SM: here and on an H200."""

from collections import Counter
from itertools import combinations

import pytest

from calibration import bench
from gpusim import hardware
from gpusim.simulate.placement import first_wave

H200 = hardware.load("h200")


def neighbours(sms):
    """Pairs of blocks on one SM."""
    on = {}
    for block, sm in enumerate(sms):
        on.setdefault(sm, []).append(block)
    return {pair for blocks in on.values() for pair in combinations(blocks, 2)}


@pytest.mark.parametrize("row", bench.table("rounds")["rows"], ids=lambda r: f"{len(r['sm'])} of {r['threads']}")
def test_blocks_of_less_than_a_wave_share_sms_as_on_silicon(row):
    """All pairs but for 2304 blocks, where the SMs that come first have their last round five groups earlier there."""
    here, there = neighbours(first_wave(H200, row["held"], len(row["sm"]))), neighbours(row["sm"])
    assert len(here) == len(there)
    assert len(here & there) / len(there) >= (0.93 if len(row["sm"]) == 2304 else 1)


@pytest.mark.parametrize("gpu", ["h200", "rtx-a6000", "v100"])
@pytest.mark.parametrize("slots", [1, 2, 8])
def test_no_sm_has_two_blocks_more_than_another(gpu, slots):
    gpu = hardware.load(gpu)
    for blocks in (1, gpu.sm_count - 1, gpu.sm_count, gpu.sm_count + 5, slots * gpu.sm_count - 1, slots * gpu.sm_count):
        wave = first_wave(gpu, slots, blocks)
        assert len(wave) == min(blocks, slots * gpu.sm_count)
        held = Counter(wave)
        assert max(held.values()) - min(held.get(sm, 0) for sm in range(gpu.sm_count)) <= 1


def test_a_grid_of_more_than_a_wave_fills_every_place():
    assert set(Counter(first_wave(H200, 2, 100_000)).values()) == {2}
