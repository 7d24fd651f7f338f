"""The fabric between the halves of L2: links that lines cross, once each way they go."""

from __future__ import annotations

from gpusim.engine.compiling.jit import inline
from gpusim.engine.hierarchy.address_map import slice_of
from gpusim.engine.hierarchy.servers import LINK_WRITES, LINKS, serve
from gpusim.engine.state.columns import HALVES, LINK_SECTOR, LINK_WRITE, LINK_WRITE_FIELD, N_SLICES


@inline
def link_of(line, half, shape):
    """Link on which a line leaves a half of L2: one for two slices, never those of the same 1 KiB."""
    n = shape[N_SLICES] // shape[HALVES]
    return half * n + (slice_of(line, half, shape) - half * n) % ((n + 1) // 2)


@inline
def cross(servers, rates, shape, half, line, n, t):
    """Sectors of a line leave a half of L2 for the other one; returns the tick from which they do."""
    if rates[LINK_SECTOR] == 0:
        return t
    return serve(servers, LINKS, link_of(line, half, shape), t, n * rates[LINK_SECTOR])


@inline
def send_across(servers, rates, shape, half, line, n, t):
    """The same for sectors that are written: where data that is read queues for the link, they have some turns only.

    Returns
    -------
    leaves : int
        When they are taken from the SM.
    last : int
        When all that the link has to carry before them has left too.
    """
    if rates[LINK_SECTOR] == 0:
        return t, t
    busy = n * rates[LINK_WRITE] >> LINK_WRITE_FIELD
    in_turn = serve(servers, LINK_WRITES, link_of(line, half, shape), t, busy)
    last = cross(servers, rates, shape, half, line, n, t)
    return min(in_turn, last), last
