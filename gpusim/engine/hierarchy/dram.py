"""DRAM: channels that read, refresh, and write in batches."""

from __future__ import annotations

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.address_map import CHUNK_BITS, channel_of
from gpusim.engine.hierarchy.scramble import around, mix
from gpusim.engine.hierarchy.servers import CHANNELS, PENDING, serve
from gpusim.engine.state.columns import CHANNEL_SECTOR, DRAM, DRAM_HALF, DRAM_SPREAD, TURNAROUND, WRITE_BATCH


@inline
def read_sectors(servers, rates, shape, line, n, t):
    """A line's channel reads ``n`` sectors of it, asked for at tick ``t``; returns when it begins."""
    return serve(servers, CHANNELS, channel_of(line, shape), t, n * rates[CHANNEL_SECTOR])


@inline
def fetched_at(servers, rates, shape, line, n, t, stamp):
    """Read ``n`` sectors of a line from HBM; returns the tick they are at their half of L2."""
    begin = read_sectors(servers, rates, shape, line, n, t)
    return (
        begin
        + rates[DRAM]
        + (rates[DRAM_HALF] if n > 2 else 0)
        + around(mix((line >> CHUNK_BITS) + stamp), rates[DRAM_SPREAD])
    )


@jit
def write_back(servers, rates, k, t, n):
    """A DRAM channel has ``n`` more sectors to write; it does so when there are enough of them."""
    channel = servers[CHANNELS, k]
    channel[PENDING] += n
    if channel[PENDING] >= rates[WRITE_BATCH]:
        serve(servers, CHANNELS, k, t, channel[PENDING] * rates[CHANNEL_SECTOR] + rates[TURNAROUND])
        channel[PENDING] = 0
