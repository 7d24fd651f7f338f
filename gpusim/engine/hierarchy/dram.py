"""DRAM: channels that read, refresh, and write in batches."""

from __future__ import annotations

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.address_map import channel_of
from gpusim.engine.hierarchy.scramble import around, mix, part_of
from gpusim.engine.hierarchy.servers import CHANNELS, PENDING, serve
from gpusim.engine.state.columns import (
    CHANNEL_SECTOR,
    DRAM,
    DRAM_HALF,
    DRAM_SPREAD,
    EARLY,
    FAR_LATER,
    LATE,
    SHARE_BITS,
    TURNAROUND,
    WRITE_BATCH,
)


@inline
def read_sectors(servers, rates, shape, line, n, t):
    """A line's channel reads ``n`` sectors of it, asked for at tick ``t``; returns when it begins."""
    return serve(servers, CHANNELS, channel_of(line, shape), t, n * rates[CHANNEL_SECTOR])


@inline
def fetched_at(servers, rates, shape, line, n, far, t, stamp):
    """Read ``n`` sectors of a line from HBM; returns the tick they are at their half of L2."""
    begin, scrambled = read_sectors(servers, rates, shape, line, n, t), mix((line >> 1) + stamp)
    begin += waits_out_of_turn(rates, begin - t, far, scrambled)
    return begin + rates[DRAM] + (rates[DRAM_HALF] if n > 2 else 0) + around(scrambled, rates[DRAM_SPREAD])


@inline
def waits_out_of_turn(rates, wait, far, scrambled):
    """What a channel's scheduler adds to a wait in order of arrival; below 0 where a read comes before its turn.

    Which it is, is by chance; only the mean depends on the half of L2 that asks.
    """
    later = rates[LATE] + (rates[FAR_LATER] if far else -rates[FAR_LATER])
    return wait * later - part_of(wait * (rates[EARLY] + rates[LATE]), scrambled) >> SHARE_BITS


@jit
def write_back(servers, rates, k, t, n):
    """A DRAM channel has ``n`` more sectors to write; it does so when there are enough of them."""
    channel = servers[CHANNELS, k]
    channel[PENDING] += n
    if channel[PENDING] >= rates[WRITE_BATCH]:
        serve(servers, CHANNELS, k, t, channel[PENDING] * rates[CHANNEL_SECTOR] + rates[TURNAROUND])
        channel[PENDING] = 0
