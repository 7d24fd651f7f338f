"""The data stage: wavefronts of 32 banks.  What an H200 counted is in test_measured_patterns.py."""

import numpy as np
import pytest

from gpusim.engine.hierarchy.bank_conflicts import bank_wavefronts, ideal_wavefronts

FULL = np.uint32(0xFFFFFFFF)
LANES = np.arange(32, dtype=np.int64)


def waves(address, width=4, mask=FULL, packs=False):
    return int(bank_wavefronts(address, mask, width, packs, np.zeros((34, 32), np.int64)))


@pytest.mark.parametrize(("stride", "want"), [(0, 1), (1, 1), (2, 2), (3, 1), (8, 8), (32, 32), (33, 1)])
def test_lanes_a_stride_of_words_apart_conflict_as_often_as_it_shares_with_32(stride, want):
    assert waves(4 * stride * LANES) == want


@pytest.mark.parametrize(("width", "want"), [(1, 1), (4, 1), (8, 2), (16, 4)])
def test_wider_accesses_go_in_more_groups_of_lanes(width, want):
    assert waves(width * LANES, width) == want
    assert int(ideal_wavefronts(FULL, width)) == want
    assert int(ideal_wavefronts(np.uint32(1), width)) == 1


def test_pairs_of_lanes_that_agree_take_half_where_they_may():
    address = 16 * (LANES // 2)
    assert (waves(address, 16), waves(address, 16, packs=True), waves(16 * LANES, 16, packs=True)) == (4, 2, 4)


def test_lanes_that_take_no_part_do_not_conflict():
    assert waves(128 * LANES, mask=np.uint32(0b111)) == 3
