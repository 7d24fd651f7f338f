"""The replacement policy of L2: what is noted at each use, and which way a new line gets.

Another policy is another :func:`note_use` and :func:`victim`.  What the column ``USED`` of a set holds is theirs, but
for this: 0 is a way that is still empty, ``NEVER`` one that the set lacks.  Every policy

- gives an empty way before one that holds a line (this one not always the last empty way), and never one that the set
  lacks;
- notes something between these two at each use;
- chooses by the set and the number of the access alone, and leaves the set as it is.
"""

from __future__ import annotations

from gpusim.engine.compiling.jit import inline
from gpusim.engine.hierarchy.l2_sets import USED
from gpusim.engine.hierarchy.scramble import mix


@inline
def note_use(row, ways, e, stamp):
    """Way ``e`` of a set is read or written; ``stamp``: the number of the access, which grows."""
    row[USED * ways + e] = stamp


@inline
def oldest(row, ways):
    """Least recently used way of an L2 set."""
    best = 0
    for e in range(1, ways):
        if row[USED * ways + e] < row[USED * ways + best]:
            best = e
    return best


@inline
def victim(row, ways, stamp):
    """Way of a set that a new line replaces: one of the two least recently used, by chance.

    L2 is near-LRU: cycling over a few per cent more than it holds misses three times in
    four on an H200, where LRU would always miss and random replacement one time in eight.
    """
    first = oldest(row, ways)
    if mix(stamp) & 1:
        return first
    second = -1
    for e in range(ways):
        if e != first and (second < 0 or row[USED * ways + e] < row[USED * ways + second]):
            second = e
    return second
