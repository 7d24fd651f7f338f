"""What copies and sets of memory leave in L2, which pass it between two launches, in no time here.

What happens within the device is done by SMs: lines stay as a kernel's reads and writes leave them.  What is copied
from or to the host takes a way that is empty, lies at home alone, is clean, and is the first to go: of a long copy an
H200 whose L2 was full keeps one line of each set, 3 MB of 60.  A line that L2 holds stays where it is, and what comes
from the host takes its copy in the other half away.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.address_map import home_of, l2_set
from gpusim.engine.hierarchy.l2_sets import ARRIVES, BITS, TAG, way_of
from gpusim.engine.hierarchy.replacement import note_use, oldest, victim
from gpusim.engine.hierarchy.scramble import mix
from gpusim.engine.state.columns import HALVES, L2_SETS, L2_WAYS, STAMP
from gpusim.engine.state.geometry import SECTORS
from gpusim.hardware.fixed import LINE, SECTOR

READ, WRITTEN, FROM_HOST, TO_HOST = range(4)
FIRST_TO_GO = np.int64(1)
"""When a line was last used that goes before all that were used."""


@jit
def pass_by(l2, shape, misc, what, first, nbytes):
    """Leave in L2 what a stretch of memory leaves that is read, written or copied.

    Parameters
    ----------
    l2 : int64 array
        Sets of an L2 in which nothing is under way.
    shape, misc
        Of its machine.
    what : int
        ``READ`` or ``WRITTEN`` by SMs, copied ``FROM_HOST`` or ``TO_HOST``.
    first, nbytes : int
        The stretch: its first address, and bytes.
    """
    end = first + nbytes
    for line in range(first // LINE, -(-end // LINE)):
        misc[STAMP] += 1
        sectors = sectors_between(first - line * LINE, end - line * LINE)
        if what in (READ, WRITTEN):
            by_an_sm(l2, shape, misc[STAMP], line, sectors, what == WRITTEN)
        else:
            by_a_copy(l2, shape, line, sectors, what == FROM_HOST)


@inline
def sectors_between(first, end):
    """Sectors of a line that lie between two of its bytes, or beyond it."""
    low = max(first, 0) // SECTOR
    high = min(-(-end // SECTOR), SECTORS)
    return (np.int64(1) << high) - (np.int64(1) << low)


@inline
def by_an_sm(l2, shape, stamp, line, sectors, written):
    """Keep a line at home, and in the half of the SM that reads or writes it, which is either."""
    ways, home = shape[L2_WAYS], home_of(line, shape)
    half = mix(stamp) % shape[HALVES]
    row = l2[home * shape[L2_SETS] + l2_set(line, shape)]
    row[BITS * ways + kept(row, ways, line, stamp)] |= sectors | (sectors << SECTORS if written else 0)
    if half != home:
        row = l2[half * shape[L2_SETS] + l2_set(line, shape)]
        row[BITS * ways + kept(row, ways, line, stamp)] |= sectors


@inline
def by_a_copy(l2, shape, line, sectors, into):
    """Keep a line at home, and there alone if it comes from the host."""
    ways, home = shape[L2_WAYS], home_of(line, shape)
    row = l2[home * shape[L2_SETS] + l2_set(line, shape)]
    if into and shape[HALVES] > 1:
        forget(l2[(1 - home) * shape[L2_SETS] + l2_set(line, shape)], ways, line)
    e = way_of(row, ways, line)
    if e < 0:
        e = oldest(row, ways, np.int64(-1))
        put(row, ways, e, line)
        note_use(row, ways, e, FIRST_TO_GO)
    row[BITS * ways + e] |= sectors


@inline
def kept(row, ways, line, stamp):
    """Way of a line, in place of another one if it was not there."""
    e = way_of(row, ways, line)
    if e < 0:
        e = victim(row, ways, stamp)
        put(row, ways, e, line)
    note_use(row, ways, e, stamp)
    return e


@inline
def put(row, ways, e, line):
    """Have a line in a way, nothing of it so far; what was there has gone to HBM."""
    row[TAG * ways + e] = line
    row[BITS * ways + e] = 0
    row[ARRIVES * ways + e] = 0


@inline
def forget(row, ways, line):
    """Have nothing of a line."""
    e = way_of(row, ways, line)
    if e >= 0:
        row[BITS * ways + e] = 0
