"""Where a line of memory lies: evenly spread, and what is known of it on an H200."""

from collections import Counter

import pytest

from gpusim.engine.hierarchy.address_map import CHUNK_BITS, PAGE_BITS, channel_of, home_of, l2_set, slice_of
from gpusim.engine.hierarchy.fabric import link_of
from tests.engine.hierarchy.small import SETS, shape

CHUNK, PAGE = 1 << CHUNK_BITS, 1 << PAGE_BITS
TWO = shape(halves=2, N_SLICES=14)


@pytest.mark.parametrize("halves", [1, 2])
@pytest.mark.parametrize("first", [0, 7 * SETS, 1 << 25])
def test_an_aligned_stretch_as_large_as_a_cache_fills_every_set_alike(halves, first):
    dims = shape(halves, L2_SETS=256, L2_BITS=8 + halves - 1)
    sets = Counter(int(l2_set(line, dims)) for line in range(first << 8, (first << 8) + 4 * 256))
    assert set(sets) == set(range(256))
    assert set(sets.values()) == {4}


def test_a_stride_that_is_a_power_of_two_falls_on_many_sets():
    dims = shape(L2_SETS=1024, L2_BITS=10)
    assert len({int(l2_set(k << 12, dims)) for k in range(1024)}) > 500


def test_a_page_belongs_to_one_half_and_its_neighbour_to_the_other():
    homes = [int(home_of(line, TWO)) for line in range(64 * PAGE)]
    pages = [set(homes[k : k + PAGE]) for k in range(0, len(homes), PAGE)]
    assert all(len(page) == 1 for page in pages)
    assert all(pages[k] != pages[k + 1] for k in range(0, 64, 2))
    assert {int(home_of(line, shape())) for line in range(64 * PAGE)} == {0}


def test_a_kilobyte_lies_in_one_channel_and_two_slices_take_its_lines_in_turns():
    for first in range(0, 200 * CHUNK, CHUNK):
        lines = range(first, first + CHUNK)
        assert len({int(channel_of(line, TWO)) for line in lines}) == 1
        slices = [int(slice_of(line, 1, TWO)) for line in lines]
        assert len(set(slices)) == 2
        assert slices == 2 * [slices[0], slices[0], slices[2], slices[2]]
        assert all(7 <= s < 14 for s in slices)


def test_channels_and_slices_get_the_same_share_of_memory():
    lines = range(7 * 40 * CHUNK)
    for place in (lambda line: channel_of(line, TWO), lambda line: slice_of(line, 0, TWO)):
        shares = Counter(int(place(line)) for line in lines).values()
        assert max(shares) - min(shares) <= 2 * CHUNK


def test_two_slices_share_a_link_but_never_those_of_the_same_kilobyte():
    links = {}
    for line in range(200 * CHUNK):
        links.setdefault(int(slice_of(line, 0, TWO)), set()).add(int(link_of(line, 0, TWO)))
    assert all(len(found) == 1 for found in links.values())
    assert sorted(Counter(min(found) for found in links.values()).values()) == [1, 2, 2, 2]
    for first in range(0, 50 * CHUNK, CHUNK):
        slices = {int(slice_of(line, 0, TWO)) for line in range(first, first + CHUNK)}
        links_here = {int(link_of(line, 0, TWO)) for line in range(first, first + CHUNK)}
        assert len(links_here) == len(slices)
