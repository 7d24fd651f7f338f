"""L2: two halves of slices, in which lines are read, written and updated, with HBM below.

A read goes to the half of the SM that asks; a miss there on a line of the other half crosses the fabric and is kept in
both.  What is written is kept dirty at home, with a copy in the writer's half.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.address_map import channel_of, home_of, l2_set, slice_of
from gpusim.engine.hierarchy.dram import fetched_at, write_back
from gpusim.engine.hierarchy.fabric import cross, send_across
from gpusim.engine.hierarchy.l2_sets import ARRIVES, BITS, PARTIAL_AT, TAG, way_of
from gpusim.engine.hierarchy.line_masks import words_of
from gpusim.engine.hierarchy.partial_sectors import drain, enqueue, fill_victim, make_whole, too_many, write_words
from gpusim.engine.hierarchy.replacement import note_use, victim
from gpusim.engine.hierarchy.servers import ADDED_LINE, ADDED_WORDS, SLICES, serve
from gpusim.engine.state import counts as C
from gpusim.engine.state.columns import (
    ATOMIC_CHAIN,
    ATOMIC_REQUEST,
    DIRTY_ROOM,
    L2_FAR,
    L2_NEAR,
    L2_SETS,
    L2_WAYS,
    NO_CAPACITY,
    PROMOTE,
    SLICE_REQUEST,
    SLICE_SECTOR,
    SLICE_WRITE,
    WITHOUT,
)  # fmt: skip
from gpusim.engine.state.geometry import ALL_SECTORS, SECTORS

LOW_HALF = (1 << SECTORS // 2) - 1  # of a line, as sectors
HIGH_HALF = ALL_SECTORS ^ LOW_HALF


@jit
def l2_place(row, ways, line, t, stamp, servers, rates, shape, count):
    """Way for ``line`` in a set of L2, evicting if need be: dirty sectors go to HBM, partial ones are filled first."""
    e = way_of(row, ways, line)
    if e < 0:
        e = victim(row, ways, stamp)
        bits = row[BITS * ways + e]
        dirty = (bits >> SECTORS) & ALL_SECTORS
        fill_victim(bits, servers, count)
        if dirty:
            n = popcount(dirty)
            count[C.DRAM_WRITE] += n
            write_back(servers, rates, channel_of(row[e], shape), t, n)
        row[TAG * ways + e] = line
        row[BITS * ways + e] = 0
        row[ARRIVES * ways + e] = 0
    note_use(row, ways, e, stamp)
    return e


@inline
def widen(sectors, promote):
    """Sectors fetched from HBM for the sectors wanted: whole 64-byte halves of a line."""
    if not promote:
        return sectors
    low = LOW_HALF if sectors & LOW_HALF else 0
    high = HIGH_HALF if sectors & HIGH_HALF else 0
    return low | high


@jit
def home_read(l2, servers, rates, shape, home, line, wanted, t, stamp, count):
    """Read sectors at their home half, from HBM if need be.

    Returns
    -------
    done : int
        Tick they are there.
    missing : int
        Sectors that had to come from HBM.
    """
    ways = shape[L2_WAYS]
    row = l2[home * shape[L2_SETS] + l2_set(line, shape)]
    e = l2_place(row, ways, line, t, stamp, servers, rates, shape, count)
    bits = row[BITS * ways + e]
    valid = bits & ~(bits >> PARTIAL_AT) & ALL_SECTORS
    missing = widen(wanted & ~valid, rates[PROMOTE]) & ~valid & ALL_SECTORS
    done = max(t + rates[L2_NEAR], row[ARRIVES * ways + e])
    if missing:
        if bits >> PARTIAL_AT:
            make_whole(row, BITS * ways + e, missing, servers)
        n = popcount(missing)
        done = fetched_at(servers, rates, shape, line, n, t, stamp)
        count[C.DRAM_READ] += n
        row[BITS * ways + e] |= missing
        row[ARRIVES * ways + e] = done
    return done, missing


@inline
def looked_up(wanted, missing, count):
    """Count what a read finds, and what it lacks with what comes along.

    So does an H200: of reads of a sector in every 128 bytes it counts two misses each, and no hit.
    """
    count[C.L2_READ_HIT] += popcount(wanted & ~missing)
    count[C.L2_READ_MISS] += popcount(missing)
    count[C.L2_MISS] += popcount(missing)


@jit
def l2_read(l2, servers, rates, shape, half, line, wanted, along, t, stamp, count):
    """Read sectors through the half of the SM that asks, with those it asked for before if they go ``along``.

    Returns
    -------
    int
        Tick the data is back.
    """
    n = popcount(wanted)
    count[C.L2_READ] += n
    count[C.L2_READ_REQ] += not along
    least = np.int64(0) if along else rates[SLICE_REQUEST]
    t = serve(servers, SLICES, slice_of(line, half, shape), t, max(n * rates[SLICE_SECTOR], least))
    home = home_of(line, shape)
    if home == half:
        done, missing = home_read(l2, servers, rates, shape, half, line, wanted, t, stamp, count)
        looked_up(wanted, missing, count)
        return done
    ways = shape[L2_WAYS]
    row = l2[half * shape[L2_SETS] + l2_set(line, shape)]
    e = l2_place(row, ways, line, t, stamp, servers, rates, shape, count)
    valid = row[BITS * ways + e] & ALL_SECTORS
    missing = widen(wanted & ~valid, rates[PROMOTE]) & ~valid & ALL_SECTORS
    done = max(t + rates[L2_NEAR], row[ARRIVES * ways + e])
    looked_up(wanted, missing, count)
    if missing:
        count[C.FABRIC] += popcount(missing)
        done, _ = home_read(l2, servers, rates, shape, home, line, missing, t, stamp, count)
        done = cross(servers, rates, shape, home, line, popcount(missing), done) + rates[L2_FAR]
        row[BITS * ways + e] |= missing
        row[ARRIVES * ways + e] = done
    return done


@jit
def l2_write(l2, servers, rates, shape, ring, half, line, sectors, words, sent, t, stamp, count):
    """Write sectors: kept, dirty, at home, and as a copy in the half of the SM that writes.

    They go along with those of the line that are ``sent`` already, if there are any.

    The copy shows in what a copy kernel larger than L2 leaves unwritten at its end.
    A sector of which only some words are written stays partial: see :mod:`~gpusim.engine.hierarchy.partial_sectors`.

    Returns
    -------
    taken : int
        Tick at which the slice takes it.
    last : int
        Tick at which all that it waited for has been carried too.
    """
    n = popcount(sectors & ~sent)
    count[C.L2_WRITE] += n
    count[C.L2_WRITE_REQ] += sent == 0
    home = home_of(line, shape)
    last = t
    if home != half:
        t, last = send_across(servers, rates, shape, half, line, n, t)
    begin = serve(
        servers,
        SLICES,
        slice_of(line, home, shape),
        t,
        (n + (sent == 0 and words != words_of(sectors))) * rates[SLICE_WRITE],
    )
    ways = shape[L2_WAYS]
    row = l2[home * shape[L2_SETS] + l2_set(line, shape)]
    e = l2_place(row, ways, line, t, stamp, servers, rates, shape, count)
    partial = row[BITS * ways + e] >> PARTIAL_AT
    if partial or words != words_of(sectors):
        if write_words(row, BITS * ways + e, sectors, words, servers):
            enqueue(servers, ring, line)
            if too_many(servers, rates):
                drain(l2, servers, rates, shape, ring, t, count)
        partial = row[BITS * ways + e] >> PARTIAL_AT
    row[BITS * ways + e] |= sectors
    keep_dirty(row, BITS * ways + e, servers, rates, shape, line, sectors, t, count)
    if home != half:
        count[C.FABRIC] += n
        row = l2[half * shape[L2_SETS] + l2_set(line, shape)]
        e = l2_place(row, ways, line, t, stamp, servers, rates, shape, count)
        row[BITS * ways + e] |= sectors & ~partial
    return begin, max(begin, last)


@inline
def keep_dirty(row, place, servers, rates, shape, line, sectors, t, count):
    """Sectors were written: HBM has them when they must go, or at once where L2 keeps all that is read."""
    if shape[WITHOUT] & NO_CAPACITY:
        fresh = popcount(sectors & ~(row[place] >> SECTORS))
        if shape[DIRTY_ROOM] < fresh:
            count[C.DRAM_WRITE] += fresh
            write_back(servers, rates, channel_of(line, shape), t, fresh)
            return
        shape[DIRTY_ROOM] -= fresh
    row[place] |= sectors << SECTORS


@jit
def l2_update(l2, servers, rates, shape, half, line, sectors, words, how, t, stamp, count):
    """Change sectors where they are at home: what L2 lacks of them comes from HBM first.

    ``words``: those of the line that are changed; ``how``: bits of :data:`ADDS_FLOATS` and :data:`TWICE`.

    An H200 counts one miss for the 64 bytes that come together, and reads all that it has to change: of a backward
    pass of FlashAttention-2 it reads 1.08 MB more than Q, K, V and the like, and dQ, to which it adds, has 1.05 MB.

    Returns
    -------
    done : int
        Tick at which the old values are back at the half asked.
    begin : int
        Tick at which the slice takes it.
    """
    n = popcount(sectors)
    count[C.L2_ATOM] += n
    count[C.L2_ATOM_REQ] += 1
    home, back = home_of(line, shape), np.int64(0)
    if home != half:
        t = serve(servers, SLICES, slice_of(line, half, shape), t, n * rates[SLICE_WRITE])
        t, _ = send_across(servers, rates, shape, half, line, n, t)
        count[C.FABRIC] += n
        back = rates[L2_FAR]
    k = slice_of(line, home, shape)
    begin = serve(servers, SLICES, k, t, update_time(servers[SLICES, k], rates, line, sectors, words, how))
    done, missing = home_read(l2, servers, rates, shape, home, line, sectors, begin, stamp, count)
    count[C.L2_MISS] += (popcount(missing) + 1) >> 1 if rates[PROMOTE] else popcount(missing)
    row = l2[home * shape[L2_SETS] + l2_set(line, shape)]
    row[BITS * shape[L2_WAYS] + way_of(row, shape[L2_WAYS], line)] |= sectors << SECTORS
    return done + back, begin


ADDS_FLOATS, TWICE = 1, 2
"""Bits of how an atomic changes sectors: it adds floating-point numbers; each sector takes two turns."""


@inline
def update_time(server, rates, line, sectors, words, how):
    """Ticks for which an atomic keeps a slice: of floating-point numbers one sum waits for the one before.

    132 SMs of an H200 that add to one address take 1.25 cycles of L2's clock a sector, 3.00 where they add floats, and
    1.0 to 1.08 where a request has the four sectors of a line (atomics.cu).  Doubles, and compare and swap, take two.
    """
    busy = (popcount(sectors) << (how >> 1)) * rates[SLICE_WRITE] + rates[ATOMIC_REQUEST]
    waits = server[ADDED_LINE] == line and server[ADDED_WORDS] & words
    server[ADDED_LINE], server[ADDED_WORDS] = line, words if how & ADDS_FLOATS else np.int64(0)
    return max(busy, rates[ATOMIC_CHAIN]) if waits else busy
