"""One warp's access: its lines, sectors and words, and what is known of it when it comes again."""

import numpy as np
import pytest

from gpusim.engine.compiling.jit import jit
from gpusim.engine.hierarchy.access_patterns import (
    MIXED,
    N_PATTERN,
    PAT_IDEAL,
    PAT_LINES,
    PAT_N_LINES,
    PAT_N_SECTORS,
    PAT_SECTORS,
    PAT_STEP,
    PAT_WAVES,
    PAT_WORDS,
    PATTERNS_KEPT,
    PLACE_BITS,
    coalesce,
    gather_lines,
    within,
)

FULL = np.uint32(0xFFFFFFFF)
LANES = np.arange(32, dtype=np.int64)


@jit
def coalesced(kept, address, mask, width, side_by_side, scratch):
    """The line that a pattern is relative to; what is compiled for Python gives no part of an array back."""
    return coalesce(kept, address, mask, width, False, side_by_side, scratch)[1]


class Kept:
    """The latest patterns of one instruction."""

    def __init__(self):
        self.rows = np.zeros((PATTERNS_KEPT, N_PATTERN), np.int64)

    def access(self, address, mask=FULL, width=4, side_by_side=False):
        origin = coalesced(self.rows, address, mask, width, side_by_side, np.zeros((36, 32), np.int64))
        return self.rows[address[0] >> PLACE_BITS & PATTERNS_KEPT - 1], int(origin)


@pytest.mark.parametrize(
    ("address", "lines", "sectors"),
    [
        (4 * LANES, [0], [15]),
        (4 * LANES + 64, [0, 1], [12, 3]),
        (128 * (31 - LANES), list(range(31, -1, -1)), [1] * 32),
        (np.full(32, 300), [2], [2]),
        (4 * LANES % 64 + 128 * (LANES % 2), [0, 1], [3, 3]),
    ],
)
def test_lines_and_sectors_in_the_order_of_lanes(address, lines, sectors):
    found, wanted = np.zeros(32, np.int64), np.zeros(32, np.int64)
    n, total = gather_lines(address.astype(np.int64), FULL, found, wanted)
    assert (found[:n].tolist(), wanted[:n].tolist()) == (lines, sectors)
    assert total == sum(s.bit_count() for s in sectors)


def test_lanes_that_take_no_part_do_not_count():
    found, wanted = np.zeros(32, np.int64), np.zeros(32, np.int64)
    assert gather_lines(128 * LANES, np.uint32(0b1010), found, wanted) == (2, 2)
    assert found[:2].tolist() == [1, 3]


def test_a_pattern_says_what_its_access_costs():
    p, origin = Kept().access(8 * LANES + 1024)
    assert (origin, p[PAT_N_LINES], p[PAT_N_SECTORS], p[PAT_WAVES], p[PAT_IDEAL], p[PAT_STEP]) == (8, 2, 8, 2, 4, 2)
    assert p[PAT_LINES : PAT_LINES + 2].tolist() == [0, 1]
    assert p[PAT_SECTORS : PAT_SECTORS + 2].tolist() == [15, 15]
    assert p[PAT_WORDS] == 0x55555555
    assert Kept().access(LANES * LANES * 4)[0][PAT_STEP] == MIXED


def test_the_same_lanes_some_lines_further_on_are_not_worked_out_again():
    kept = Kept()
    p, _ = kept.access(8 * LANES)
    p[PAT_WAVES] = 99
    again, origin = kept.access(8 * LANES + 5 * 128)
    assert (again[PAT_WAVES], origin) == (99, 5)


@pytest.mark.parametrize(
    "other", [(12 * LANES, FULL), (8 * LANES, np.uint32(0xFFFF)), (8 * LANES + 128 * (LANES == 7), FULL)]
)
def test_other_lanes_and_other_addresses_are(other):
    kept = Kept()
    kept.access(8 * LANES)[0][PAT_WAVES] = 99
    assert kept.access(*other)[0][PAT_WAVES] != 99


def test_what_walks_along_a_line_finds_each_of_its_places_again():
    kept = Kept()
    places = range(0, 128, 16)
    for first in places:
        kept.access(first + 4 * LANES)[0][PAT_WAVES] = 100 + first
    assert [kept.access(1280 + k + 4 * LANES)[0][PAT_WAVES] - 100 for k in places] == list(places)


def test_an_access_lies_within_an_array_if_all_of_its_bytes_do():
    p, origin = Kept().access(4 * LANES + 1024)
    assert within(p, origin, 4, 1024, 1024 + 128)
    assert not within(p, origin, 4, 1028, 2048)
    assert not within(p, origin, 4, 0, 1024 + 124)
    assert not within(p, origin, 8, 0, 2048)  # not aligned to eight bytes


def sectors_of(pattern, origin):
    """Sectors of a pattern, each as a number of 32 bytes."""
    return [
        4 * (origin + pattern[PAT_LINES + j]) + sector
        for j in range(pattern[PAT_N_LINES])
        for sector in range(4)
        if pattern[PAT_SECTORS + j] >> sector & 1
    ]


@pytest.mark.parametrize(
    ("step", "width", "requests"),
    [(128, 4, range(0, 128, 4)), (512, 4, range(0, 128, 4)), (32, 4, range(0, 32, 4)), (128, 16, range(0, 128, 16))],
)
def test_requests_for_all_words_of_lines_have_each_sector_once_where_words_lie_side_by_side(step, width, requests):
    apart, together = set(), []
    for first in requests:
        apart |= set(sectors_of(*Kept().access(first + step * LANES, width=width)))
        pattern, origin = Kept().access(first + step * LANES, width=width, side_by_side=True)
        together += sectors_of(pattern, origin)
        assert pattern[PAT_N_SECTORS] == pattern[PAT_IDEAL] == width
    assert sorted(together) == sorted(apart)


def test_words_that_lie_side_by_side_stay_where_they_are():
    for address in (4 * LANES, 4 * LANES + 64, np.full(32, 300), 16 * LANES):
        plain, packed = Kept().access(address)[0], Kept().access(address, side_by_side=True)[0]
        if plain[PAT_N_SECTORS] == plain[PAT_IDEAL]:
            assert np.array_equal(plain, packed)


def test_a_request_across_lines_needs_no_sector_more_where_its_words_lie_side_by_side():
    pattern = Kept().access(4 * LANES + 4, side_by_side=True)[0]
    assert (pattern[PAT_N_LINES], pattern[PAT_N_SECTORS]) == (1, 4)
