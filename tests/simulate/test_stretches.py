"""Are stretches of addresses the set that was put in, less what was taken out?"""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gpusim.simulate.stretches import Stretches

ENDS = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(sorted)


def addresses(stretches):
    return {address for first, end in stretches for address in range(first, end)}


@given(st.lists(st.tuples(st.booleans(), ENDS), max_size=12))
def test_they_hold_what_was_added_and_not_removed(steps):
    some, expected = Stretches(), set()
    for adds, (first, end) in steps:
        if adds:
            some.add(first, end)
            expected |= set(range(first, end))
        else:
            some.remove(first, end)
            expected -= set(range(first, end))
    assert addresses(some) == expected
    pairs = list(some)
    assert all(first < end for first, end in pairs)
    assert all(one[1] < other[0] for one, other in itertools.pairwise(pairs))
    assert addresses(some.within(10, 40)) == expected & set(range(10, 40))


@given(st.lists(ENDS, max_size=4), st.lists(st.booleans(), min_size=16, max_size=16))
def test_they_keep_the_units_that_are_marked(pairs, marks):
    some = Stretches((100 + first, 100 + end) for first, end in pairs)
    before = addresses(some)
    some.remove_marked(np.array(marks, np.uint8) == 0, 100, 4)
    assert addresses(some) == {address for address in before if marks[(address - 100) // 4]}
