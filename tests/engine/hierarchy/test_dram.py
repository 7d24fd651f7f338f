"""DRAM: how long a read takes, and when what was written goes out."""

from gpusim.engine.hierarchy.address_map import channel_of
from gpusim.engine.hierarchy.dram import fetched_at, write_back
from gpusim.engine.hierarchy.servers import BOOKED, CHANNELS, CLOSED, PENDING, PERIOD, SPAN
from tests.engine.hierarchy.small import rates, servers, shape

DIMS = shape()


def fetched(units, line, n, t, stamp=0, **changed):
    return int(fetched_at(units, rates(**changed), DIMS, line, n, t, stamp))


def test_sectors_come_one_after_another_and_the_second_half_of_a_line_later():
    assert fetched(servers(), 0, 2, 10) == 10 + 400
    assert fetched(servers(), 0, 4, 10, DRAM_HALF=25) == 10 + 400 + 25
    units = servers()
    assert [fetched(units, 0, 2, 0), fetched(units, 1, 2, 0), fetched(units, 2, 1, 0)] == [400, 416, 432]


def test_a_kilobyte_waits_for_its_channel_and_others_do_not():
    other = next(line for line in range(0, 100, 8) if channel_of(line, DIMS) != channel_of(0, DIMS))
    units = servers()
    fetched(units, 0, 4, 0)
    assert fetched(units, 7, 2, 0) == 432
    assert fetched(units, other, 2, 0) == 400


def test_a_channel_that_refreshes_reads_afterwards():
    units = servers()
    units[CHANNELS, :, PERIOD], units[CHANNELS, :, CLOSED] = 6, 700
    assert fetched(units, 0, 1, 6 * SPAN + 5) == 6 * SPAN + 700 + 400
    assert fetched(units, 0, 1, 7 * SPAN) == 7 * SPAN + 400


def test_latency_is_spread_by_access():
    found = [fetched(servers(), 0, 1, 0, stamp, DRAM_SPREAD=128) for stamp in range(64)]
    assert min(found) >= 400 - 64
    assert max(found) < 400 + 64
    assert len(set(found)) > 20


def test_writes_wait_until_there_are_enough_and_then_take_the_channel_together():
    units, some = servers(), rates(WRITE_BATCH=8, TURNAROUND=50)
    write_back(units, some, 3, 0, 4)
    write_back(units, some, 3, 10, 3)
    assert (units[CHANNELS, 3, PENDING], units[CHANNELS, 3, BOOKED]) == (7, 0)
    write_back(units, some, 3, 20, 2)
    assert (units[CHANNELS, 3, PENDING], units[CHANNELS, 3, BOOKED]) == (0, 9 * 8 + 50)
    line = next(line for line in range(0, 100, 8) if channel_of(line, DIMS) == 3)
    assert fetched(units, line, 1, 20) == 9 * 8 + 50 + 400
