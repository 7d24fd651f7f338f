"""The way of a sector: L1, the coalescer of the GPC, the half of L2 asked, its fabric, HBM.

Each unit is a cache or a table with state, and a server with a rate: a request
at tick ``t`` starts when the server is free, and the server is then busy for the
time the transfer takes.  Latencies are those of an unloaded machine; waiting
comes on top of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from gpusim.engine.jit import INLINE
from gpusim.engine import counts as C



class Rates(NamedTuple):
    """Latencies and service times, in ticks; policies as small integers."""

    l1_hit: int
    l2_near: int
    l2_far: int  # added when the line comes over the fabric
    dram: int
    shared: int
    fill_sector: int  # L2 -> SM wire
    port_sector: int  # L2 -> GPC wire
    slice_sector: int
    slice_request: int
    channel_sector: int
    barrier: int  # from the last arrival to the first issue
    barrier_warp: int  # added per warp of the block
    turnover: int  # from a block's end to the next block's first issue
    start_gap: int  # between two blocks started on one SM
    issue: int  # one warp instruction, all schedulers of the SM together
    fma: int
    alu: int
    xu: int
    lsu: int  # least time between two instructions of the load/store pipe
    queue: int  # work the load/store pipe holds before issue stops
    shfl: int
    hash0: int  # line bits whose parity selects the tag set
    hash1: int
    max_merge: int  # requests one L2 read may serve; 1 = no coalescer
    promote: int  # 1: L2 fetches 64 bytes from HBM, 0: 32
    fixed: int  # fixed latency of arithmetic


@njit(**INLINE)
def mix(x):
    """Scramble a line number (splitmix64 finalizer; Steele, Lea and Flood 2014)."""
    z = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(**INLINE)
def popcount4(x):
    """Set bits of a 4-bit mask."""
    return (x & 1) + ((x >> 1) & 1) + ((x >> 2) & 1) + ((x >> 3) & 1)


@njit(**INLINE)
def serve(free, k, t, busy):
    """Wait for server ``k`` from tick ``t``, keep it ``busy`` ticks; returns the start."""
    start = max(free[k], t)
    free[k] = start + busy
    return start


@njit(**INLINE)
def find(tag, first, ways, line):
    """Entry that holds ``line`` among ``ways`` from ``first``, or -1."""
    for e in range(first, first + ways):
        if tag[e] == line:
            return e
    return -1


@njit(**INLINE)
def oldest(used, first, ways):
    """Least recently used entry."""
    best = first
    for e in range(first + 1, first + ways):
        if used[e] < used[best]:
            best = e
    return best


# ------------------------------------------------------------------ L2 and below


@njit(**INLINE)
def l2_set(line, sets):
    """Set of a line: low bits xor-folded, so that aligned stretches spread evenly."""
    x = line ^ (line >> 13) ^ (line >> 27)
    x ^= (line >> 7) * 3
    return x & (sets - 1)


@njit(**INLINE)
def l2_place(l2, half, line, stamp, count):
    """Entry for ``line`` in ``half``, evicting (and writing back) if it is not there."""
    sets, ways = l2.shape[1], l2.shape[2]
    first = (half * sets + l2_set(line, sets)) * ways
    e = find(l2.tag, first, ways, line)
    if e < 0:
        e = oldest(l2.used, first, ways)
        if l2.dirty[e]:
            count[C.DRAM_WRITE] += popcount4(l2.dirty[e])
            n = len(l2.channel_free)
            k = np.int64(mix(l2.tag[e]) % np.uint64(n))
            l2.channel_free[k] += popcount4(l2.dirty[e]) * l2.shape[3]
        l2.tag[e] = line
        l2.valid[e] = 0
        l2.dirty[e] = 0
        l2.fill[e] = 0
    l2.used[e] = stamp
    return e


@njit(**INLINE)
def home_of(line, halves):
    """The half whose memory a line belongs to."""
    return np.int64((mix(line) >> np.uint64(40)) & np.uint64(halves - 1))


@njit(**INLINE)
def widen(sectors, promote):
    """Sectors fetched from HBM for the sectors wanted: whole 64-byte halves of a line."""
    if not promote:
        return sectors
    low = 3 if sectors & 3 else 0
    high = 12 if sectors & 12 else 0
    return low | high


@njit(**INLINE)
def dram_read(l2, rates, line, n, t, count):
    """Tick at which ``n`` sectors of ``line`` have come from HBM, asked for at ``t``."""
    k = np.int64(mix(line) % np.uint64(len(l2.channel_free)))
    start = serve(l2.channel_free, k, t, n * rates.channel_sector)
    count[C.DRAM_READ] += n
    return start + rates.dram


@njit(**INLINE)
def home_read(l2, rates, home, line, wanted, t, stamp, count):
    """Read sectors at their home half; returns the tick they are there."""
    e = l2_place(l2, home, line, stamp, count)
    missing = widen(wanted & ~l2.valid[e], rates.promote) & ~l2.valid[e] & 15
    done = max(t + rates.l2_near, l2.fill[e])
    if missing:
        done = dram_read(l2, rates, line, popcount4(missing), t, count)
        l2.valid[e] |= missing
        l2.fill[e] = done
    return done


@njit(**INLINE)
def l2_read(l2, rates, half, line, wanted, t, stamp, count):
    """Read sectors through the half of the SM that asks; returns the tick the data is back."""
    halves = l2.shape[0]
    n = popcount4(wanted)
    count[C.L2_READ] += n
    count[C.L2_READ_REQ] += 1
    per_half = len(l2.slice_free) // halves
    k = half * per_half + np.int64((mix(line) >> np.uint64(8)) % np.uint64(per_half))
    t = serve(l2.slice_free, k, t, max(n * rates.slice_sector, rates.slice_request))
    home = home_of(line, halves)
    if home == half:
        before = count[C.DRAM_READ]
        done = home_read(l2, rates, half, line, wanted, t, stamp, count)
        count[C.L2_MISS] += count[C.DRAM_READ] - before
        return done
    e = l2_place(l2, half, line, stamp, count)
    missing = widen(wanted & ~l2.valid[e], rates.promote) & ~l2.valid[e] & 15
    done = max(t + rates.l2_near, l2.fill[e])
    if missing:
        n = popcount4(missing)
        count[C.L2_MISS] += n
        count[C.FABRIC] += n
        done = home_read(l2, rates, home, line, missing, t, stamp, count) + rates.l2_far
        l2.valid[e] |= missing
        l2.fill[e] = done
    return done


@njit(**INLINE)
def l2_write(l2, rates, half, line, sectors, t, stamp, count):
    """Write sectors: kept, dirty, at home; a copy in the near half is kept up to date."""
    halves = l2.shape[0]
    n = popcount4(sectors)
    count[C.L2_WRITE] += n
    count[C.L2_WRITE_REQ] += 1
    home = home_of(line, halves)
    per_half = len(l2.slice_free) // halves
    k = home * per_half + np.int64((mix(line) >> np.uint64(8)) % np.uint64(per_half))
    serve(l2.slice_free, k, t, max(n * rates.slice_sector, rates.slice_request))
    e = l2_place(l2, home, line, stamp, count)
    l2.valid[e] |= sectors
    l2.dirty[e] |= sectors
    if home != half:
        count[C.FABRIC] += n


# ------------------------------------------------------------------ coalescer


@njit(**INLINE)
def fetch(l2, lrc, rates, gpc, half, line, wanted, t, stamp, count):
    """Ask L2 for sectors of a line, unless another SM of the GPC has just done so.

    Up to ``rates.max_merge`` requests of one GPC for a line that are outstanding
    together become one L2 read.
    """
    if rates.max_merge <= 1:
        return l2_read(l2, rates, half, line, wanted, t, stamp, count)
    k = np.int64((mix(line) >> np.uint64(16)) & np.uint64(lrc.line.shape[1] - 1))
    if (
        lrc.line[gpc, k] == line
        and lrc.done[gpc, k] > t
        and lrc.merged[gpc, k] < rates.max_merge
        and not wanted & ~lrc.sectors[gpc, k]
    ):
        lrc.merged[gpc, k] += 1
        count[C.MERGED] += popcount4(wanted)
        return lrc.done[gpc, k]
    start = serve(l2.port_free, gpc, t, popcount4(wanted) * rates.port_sector)
    done = l2_read(l2, rates, half, line, wanted, start, stamp, count)
    lrc.line[gpc, k] = line
    lrc.sectors[gpc, k] = wanted
    lrc.done[gpc, k] = done
    lrc.merged[gpc, k] = 1
    return done


# ------------------------------------------------------------------ L1


@njit(**INLINE)
def l1_read(l1, l2, lrc, rates, sms, sm, line, wanted, bypass, t, stamp, count):
    """Read sectors of one line; returns (tick the data is there, sectors that hit)."""
    if bypass:
        start = serve(sms.fill, sm, t, popcount4(wanted) * rates.fill_sector)
        return fetch(l2, lrc, rates, sms.gpc[sm], sms.half[sm], line, wanted, start, stamp, count), 0
    sets, ways = l1.shape[0], l1.shape[1]
    first = (sm * sets + line % sets) * ways
    e = find(l1.tag, first, ways, line)
    if e < 0:
        e = oldest(l1.used, first, ways)
        l1.tag[e] = line
        l1.valid[e] = 0
        l1.pending[e] = 0
        l1.fill[e] = 0
    l1.used[e] = stamp
    if l1.fill[e] <= t:
        l1.pending[e] = 0
    late = wanted & l1.pending[e]
    hit = wanted & l1.valid[e] & ~l1.pending[e]
    missing = wanted & ~l1.valid[e] & 15
    done = t + rates.l1_hit
    if late:
        count[C.PENDING] += popcount4(late)
        done = l1.fill[e]
    if missing:
        start = serve(sms.fill, sm, t, popcount4(missing) * rates.fill_sector)
        back = fetch(l2, lrc, rates, sms.gpc[sm], sms.half[sm], line, missing, start, stamp, count)
        l1.valid[e] |= missing
        l1.pending[e] |= missing
        l1.fill[e] = max(l1.fill[e], back)
        done = max(done, back)
    return done, popcount4(hit)
