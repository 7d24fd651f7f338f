"""L2: what is found there, what is fetched, what has to go, and which half a line is in."""

import pytest

from gpusim.engine.hierarchy.address_map import home_of
from gpusim.engine.hierarchy.l2 import ADDS_FLOATS, TWICE, update_time
from gpusim.engine.hierarchy.replacement import victim
from gpusim.engine.hierarchy.servers import BOOKED, LINKS, SLICES
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from tests.engine.hierarchy.one_l2 import L2, of_one_set
from tests.engine.hierarchy.small import WAYS, shape


def near_and_far():
    """A line of each half."""
    dims = shape(halves=2)
    return next(k for k in range(100) if home_of(k, dims) == 0), next(k for k in range(100) if home_of(k, dims) == 1)


def test_a_miss_goes_to_dram_and_a_hit_does_not():
    l2 = L2()
    assert (l2.read(5), l2.read(5)) == (400, 200)
    assert l2.seen(C.L2_READ, C.L2_READ_REQ, C.L2_READ_HIT, C.L2_READ_MISS, C.DRAM_READ) == [8, 2, 4, 4, 4]


@pytest.mark.parametrize(("promote", "fetched"), [(1, 2), (0, 1)])
def test_a_miss_brings_64_bytes_where_l2_does_so(promote, fetched):
    l2 = L2(PROMOTE=promote)
    l2.read(5, 0b0100)
    assert l2.bits(5) == ((0b1100, 0b0100)[promote == 0], 0)
    assert l2.seen(C.DRAM_READ, C.L2_READ_MISS) == [fetched, fetched]
    assert (l2.read(5, 0b1000) == 200) == (promote == 1)
    assert l2.read(5, 0b0001) == 400


def test_what_is_on_its_way_is_waited_for():
    l2 = L2()
    l2.read(5)
    l2.t -= 10_000  # at the same time
    assert l2.read(5) == 400
    assert l2.seen(C.DRAM_READ, C.L2_READ_HIT) == [4, 4]


def test_a_set_fills_and_then_the_line_goes_that_the_policy_names():
    l2 = L2()
    lines = of_one_set(WAYS + 1, l2.shape)
    for line in lines[:-1]:
        l2.read(line)
    assert sorted(l2.tags(0)) == lines[:-1]
    assert [l2.read(line) for line in lines[:-1]] == [200] * WAYS
    named = l2.tags(0)[int(victim(l2.row(0), WAYS, l2.stamp + 1))]
    l2.read(lines[-1])
    assert set(lines) - set(l2.tags(0)) == {named}


def test_a_victim_is_written_back_if_it_was_written_and_only_then():
    for written, sectors in ((False, 0), (True, 3)):
        l2 = L2()
        lines = of_one_set(WAYS + 4, l2.shape)
        for line in lines[:WAYS]:
            if written:
                l2.write(line, 0b0111)
            else:
                l2.read(line, 0b0111)
        for line in lines[WAYS:]:
            l2.read(line)
        left = sum(line in l2.tags(0) for line in lines[:WAYS])
        assert l2.seen(C.DRAM_WRITE) == [sectors * (WAYS - left)]


def test_whole_sectors_that_are_written_are_kept_and_not_fetched():
    l2 = L2()
    l2.write(5, 0b0110)
    assert l2.bits(5) == (0b0110, 0b0110)
    assert l2.seen(C.L2_WRITE, C.L2_WRITE_REQ, C.DRAM_READ, C.DRAM_WRITE) == [2, 1, 0, 0]
    assert l2.read(5, 0b0110) == 200


def test_an_update_fetches_what_is_not_there_and_leaves_it_dirty():
    l2 = L2()
    assert (l2.update(5, 0b0001), l2.update(5, 0b0001)) == (400, 200)
    assert l2.bits(5) == (0b0011, 0b0001)
    assert l2.seen(C.L2_ATOM, C.L2_ATOM_REQ, C.L2_MISS, C.DRAM_READ) == [2, 2, 1, 2]


def test_sums_of_floats_at_one_address_wait_for_one_another():
    l2, (a, b, both) = L2(), (0b01, 0b10, 0b11)
    l2.rates[S.SLICE_WRITE], l2.rates[S.ATOMIC_REQUEST], l2.rates[S.ATOMIC_CHAIN] = 8, 2, 24

    def times(how, *changed, sectors=0b0001):
        return [int(update_time(l2.servers[SLICES, 0], l2.rates, 5, sectors, words, how)) for words in changed]

    assert times(0, a, a, a) == [10, 10, 10]
    assert times(ADDS_FLOATS, a, a, b, a, both, a) == [10, 24, 10, 10, 24, 24]
    assert times(0, a) + times(ADDS_FLOATS, a) == [24, 10]  # what waits is the next one, whatever it is
    assert times(TWICE, b, b) == [18, 18]
    assert times(0, a, sectors=0b1111) == [34]


def test_a_line_crosses_the_fabric_once_and_is_kept_in_both_halves():
    near, far = near_and_far()
    l2 = L2(halves=2)
    assert l2.read(far) == 400 + 150
    assert l2.bits(far, 0) == l2.bits(far, 1) == (15, 0)
    assert (l2.read(far), l2.read(far, half=1)) == (200, 200)
    l2.read(near)
    assert l2.seen(C.FABRIC, C.DRAM_READ) == [4, 8]
    assert int(l2.servers[LINKS, :, BOOKED].sum()) == 4 * 3
    assert l2.bits(near, 1) is None


def test_what_its_home_has_comes_from_there():
    _, far = near_and_far()
    l2 = L2(halves=2)
    l2.read(far, half=1)
    assert l2.read(far) == 200 + 150
    assert l2.seen(C.DRAM_READ, C.FABRIC) == [4, 4]


def test_what_is_written_is_dirty_at_home_with_a_copy_in_the_writers_half():
    near, far = near_and_far()
    l2 = L2(halves=2)
    l2.write(far)
    assert (l2.bits(far, 1), l2.bits(far, 0)) == ((15, 15), (15, 0))
    l2.write(near)
    assert (l2.bits(near, 0), l2.bits(near, 1)) == ((15, 15), None)
    assert l2.seen(C.FABRIC) == [4]
