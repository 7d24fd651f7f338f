"""Servers: units that all share, each with a rate, and how much of its time each has given away.

A request at tick ``t`` starts when its server is free, and the server is then busy for the time the transfer takes.
Latencies are those of an unloaded machine; waiting comes on top of them.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline, jit

# Planes of Machine.servers, a row a server (STARTERS: a GPC's, that starts blocks; ENDED: one, that hears of the end of
# each; LINKS: from one half of L2 to the other, two slices share one; LINK_WRITES: what is written has not all
# turns there; GIVERS: a GPC's, that gives its SMs code and constants; SEEKERS: those of a GPC, each of which gets it a
# line of constants from L2).  The last plane is no server: its first row is that of hierarchy.partial_sectors
SLICES, CHANNELS, PORTS, STARTERS, ENDED, LINKS, LINK_WRITES, GIVERS, SEEKERS, PARTIAL, N_PLANES = range(11)

# Columns of a server.  FULL, OPEN: numbers of two spans of time, from the first one up to the second all are full;
# SPANS: ring over the spans, which one (from bit SPAN_FIELD on) and how many of its ticks are taken.  A span is 64
# cycles; the ring is long enough for any queue that forms.  PERIOD: spans from one refresh of a DRAM channel to the
# next, 0: none; BEGUN: how far it is into one at tick 0; CLOSED: ticks that a refresh takes; PENDING: sectors that wait
# to be written (hierarchy.dram); BOOKED: ticks given away so far; ADDED_LINE, ADDED_WORDS: to what a slice of L2 has
# just added floating-point numbers
FULL, OPEN, PERIOD, BEGUN, CLOSED, PENDING, BOOKED, ADDED_LINE, ADDED_WORDS, SPANS = range(10)
SPAN_BITS, SPAN_FIELD = 16, 24
SPAN = 1 << SPAN_BITS
N_SPANS = 4096


@jit
def serve(servers, which, k, t, busy):
    """Wait for a server from tick ``t``, keep it ``busy`` ticks; returns the start.

    SMs are simulated a window of time after another, so what comes later may have asked earlier: a server does not note
    when it is free, but how much of each span of time is taken.  The first span that is not full serves.
    """
    server = servers[which, k]
    start, span = opening(server, t)
    used = taken(server, span) + busy
    server[BOOKED] += busy
    while used > 0:
        server[SPANS + (span & (N_SPANS - 1))] = span << SPAN_FIELD | min(used, SPAN)
        span += 1
        used += taken(server, span) - SPAN if used > SPAN else -used
    return start


@inline
def opening(server, t):
    """When a server could start on what comes at tick ``t``, and the span of time in which that is."""
    first = t >> SPAN_BITS
    known = server[FULL] <= first < server[OPEN]
    span = server[OPEN] if known else first
    while taken(server, span) >= SPAN:
        span += 1
    if known:
        server[OPEN] = span
    elif span > first:
        server[FULL], server[OPEN] = first, span
    return max(t, (span << SPAN_BITS) + taken(server, span)), span


@inline
def taken(server, span):
    """Ticks of a span of time that a server has given away."""
    entry = server[SPANS + (span & (N_SPANS - 1))]
    if entry >> SPAN_FIELD == span:
        return entry & ((1 << SPAN_FIELD) - 1)
    if server[PERIOD] == 0:
        return np.int64(0)
    return max(min(server[CLOSED] - ((span + server[BEGUN]) % server[PERIOD] << SPAN_BITS), SPAN), 0)
