"""The coalescer of a GPC, in front of L2: requests of its SMs for the same sectors of a line become one read.

A request is known by its first part when the coalescer sees it: where an SM has put a line together, others that begin
with a part of it are taken to do so too.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.cache_hints import prefetch, prefetch_row
from gpusim.engine.compiling.jit import inline, jit, spliced
from gpusim.engine.hierarchy.address_map import CHUNK_BITS, home_of, l2_set, slice_of
from gpusim.engine.hierarchy.l2 import l2_read
from gpusim.engine.hierarchy.scramble import ROW_BITS, WINDOW_BITS, around, mix
from gpusim.engine.hierarchy.servers import PORTS, SLICES, opening, serve
from gpusim.engine.state import counts as C
from gpusim.engine.state.arrays import aligned  # fmt: skip
from gpusim.engine.state.columns import (
    GPC,
    HALF,
    L2_NEAR,
    L2_SETS,
    L2_SPREAD,
    MAX_MERGE,
    N_WINDOWS,
    PORT_SECTOR,
    REFUSING,
    SLICE_QUEUE,
    TIMED,
    WINDOW,
    WINDOWS,
    lines_of,
)
from gpusim.hardware.fixed import MOST_SMS

# Columns of Machine.lrc, the requests outstanding between the coalescer and L2: a direct-mapped table a GPC.
# BEGIN, UNTIL: ticks between which it is outstanding and others may join, DONE: tick at which the data is at the SM;
# PARTS: how many times its SM asked for it to be what it is
Q_LINE, Q_SECTORS, Q_BEGIN, Q_UNTIL, Q_DONE, Q_MERGED, Q_PARTS = range(7)
N_OUTSTANDING = lines_of(Q_PARTS + 1)

NONE_JOIN = 0  # sectors of an outstanding request that others no longer join


def empty_coalescer(gpcs: int, entries: int) -> np.ndarray:
    """Tables of the GPCs in which no request is outstanding."""
    table = aligned((gpcs, entries, N_OUTSTANDING), np.int64)
    table[:] = -1
    return table


@inline
def window(line, rates):
    """Ticks for which a request that hits L2 is outstanding at the coalescer; it depends on how far the slice is."""
    return rates[WINDOWS + ((mix(line >> CHUNK_BITS) >> WINDOW_BITS) & (N_WINDOWS - 1))]


@inline
def outstanding(m, line):
    """Row of a GPC's `Machine.lrc` in which a request for a line stands."""
    return (mix(line) >> ROW_BITS) & (m.lrc.shape[1] - 1)


@inline
def prefetch_tables(m, sm, line):
    """Have the host fetch where L2 may have a line, at home and in the half of an SM, and what else asked for it."""
    half = m.sms[sm, HALF]
    prefetch(m.lrc[m.sms[sm, GPC]], outstanding(m, line), 0)
    place, home = l2_set(line, m.shape), home_of(line, m.shape)
    prefetch_row(m.l2, home * m.shape[L2_SETS] + place)
    if home != half:
        prefetch_row(m.l2, half * m.shape[L2_SETS] + place)


@inline
def joins(entry, line, wanted, passes, rates):
    """Whether a request is for what one that is outstanding asks for; -1: for other sectors of its line.

    Where an SM has asked for a line in parts, one that begins to do so is taken to ask for all of them.
    """
    busy = entry[Q_UNTIL] > passes > 2 * entry[Q_BEGIN] - entry[Q_UNTIL]
    same = entry[Q_SECTORS] == wanted or (entry[Q_PARTS] > 1 and not wanted & ~entry[Q_SECTORS])
    known = busy and entry[Q_LINE] == line and (same or passes < entry[Q_BEGIN] + rates[REFUSING])
    return np.int64(known) if same else -np.int64(known)


@inline
def share(m, entry, wanted, t, count):
    """Tick at which data comes that another SM of the GPC has asked for too."""
    count[C.MERGED] += popcount(wanted)
    return max(entry[Q_DONE], t + m.rates[L2_NEAR] - m.rates[WINDOW])


@inline
def pass_on(m, sm, line, wanted, along, t, stamp, count):
    """Have L2 read what no other SM of the GPC has asked for; returns the tick it is there."""
    begin = serve(m.servers, PORTS, m.sms[sm, GPC], t, popcount(wanted) * m.rates[PORT_SECTOR])
    begin += around(mix(slice_of(line, 0, m.shape) * MOST_SMS + sm), m.rates[L2_SPREAD])
    return l2_read(m.l2, m.servers, m.rates, m.shape, m.sms[sm, HALF], line, wanted, along, begin, stamp, count)


@jit
def fetch_along(m, sm, line, wanted, t, stamp, count):
    """Ask L2 for more of the line that the SM has just asked for: it is one request."""
    entry = m.lrc[m.sms[sm, GPC], outstanding(m, line)]
    ours = entry[Q_LINE] == line and entry[Q_SECTORS] != NONE_JOIN
    if ours and not wanted & ~entry[Q_SECTORS]:
        return share(m, entry, wanted, t, count)
    done = pass_on(m, sm, line, wanted, True, t, stamp, count)
    if ours:
        entry[Q_SECTORS] |= wanted
        entry[Q_PARTS] += 1
        entry[Q_DONE] = max(entry[Q_DONE], done)
    return done


@spliced
def fetch(m, sm, line, wanted, t, stamp, count):
    """Ask L2 for sectors of a line, unless another SM of the GPC has just asked for the same ones.

    Up to ``MAX_MERGE`` requests of one GPC for a line and the very same sectors of it that are
    outstanding between coalescer and L2 together become one L2 read; once another one wants other
    sectors none joins any more, nor does what comes for about as long as a request that hits the
    farthest slice is outstanding.  What waits long for its slice does so in front of the coalescer.  Data comes
    to all that joined together.  An SM may be simulated some cycles after one that is ahead of it, so
    either request may be the earlier one.
    """
    gpc, half = m.sms[sm, GPC], m.sms[sm, HALF]
    entry = m.lrc[gpc, outstanding(m, line)]
    if m.shape[TIMED]:
        prefetch_tables(m, sm, line)
    free, _ = opening(m.servers[SLICES, slice_of(line, half, m.shape)], t)
    passes = max(t, free - m.rates[SLICE_QUEUE])
    joined = joins(entry, line, wanted, passes, m.rates)
    if joined < 0:
        entry[Q_SECTORS] = NONE_JOIN
    elif joined and entry[Q_MERGED] < m.rates[MAX_MERGE]:
        entry[Q_MERGED] += 1
        return share(m, entry, wanted, t, count)
    done = pass_on(m, sm, line, wanted, False, t, stamp, count)
    if m.rates[MAX_MERGE] > 1 and joined >= 0:
        entry[Q_LINE], entry[Q_SECTORS], entry[Q_DONE], entry[Q_MERGED], entry[Q_PARTS] = line, wanted, done, 1, 1
        entry[Q_BEGIN], entry[Q_UNTIL] = passes, done - m.rates[L2_NEAR] + window(line, m.rates)
    return done
