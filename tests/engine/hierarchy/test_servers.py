"""Servers: who comes waits for the time that was given away before, and for no more."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.engine.hierarchy.servers import BEGUN, BOOKED, CLOSED, PERIOD, PORTS, SLICES, SPAN, opening, serve
from tests.engine.hierarchy.small import servers


def starts(units, *asked, which=SLICES, k=0):
    """When a server begins with each of these requests, given as (tick, busy)."""
    return [int(serve(units, which, k, t, busy)) for t, busy in asked]


def test_one_that_is_free_begins_at_once_and_the_next_waits_for_it():
    assert starts(servers(), (50, 100), (60, 5), (60, 1), (400, 1)) == [50, 100, 105, 400]


def test_a_queue_drains():
    units = servers()
    assert starts(units, *[(0, SPAN // 4)] * 10) == [k * SPAN // 4 for k in range(10)]
    end = 10 * SPAN // 4
    assert starts(units, (end, 7)) == [end]
    assert starts(units, (20 * SPAN, 7)) == [20 * SPAN]


def test_who_comes_later_but_asked_earlier_finds_what_was_free_then():
    units = servers()
    assert starts(units, (5 * SPAN, SPAN), (2 * SPAN + 3, 10)) == [5 * SPAN, 2 * SPAN + 3]
    assert starts(units, (5 * SPAN + 1, 10)) == [6 * SPAN]


def test_servers_do_not_wait_for_one_another():
    units = servers()
    assert starts(units, (0, 1000), (0, 1)) == [0, 1000]
    assert starts(units, (0, 1), k=1) == [0]
    assert starts(units, (0, 1), which=PORTS) == [0]


def test_time_given_away_adds_up():
    units = servers()
    starts(units, (0, 3 * SPAN), (7, 5))
    assert units[SLICES, 0, BOOKED] == 3 * SPAN + 5
    assert units[:, :, BOOKED].sum() == units[SLICES, 0, BOOKED]


def test_looking_changes_nothing_but_what_is_known():
    units = servers()
    starts(units, (0, 2 * SPAN))
    before = units[SLICES, 0, BOOKED]
    assert [int(opening(units[SLICES, 0], t)[0]) for t in (0, SPAN, 2 * SPAN, 3 * SPAN + 5)] == [
        2 * SPAN, 2 * SPAN, 2 * SPAN, 3 * SPAN + 5,
    ]  # fmt: skip
    assert units[SLICES, 0, BOOKED] == before


def test_a_channel_refreshes_once_a_period_and_begins_only_after_it():
    units = servers()
    units[SLICES, 0, [PERIOD, CLOSED]] = 4, 1000
    units[SLICES, 1, [PERIOD, BEGUN, CLOSED]] = 4, 3, 1000
    at = 4 * SPAN
    assert starts(units, (at, 1), (at + 9, 1), (2 * at, 1)) == [at + 1000, at + 1001, 2 * at + 1000]
    assert starts(units, (at + SPAN, 1)) == [at + SPAN]
    assert starts(units, (at, 1), (SPAN, 1), (5 * SPAN, 1), k=1) == [at, SPAN + 1000, 5 * SPAN + 1000]


def test_what_is_closed_for_longer_than_a_span_is_closed_in_those_that_follow():
    units = servers()
    units[SLICES, 0, [PERIOD, CLOSED]] = 8, 2 * SPAN + 100
    assert starts(units, (8 * SPAN + 5, 1), (16 * SPAN, 1)) == [10 * SPAN + 100, 18 * SPAN + 100]
    assert starts(units, (7 * SPAN, 1)) == [7 * SPAN]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 12 * SPAN), st.integers(1, 3 * SPAN // 2)), max_size=30))
def test_it_is_a_ledger_of_spans(asked):
    ledger, want = {}, []
    for t, busy in asked:
        span = t // SPAN
        while ledger.get(span, 0) >= SPAN:
            span += 1
        want.append(max(t, span * SPAN + ledger.get(span, 0)))
        while busy > 0:
            taken = min(busy, SPAN - ledger.get(span, 0))
            ledger[span] = ledger.get(span, 0) + taken
            busy, span = busy - taken, span + 1
    assert starts(servers(), *asked) == want
