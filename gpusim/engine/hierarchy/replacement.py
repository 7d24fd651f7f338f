"""The replacement policy of L2: what is noted at each use, and which way a new line gets.

Another policy is another :func:`note_use` and :func:`victim`.  What the column ``USED`` of a set holds is theirs, but
for this: 0 is a way that is still empty, ``NEVER`` one that the set lacks.  Every policy

- gives an empty way before one that holds a line (this one not always the last empty way), and never one that the set
  lacks; to the first line of a set one of the first ``FIRST_WAYS``;
- notes something between these two at each use;
- chooses by the set and the number of the access alone, and leaves the set as it is.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline
from gpusim.engine.compiling.lane_moves import SIXTEEN, least, load_sixteen, numbers
from gpusim.engine.compiling.lanes import pointer, select
from gpusim.engine.hierarchy.l2_sets import USED
from gpusim.engine.hierarchy.scramble import mix
from gpusim.engine.state.columns import NEVER

FIRST_WAYS = 2


@inline
def note_use(row, ways, e, stamp):
    """Way ``e`` of a set is read or written; ``stamp``: the number of the access, which grows."""
    row[USED * ways + e] = stamp


@inline
def oldest(row, ways, but):
    """Least recently used way of an L2 set, the first of several, but for one; -1: for none."""
    best, used = np.int64(-1), NEVER + 1
    for first in range(0, ways, SIXTEEN):
        stamps = load_sixteen(pointer(row), np.int64(USED * ways + first))
        there = (numbers(stamps) < ways - first) & (numbers(stamps) != but - first)
        soonest = least(select(there, stamps, NEVER + 1))
        if soonest < used:
            best, used = first + least(select(there & (stamps == soonest), numbers(stamps), SIXTEEN)), soonest
    return best


@inline
def victim(row, ways, stamp):
    """Way of a set that a new line replaces: one of the two least recently used, by chance.

    L2 is near-LRU: cycling over a few per cent more than it holds misses three times in
    four on an H200, where LRU would always miss and random replacement one time in eight.
    """
    first = oldest(row, ways, np.int64(-1))
    return first if mix(stamp) & 1 or ways == 1 else oldest(row, ways, first)
