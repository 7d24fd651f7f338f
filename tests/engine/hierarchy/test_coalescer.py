"""The coalescer of a GPC: which requests of its SMs become one read of L2."""

import pytest

from gpusim.engine.hierarchy.coalescer import fetch, fetch_along, window
from gpusim.engine.hierarchy.servers import SPAN
from gpusim.engine.state import counts as C
from tests.engine.hierarchy.small import counts, rates, small

LINE, ALL = 5, 15
WARM = 100_000


class Asked:
    """A line that L2 has, asked for by SMs 0 and 1 of one GPC, 2 and 3 of the other."""

    def __init__(self, *, cold=False, **changed):
        self.m, self.count, self.stamp = small(**changed), counts(), 0
        if not cold:
            self.fetch(0, -WARM)
            self.count[:] = 0

    def fetch(self, sm, t, wanted=ALL, along=False):
        """Ticks until it is there."""
        self.stamp += 1
        ask = fetch_along if along else fetch
        return int(ask(self.m, sm, LINE, wanted, WARM + t, self.stamp, self.count)) - WARM - t

    @property
    def reads(self):
        return int(self.count[C.L2_READ_REQ])

    @property
    def merged(self):
        return int(self.count[C.MERGED])


def outstanding():
    """For how long a request for the line is, where L2 has it."""
    return int(window(LINE, rates()))


def test_how_long_a_request_is_outstanding_depends_on_its_slice():
    found = {int(window(line, rates())) for line in range(0, 8000, 8)}
    assert (min(found), max(found)) == (64 * 64 // 95, 64 * 126 // 95)


@pytest.mark.parametrize("after", [1, outstanding() - 1])
def test_two_requests_join_while_the_first_is_outstanding(after):
    asked = Asked()
    first = asked.fetch(0, 0)
    assert asked.fetch(1, after) == max(first - after, 200 - 64)
    assert (asked.reads, asked.merged) == (1, 4)


def test_two_requests_do_not_join_once_it_is_not():
    asked = Asked()
    asked.fetch(0, 0)
    asked.fetch(1, outstanding())
    assert (asked.reads, asked.merged) == (2, 0)


def test_an_sm_that_is_simulated_later_may_have_asked_earlier():
    asked = Asked()
    asked.fetch(0, 0)
    asked.fetch(1, 1 - outstanding())
    assert asked.reads == 1
    asked.fetch(1, -outstanding())
    assert asked.reads == 2


def test_a_request_that_misses_is_outstanding_for_longer():
    asked = Asked(cold=True)
    asked.fetch(0, 0)
    asked.fetch(1, 199 + outstanding())  # the latency of DRAM beyond that of L2 is 200
    assert (asked.reads, asked.merged) == (1, 4)
    asked.fetch(1, 200 + outstanding())
    assert asked.reads == 2


def test_the_other_gpc_has_a_coalescer_of_its_own():
    asked = Asked()
    for sm in (0, 2, 1, 3):
        asked.fetch(sm, 0)
    assert (asked.reads, asked.merged) == (2, 8)


@pytest.mark.parametrize("most", [1, 2, 4])
def test_no_more_join_than_may(most):
    asked = Asked(MAX_MERGE=most)
    for _ in range(most):
        asked.fetch(0, 0)
    assert asked.reads == 1
    asked.fetch(1, 0)
    assert asked.reads == 2


@pytest.mark.parametrize(("first", "second"), [(3, ALL), (ALL, 3), (3, 12)])
def test_other_sectors_do_not_join_and_end_the_joining(first, second):
    asked = Asked()
    asked.fetch(0, 0, first)
    asked.fetch(1, 1, second)
    asked.fetch(1, 2, first)
    assert (asked.reads, asked.merged) == (3, 0)


def test_parts_of_a_line_are_one_request_and_others_join_all_of_it():
    asked = Asked()
    asked.fetch(0, 0, 1)
    asked.fetch(0, 0, 4, along=True)
    assert (asked.reads, int(asked.count[C.L2_READ])) == (1, 2)
    asked.fetch(1, 1, 1)  # begins as the first one did
    asked.fetch(1, 1, 4, along=True)
    assert (asked.reads, asked.merged) == (1, 2)


def test_what_the_wire_to_a_gpc_carries_waits_for_it():
    asked, at = Asked(PORT_SECTOR=25, MAX_MERGE=1, SLICE_SECTOR=0, SLICE_REQUEST=0), 2 * SPAN - WARM
    first = asked.fetch(0, at)
    assert [asked.fetch(sm, at) - first for sm in (1, 0, 2)] == [100, 200, 0]
