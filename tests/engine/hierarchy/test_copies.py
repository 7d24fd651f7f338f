"""What do copies and sets of memory leave in L2?  As on an H200, where a thread then walked along the memory."""

import numpy as np
import pytest

from gpusim.engine.hierarchy.address_map import home_of
from gpusim.engine.hierarchy.copies import FROM_HOST, READ, TO_HOST, WRITTEN, pass_by
from gpusim.engine.state.columns import N_MISC, STAMP
from gpusim.hardware.fixed import LINE
from tests.engine.hierarchy.one_l2 import L2, of_one_set
from tests.engine.hierarchy.small import SETS, WAYS

CLEAN, DIRTY = (0xF, 0), (0xF, 0xF)
LINES = range(SETS)
"""A few for each set of both halves, far fewer than there is room for."""


def passed(l2, what, first=0, nbytes=SETS * LINE):
    misc = np.zeros(N_MISC, np.int64)
    misc[STAMP] = l2.stamp
    pass_by(l2.rows, l2.shape, misc, what, first, nbytes)
    l2.stamp = int(misc[STAMP])
    return l2


def at_home(l2, line):
    return l2.bits(line, int(home_of(line, l2.shape)))


def away(l2, line):
    return l2.bits(line, 1 - int(home_of(line, l2.shape)))


@pytest.mark.parametrize(("what", "left"), [(READ, CLEAN), (WRITTEN, DIRTY)])
def test_what_sms_copy_and_set_lies_at_home_and_half_of_it_in_the_other_half_too(what, left):
    l2 = passed(L2(halves=2), what)
    assert {at_home(l2, line) for line in LINES} == {left}
    copies = [away(l2, line) for line in LINES]
    assert set(copies) == {CLEAN, None}
    assert 0.25 < np.mean([copy is not None for copy in copies]) < 0.75


@pytest.mark.parametrize("what", [FROM_HOST, TO_HOST])
def test_what_the_host_copies_lies_at_home_alone_and_is_clean(what):
    l2 = passed(L2(halves=2), what)
    assert {at_home(l2, line) for line in LINES} == {CLEAN}
    assert {away(l2, line) for line in LINES} == {None}


@pytest.mark.parametrize("what", [FROM_HOST, TO_HOST])
def test_of_a_long_copy_a_full_set_keeps_one_line(what):
    l2 = L2()
    lines = of_one_set(3 * WAYS, l2.shape)
    for line in lines[:WAYS]:
        l2.read(line)
    for line in lines[WAYS:]:
        passed(l2, what, line * LINE, LINE)
    assert sum(line in l2.tags(0) for line in lines[:WAYS]) == WAYS - 1
    assert lines[-1] in l2.tags(0)


def test_a_copy_is_the_first_to_go():
    l2 = L2()
    lines = of_one_set(WAYS + 8, l2.shape)
    for line in lines[1:WAYS]:
        l2.read(line)
    passed(l2, FROM_HOST, lines[0] * LINE, LINE)
    for line in lines[WAYS:]:
        l2.read(line)
        l2.read(lines[1])
    assert lines[0] not in l2.tags(0)
    assert lines[1] in l2.tags(0)


def test_a_copy_that_was_read_stays_like_any_other_line():
    l2 = L2()
    lines = of_one_set(WAYS + 1, l2.shape)
    passed(l2, FROM_HOST, lines[0] * LINE, LINE)
    for line in (*lines[1:WAYS], lines[0]):
        l2.read(line)
    l2.read(lines[WAYS])
    assert lines[0] in l2.tags(0)


def test_a_line_that_l2_holds_stays_and_the_host_takes_its_copy_away():
    l2 = passed(passed(L2(halves=2), WRITTEN), FROM_HOST)
    assert {at_home(l2, line) for line in LINES} == {DIRTY}
    assert {away(l2, line) for line in LINES} == {(0, 0), None}
    l2 = passed(passed(L2(halves=2), WRITTEN), TO_HOST)
    assert {away(l2, line) for line in LINES} == {CLEAN, None}


def test_of_a_line_that_is_touched_in_part_only_the_sectors_touched_are_there():
    l2 = passed(L2(), FROM_HOST, first=LINE + 40, nbytes=LINE)
    assert [l2.bits(line) for line in range(4)] == [None, (0b1110, 0), (0b0011, 0), None]
