"""Requests under way: which parts of a line still go along with what an SM has asked for, or written."""

import pytest

from gpusim.engine.hierarchy.requests import (
    FETCHES,
    R_LINES,
    WRITES,
    add_line,
    find_line,
    has_room,
    open_request,
    take_out,
)
from gpusim.hardware.fixed import REQUEST_LINES
from tests.engine.hierarchy.small import small

LINE, UNTIL = 77, 16
LATER = 1000


@pytest.fixture
def m():
    """An SM whose warp 0 has asked for sectors 0 and 1 of a line at tick 10; more goes along until tick 16."""
    m = small()
    row = open_request(m, 0, FETCHES, 0, 0)
    add_line(m, row, LINE, 3, 10, UNTIL)
    return m


def found(m, warp, arrives, begins, line=LINE, *, sm=0, way=FETCHES, narrow=0):
    """Where a new request of a warp finds the line, -1: nowhere."""
    row = open_request(m, sm, way, warp, narrow)
    return int(find_line(m, sm, way, row, line, arrives, begins))


@pytest.mark.parametrize(("begins", "goes_along"), [(10, True), (UNTIL, True), (UNTIL + 1, False)])
def test_two_requests_join_within_the_window_and_not_after_it(m, begins, goes_along):
    assert (found(m, 1, 0, begins) >= 0) == goes_along


@pytest.mark.parametrize(("arrives", "goes_along"), [(UNTIL, True), (UNTIL + 1, False)])
def test_what_waits_behind_others_of_its_own_scheduler_goes_along_when_it_arrives(m, arrives, goes_along):
    assert (found(m, 4, arrives, LATER) >= 0) == goes_along  # of four schedulers, warps 0 and 4 have the same


def test_what_goes_along_is_told_when_the_line_went_out(m):
    at = found(m, 1, 0, 10)
    assert tuple(map(int, take_out(m, at))) == (3, 10)
    assert found(m, 2, 0, 10) == -1


def test_another_line_another_sm_and_what_is_written_do_not_go_along(m):
    assert found(m, 1, 0, 10, LINE + 1) == -1
    assert found(m, 1, 0, 10, sm=1) == -1
    assert found(m, 1, 0, 10, way=WRITES) == -1


def test_stores_of_bytes_do_not_go_along_with_stores_of_words():
    m = small()
    add_line(m, open_request(m, 0, WRITES, 0, 1), LINE, 1, 10, UNTIL)
    assert found(m, 1, 0, 10, way=WRITES, narrow=0) == -1
    assert found(m, 1, 0, 10, way=WRITES, narrow=1) >= 0


def test_a_scheduler_keeps_its_latest_request_and_the_one_before(m):
    assert found(m, 4, 10, LATER) >= 0
    assert found(m, 4, 10, LATER) == -1


def test_one_that_asks_for_other_lines_sends_the_first_on_their_way(m):
    open_request(m, 0, FETCHES, 4, 0)
    assert found(m, 1, 0, 10) == -1


def test_a_request_has_five_lines_and_each_is_found():
    m = small()
    row = open_request(m, 0, FETCHES, 0, 0)
    for k in range(REQUEST_LINES):
        add_line(m, row, 10 * k, 1 << k, k, UNTIL)
    assert m.requests[row, R_LINES : R_LINES + REQUEST_LINES].tolist() == [0, 10, 20, 30, 40]
    for k in (2, 0, 3, 1, 4):
        at = found(m, 1, 0, 10, 10 * k)
        assert tuple(map(int, take_out(m, at))) == (1 << k, k)


@pytest.mark.parametrize(("sectors", "lines"), [((15, 15, 15, 15), 4), ((12, 15, 15, 15, 3), 5), ((1,) * 9, 5)])
def test_a_request_has_512_bytes_wherever_in_a_line_they_begin(sectors, lines):
    m = small()
    row = open_request(m, 0, WRITES, 0, 0)
    held = 0
    for k, some in enumerate((*sectors, 1)):
        if not has_room(m, row, some):
            break
        add_line(m, row, k, some, k, UNTIL)
        held += 1
    assert held == lines
