"""Sectors of L2 of which only some words were written: which words, how many lines, and when they are filled.

Few lines may be in that state; beyond that the oldest are filled from HBM and written back.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.address_map import channel_of, home_of, l2_set
from gpusim.engine.hierarchy.dram import read_sectors, write_back
from gpusim.engine.hierarchy.l2_sets import BITS, PARTIAL_AT, WORDS_AT, way_of
from gpusim.engine.hierarchy.line_masks import words_of
from gpusim.engine.hierarchy.servers import PARTIAL
from gpusim.engine.state import counts as C
from gpusim.engine.state.columns import L2_SETS, L2_WAYS, PARTIAL_HIGH, PARTIAL_LOW
from gpusim.engine.state.geometry import ALL_SECTORS, SECTOR_WORDS, SECTORS

# Columns of the first row of the plane PARTIAL of Machine.servers: how many lines of L2 are partial, and the ends of
# the queue of them in Machine.partial, a ring
P_LINES, P_OLDEST, P_NEWEST = range(3)
ALL_OF_SECTOR = (1 << SECTOR_WORDS) - 1


@inline
def make_whole(row, k, sectors, servers):
    """Partial sectors of a line (its bits at ``row[k]``) have been filled or overwritten."""
    row[k] &= ~((sectors << PARTIAL_AT) | (words_of(sectors) << WORDS_AT))
    if row[k] >> PARTIAL_AT == 0:
        servers[PARTIAL, 0, P_LINES] -= 1


@jit
def write_words(row, k, sectors, words, servers):
    """Note which words of a line are written; a sector is whole once all eight of its words are.

    Returns
    -------
    bool
        Whether this made a line partial that was not.
    """
    bits = row[k]
    partial = (bits >> PARTIAL_AT) & ALL_SECTORS
    changed = (~bits | partial) & sectors
    row[k] = bits | (changed << PARTIAL_AT) | ((words & words_of(changed)) << WORDS_AT)
    done = np.int64(0)
    for s in range(SECTORS):
        if (row[k] >> (WORDS_AT + SECTOR_WORDS * s)) & ALL_OF_SECTOR == ALL_OF_SECTOR:
            done |= np.int64(1) << s
    done &= changed
    servers[PARTIAL, 0, P_LINES] += (changed != 0) & (partial == 0)
    if done:
        make_whole(row, k, done, servers)
    return partial == 0 and row[k] >> PARTIAL_AT != 0


@inline
def enqueue(servers, ring, line):
    """Put a line that became partial at the end of the queue."""
    queue = servers[PARTIAL, 0]
    if queue[P_NEWEST] - queue[P_OLDEST] == len(ring):
        queue[P_OLDEST] += 1
    ring[queue[P_NEWEST] & (len(ring) - 1)] = line
    queue[P_NEWEST] += 1


@inline
def fill_victim(bits, servers, count):
    """A line with these bits has to leave L2: what of it is partial is filled first."""
    if bits >> PARTIAL_AT:
        servers[PARTIAL, 0, P_LINES] -= 1
        count[C.DRAM_READ] += popcount((bits >> PARTIAL_AT) & ALL_SECTORS)


@inline
def too_many(servers, rates):
    """Whether more lines are partial than L2 lets be."""
    return servers[PARTIAL, 0, P_LINES] > rates[PARTIAL_HIGH]


@jit
def drain(l2, servers, rates, shape, ring, t, count):
    """Fill partial lines from HBM and write them back, oldest first, until few are left.

    L2 keeps few lines that are written in part: on an H200 stores of 4, 8 or 16 bytes to every
    sector, or to one of each line, read nothing from HBM while they stay within 8 MiB of lines, and
    a long stream of them leaves 42 000 to 60 000 lines unfilled; 74 000 at most were seen.
    """
    queue, ways = servers[PARTIAL, 0], shape[L2_WAYS]
    while queue[P_LINES] > rates[PARTIAL_LOW] and queue[P_OLDEST] < queue[P_NEWEST]:
        line = ring[queue[P_OLDEST] & (len(ring) - 1)]
        queue[P_OLDEST] += 1
        row = l2[home_of(line, shape) * shape[L2_SETS] + l2_set(line, shape)]
        e = way_of(row, ways, line)
        if e < 0 or row[BITS * ways + e] >> PARTIAL_AT == 0:
            continue
        n = popcount((row[BITS * ways + e] >> PARTIAL_AT) & ALL_SECTORS)
        dirty = popcount((row[BITS * ways + e] >> SECTORS) & ALL_SECTORS)
        count[C.DRAM_READ] += n
        count[C.DRAM_WRITE] += dirty
        make_whole(row, BITS * ways + e, ALL_SECTORS, servers)
        row[BITS * ways + e] &= ALL_SECTORS
        read_sectors(servers, rates, shape, line, n, t)
        write_back(servers, rates, channel_of(line, shape), t, dirty)
