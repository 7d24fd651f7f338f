"""The fabric: what lines wait for that leave a half of L2."""

from gpusim.engine.hierarchy.fabric import cross, link_of, send_across
from gpusim.engine.hierarchy.servers import BOOKED, LINK_WRITES, LINKS
from tests.engine.hierarchy.small import rates, servers, shape

DIMS = shape(halves=2)
OTHER = next(line for line in range(100) if link_of(line, 0, DIMS) != link_of(0, 0, DIMS))


def sent(units, some):
    """When each of three lines that are written leaves, and when all before them have."""
    return [tuple(map(int, send_across(units, some, DIMS, 0, 0, 4, 0))) for _ in range(3)]


def test_lines_leave_one_after_another_by_the_same_link():
    units, some = servers(), rates(LINK_SECTOR=3)
    assert [int(cross(units, some, DIMS, 0, 0, n, 0)) for n in (4, 2, 1)] == [0, 12, 18]
    assert int(cross(units, some, DIMS, 0, OTHER, 4, 10)) == 10
    assert int(cross(units, some, DIMS, 1, 0, 4, 10)) == 10


def test_where_data_that_is_read_queues_what_is_written_has_two_of_three_turns():
    units, some = servers(), rates(LINK_SECTOR=2)
    for _ in range(10):
        cross(units, some, DIMS, 0, 0, 4, 0)  # 80 ticks of the link
    assert sent(units, some) == [(0, 80), (12, 88), (24, 96)]


def test_alone_what_is_written_leaves_as_fast_as_the_link_carries_it():
    units, some = servers(), rates(LINK_SECTOR=2)
    assert sent(units, some) == [(0, 0), (8, 8), (16, 16)]
    assert (units[LINKS, :, BOOKED].sum(), units[LINK_WRITES, :, BOOKED].sum()) == (24, 36)


def test_without_a_rate_nothing_waits():
    units, none = servers(), rates(LINK_SECTOR=0)
    assert [int(cross(units, none, DIMS, 0, 0, 4, 5)) for _ in range(3)] == [5, 5, 5]
    assert tuple(map(int, send_across(units, none, DIMS, 0, 0, 4, 5))) == (5, 5)
    assert units[:, :, BOOKED].sum() == 0
