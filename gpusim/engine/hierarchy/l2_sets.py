"""A set of L2: what its row holds, and the way in which a line is."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline
from gpusim.engine.compiling.lane_moves import SIXTEEN, least, load_sixteen, numbers
from gpusim.engine.compiling.lanes import pointer, select
from gpusim.engine.state.arrays import aligned
from gpusim.engine.state.geometry import SECTORS

# A set is a row of four stretches of `ways` entries: line held (-1: none), when last used, when its last fill
# arrives, and bits (valid sectors in 0-3; dirty ones in 4-7; partial ones, written in part and never filled, in 8-11;
# the words written to those in 12-43).
TAG, USED, ARRIVES, BITS, N_STRETCHES = range(5)
PARTIAL_AT, WORDS_AT = 2 * SECTORS, 3 * SECTORS


def empty_l2(sets: int, ways: int) -> np.ndarray:
    """Rows of an L2 that holds nothing; memory goes on behind the last, for ways are looked at together."""
    cache = aligned((sets + SIXTEEN, N_STRETCHES * ways), np.int64)[:sets]
    cache[:, :ways] = -1
    return cache


@inline
def way_of(row, ways, line):
    """Way of an L2 set that holds ``line``, or -1."""
    for first in range(0, ways, SIXTEEN):
        tags = load_sixteen(pointer(row), np.int64(TAG * ways + first))
        e = least(select((tags == line) & (numbers(tags) < ways - first), numbers(tags), SIXTEEN))
        if e < SIXTEEN:
            return first + e
    return np.int64(-1)
