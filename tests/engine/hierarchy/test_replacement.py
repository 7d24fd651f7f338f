"""The policy of L2: which way of a set a new line gets, by any policy and by this one."""

from collections import Counter

import numpy as np
import pytest

from gpusim.engine.hierarchy.l2_sets import TAG, USED, empty_l2, way_of
from gpusim.engine.hierarchy.replacement import FIRST_WAYS, note_use, victim
from gpusim.engine.state.columns import NEVER

WAYS = 6


def used_in(order):
    """A set whose ways were used in this order."""
    row = empty_l2(1, WAYS)[0]
    for stamp, way in enumerate(order):
        note_use(row, WAYS, way, 10 + stamp)
    return row


def victims(row, stamps=range(100, 600)):
    return Counter(int(victim(row, WAYS, stamp)) for stamp in stamps)


# ------------------------------------------------------------------ any policy


@pytest.mark.parametrize(
    "full",
    [
        *range(WAYS - 1),
        pytest.param(WAYS - 1, marks=pytest.mark.xfail(strict=True, reason="near-LRU takes one of two")),
    ],
)
def test_an_empty_way_goes_first(full):
    assert all(way >= full for way in victims(used_in(range(full))))


def test_the_first_line_of_a_set_is_in_one_of_its_first_ways():
    """What L2 holds is found by these (:mod:`gpusim.simulate.l2_state`)."""
    assert set(victims(used_in(range(0)))) <= set(range(FIRST_WAYS))


@pytest.mark.parametrize("lacking", range(WAYS))
def test_a_way_that_the_set_lacks_is_never_given(lacking):
    row = used_in(way for way in range(WAYS) if way != lacking)
    row[USED * WAYS + lacking] = NEVER
    assert lacking not in victims(row)


def test_a_use_is_neither_that_of_an_empty_way_nor_of_one_that_lacks():
    row = used_in(range(WAYS))
    assert ((row[USED * WAYS : (USED + 1) * WAYS] > 0) & (row[USED * WAYS : (USED + 1) * WAYS] < NEVER)).all()


def test_the_same_access_chooses_the_same_way_and_leaves_the_set_as_it_is():
    row, before = used_in(range(WAYS)), used_in(range(WAYS))
    assert [victim(row, WAYS, stamp) for stamp in range(50)] == [victim(row, WAYS, stamp) for stamp in range(50)]
    assert (row == before).all()


@pytest.mark.parametrize("ways", [1, 2, 5, 15, 16, 17, 23, 40])
def test_sets_of_any_number_of_ways_are_looked_through(ways):
    rng = np.random.default_rng(ways)
    rows = empty_l2(3, ways)
    for row in rows:
        row[TAG * ways : (TAG + 1) * ways] = rng.permutation(1000)[:ways]
        row[USED * ways : (USED + 1) * ways] = rng.permutation(1000)[:ways] + 1
        lines, used = (row[k * ways : (k + 1) * ways].tolist() for k in (TAG, USED))
        assert [int(way_of(row, ways, line)) for line in lines] == list(range(ways))
        assert way_of(row, ways, 5000) == -1
        assert {int(victim(row, ways, stamp)) for stamp in range(50)} == set(np.argsort(used)[:2].tolist())


def test_a_use_touches_nothing_else_of_the_set():
    row, before = used_in(range(6)), used_in(range(6))
    note_use(row, WAYS, 4, 99)
    assert set(np.flatnonzero(row != before).tolist()) <= set(range(USED * WAYS, (USED + 1) * WAYS))


# ------------------------------------------------------------------ this policy


@pytest.mark.parametrize("order", [range(6), [5, 4, 3, 2, 1, 0], [3, 0, 5, 1, 4, 2]])
def test_one_of_the_two_oldest_goes_as_often_as_the_other(order):
    found, order = victims(used_in(order)), list(order)
    assert set(found) == set(order[:2])
    assert 0.4 < found[order[0]] / sum(found.values()) < 0.6


def test_what_is_used_again_stays():
    row = used_in(range(6))
    note_use(row, WAYS, 0, 50)
    assert set(victims(row)) == {1, 2}
    note_use(row, WAYS, 2, 51)
    assert set(victims(row)) == {1, 3}


def test_cycling_over_a_little_more_than_fits_does_not_always_miss():
    """As it would where always the least recently used one goes; an H200 misses three times in four."""
    tags, row, misses, rounds = list(range(WAYS)), used_in(range(6)), 0, 400
    for stamp in range(100, 100 + rounds * (WAYS + 1)):
        line = stamp % (WAYS + 1)
        if line not in tags:
            misses += 1
            tags[victim(row, WAYS, stamp)] = line
        note_use(row, WAYS, tags.index(line), stamp)
    assert 0.4 < misses / (rounds * (WAYS + 1)) < 0.9
