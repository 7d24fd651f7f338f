"""The way of a sector below L1: the coalescer of the GPC, the half of L2 asked, its fabric, HBM.

Each unit is a cache or a table with state, and a server with a rate: a request
at tick ``t`` starts when the server is free, and the server is then busy for the
time the transfer takes.  Latencies are those of an unloaded machine; waiting
comes on top of them.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.cache_hints import prefetch, prefetch_row
from gpusim.engine.compiling.jit import inline, jit, spliced
from gpusim.engine.state import counts as C
from gpusim.engine.state.columns import (
    ARRIVES,
    BEGUN,
    BITS,
    BOOKED,
    CHANNEL_SECTOR,
    CHANNELS,
    CLOSED,
    DRAM,
    DRAM_HALF,
    DRAM_SPREAD,
    FULL,
    GPC,
    HALF,
    HALVES,
    L2_BITS,
    L2_FAR,
    L2_NEAR,
    L2_SETS,
    L2_SPREAD,
    L2_WAYS,
    LINK_SECTOR,
    LINK_WRITES,
    LINKS,
    MAX_MERGE,
    N_CHANNELS,
    N_SLICES,
    N_SPANS,
    OPEN,
    P_LINES,
    P_NEWEST,
    P_OLDEST,
    PARTIAL,
    PARTIAL_AT,
    PARTIAL_HIGH,
    PARTIAL_LOW,
    PENDING,
    PERIOD,
    PORT_SECTOR,
    PORTS,
    PROMOTE,
    Q_BEGIN,
    Q_DONE,
    Q_LINE,
    Q_MERGED,
    Q_PARTS,
    Q_SECTORS,
    Q_UNTIL,
    SLICE_QUEUE,
    SLICE_REQUEST,
    SLICE_SECTOR,
    SLICE_WRITE,
    SLICES,
    SPAN,
    SPAN_BITS,
    SPAN_FIELD,
    SPANS,
    TAG,
    TIMED,
    TURNAROUND,
    USED,
    WINDOW,
    WORDS_AT,
    WRITE_BATCH,
)  # fmt: skip

ALL_WORDS = 0xFFFFFFFF
NONE_JOIN = 0  # sectors of an outstanding request that others no longer join
HOME_BITS, HIDDEN_BITS = 0b10101011, 9  # of a page's number; above, addresses are translated
CHUNK_BITS, PAGE_BITS = 3, 5
"""Lines of one DRAM channel, and of one half of L2, that follow one another, as powers of two.  On an H200 the
latency of single loads is that of the near or the far half for runs of 32 lines; within 8 lines it has two values, two
lines each in turns."""


@inline
def mix(x):
    """Scramble a line number (splitmix64 finalizer; Steele, Lea and Flood 2014)."""
    z = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(1))


@jit
def serve(servers, which, k, t, busy):
    """Wait for a server from tick ``t``, keep it ``busy`` ticks; returns the start.

    SMs are simulated some hundred cycles at a time, so what comes later may have asked earlier: a server does not note
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


@jit
def write_back(servers, rates, k, t, n):
    """A DRAM channel has ``n`` more sectors to write; it does so when there are enough of them."""
    channel = servers[CHANNELS, k]
    channel[PENDING] += n
    if channel[PENDING] >= rates[WRITE_BATCH]:
        serve(servers, CHANNELS, k, t, channel[PENDING] * rates[CHANNEL_SECTOR] + rates[TURNAROUND])
        channel[PENDING] = 0


@inline
def around(scrambled, width):
    """A value spread evenly over ``width`` around 0, chosen by the bits of a scrambled number."""
    return (((scrambled >> 20) & 63) - 32) * width // 64


@inline
def find(row, ways, line):
    """Way of an L2 set that holds ``line``, or -1."""
    for e in range(ways):
        if row[e] == line:
            return e
    return -1


@inline
def oldest(row, ways):
    """Least recently used way of an L2 set."""
    best = 0
    for e in range(1, ways):
        if row[ways + e] < row[ways + best]:
            best = e
    return best


@inline
def old_one(row, ways, chance):
    """One of the two least recently used ways of a set, by the bits of ``chance``.

    L2 is near-LRU: cycling over a few per cent more than it holds misses three times in
    four on an H200, where LRU would always miss and random replacement one time in eight.
    """
    first = oldest(row, ways)
    if chance & 1:
        return first
    second = -1
    for e in range(ways):
        if e != first and (second < 0 or row[ways + e] < row[ways + second]):
            second = e
    return second


# ------------------------------------------------------------------ L2 and below


@inline
def scatter(line, bits):
    """Scramble the low bits of a line number, every value of an aligned stretch to another one.

    So an aligned stretch of memory loads the sets of a cache evenly, and no stride
    falls on few of them.
    """
    mask = (np.int64(1) << bits) - 1
    x = (line ^ mix(line >> bits)) & mask
    x ^= x >> (bits >> 1)
    x = (x * 0x9E3B) & mask
    return x ^ (x >> (bits >> 1))


@inline
def l2_set(line, shape):
    """Set of a line in either half."""
    page, halves = line >> PAGE_BITS, shape[HALVES]
    first = scatter(page // halves, shape[L2_BITS] - PAGE_BITS - (halves >> 1)) << PAGE_BITS
    return first + ((line ^ mix(page)) & ((1 << PAGE_BITS) - 1))


@inline
def home_of(line, shape):
    """The half whose memory a line belongs to: of two neighbouring pages of 4 KiB one belongs to each.

    On an H200 it follows from the parity of bits 12, 13, 15, 17, 19 of the address and of some above 20.
    """
    page = line >> PAGE_BITS
    return (popcount(page & HOME_BITS) + (mix(page >> HIDDEN_BITS) >> 20)) % shape[HALVES]


@inline
def deal(number, n):
    """One of ``n`` places for a number: each of them once in every ``n`` numbers, in an order that varies."""
    return (number + (mix(number // n) >> 20)) % n


@inline
def channel_of(line, shape):
    """DRAM channel of a line: that of its 1 KiB."""
    return deal(line >> CHUNK_BITS, shape[N_CHANNELS])


@inline
def slice_of(line, half, shape):
    """Slice of a half of L2 that looks a line up: the lines of 1 KiB take two of them in turns, two by two."""
    n = shape[N_SLICES] // shape[HALVES]
    return half * n + (2 * deal(line >> CHUNK_BITS, n) + ((line >> 1) & 1)) % n


@inline
def link_of(line, half, shape):
    """Link on which a line leaves a half of L2: one for two slices, never those of the same 1 KiB."""
    n = shape[N_SLICES] // shape[HALVES]
    return half * n + (slice_of(line, half, shape) - half * n) % ((n + 1) // 2)


@jit
def l2_place(row, ways, line, t, stamp, servers, rates, shape, count):
    """Way for ``line`` in a set of L2, evicting if need be: dirty sectors go to HBM, partial ones are filled first."""
    e = find(row, ways, line)
    if e < 0:
        e = old_one(row, ways, mix(stamp))
        bits = row[BITS * ways + e]
        dirty = (bits >> 4) & 15
        if bits >> PARTIAL_AT:
            servers[PARTIAL, 0, P_LINES] -= 1
            count[C.DRAM_READ] += popcount((bits >> PARTIAL_AT) & 15)
        if dirty:
            n = popcount(dirty)
            count[C.DRAM_WRITE] += n
            write_back(servers, rates, channel_of(row[e], shape), t, n)
        row[TAG * ways + e] = line
        row[BITS * ways + e] = 0
        row[ARRIVES * ways + e] = 0
    row[USED * ways + e] = stamp
    return e


@inline
def widen(sectors, promote):
    """Sectors fetched from HBM for the sectors wanted: whole 64-byte halves of a line."""
    if not promote:
        return sectors
    low = 3 if sectors & 3 else 0
    high = 12 if sectors & 12 else 0
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
    valid = bits & ~(bits >> PARTIAL_AT) & 15
    missing = widen(wanted & ~valid, rates[PROMOTE]) & ~valid & 15
    done = max(t + rates[L2_NEAR], row[ARRIVES * ways + e])
    if missing:
        if bits >> PARTIAL_AT:
            whole(row, BITS * ways + e, missing, servers)
        n = popcount(missing)
        begin = serve(servers, CHANNELS, channel_of(line, shape), t, n * rates[CHANNEL_SECTOR])
        done = (
            begin
            + rates[DRAM]
            + (rates[DRAM_HALF] if n > 2 else 0)
            + around(mix((line >> CHUNK_BITS) + stamp), rates[DRAM_SPREAD])
        )
        count[C.DRAM_READ] += n
        row[BITS * ways + e] |= missing
        row[ARRIVES * ways + e] = done
    return done, missing


@inline
def cross(servers, rates, shape, half, line, n, t):
    """Sectors of a line leave a half of L2 for the other one; returns the tick from which they do."""
    if rates[LINK_SECTOR] == 0:
        return t
    return serve(servers, LINKS, link_of(line, half, shape), t, n * rates[LINK_SECTOR])


@inline
def send_across(servers, rates, shape, half, line, n, t):
    """The same for sectors that are written: where data that is read queues for the link, they have two of three turns.

    Returns
    -------
    leaves : int
        When they are taken from the SM.
    last : int
        When all that the link has to carry before them has left too.
    """
    if rates[LINK_SECTOR] == 0:
        return t, t
    in_turn = serve(servers, LINK_WRITES, link_of(line, half, shape), t, 3 * n * rates[LINK_SECTOR] // 2)
    last = cross(servers, rates, shape, half, line, n, t)
    return min(in_turn, last), last


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
    valid = row[BITS * ways + e] & 15
    missing = widen(wanted & ~valid, rates[PROMOTE]) & ~valid & 15
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
    A sector of which only some words are written stays partial: see `fill_partial`.

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
        (n + (sent == 0 and words != spread(sectors))) * rates[SLICE_WRITE],
    )
    ways = shape[L2_WAYS]
    row = l2[home * shape[L2_SETS] + l2_set(line, shape)]
    e = l2_place(row, ways, line, t, stamp, servers, rates, shape, count)
    partial = row[BITS * ways + e] >> PARTIAL_AT
    if partial or words != spread(sectors):
        if patch(row, BITS * ways + e, sectors, words, servers):
            enqueue(servers[PARTIAL, 0], ring, line)
            if servers[PARTIAL, 0, P_LINES] > rates[PARTIAL_HIGH]:
                fill_partial(l2, servers, rates, shape, ring, t, count)
        partial = row[BITS * ways + e] >> PARTIAL_AT
    row[BITS * ways + e] |= sectors | (sectors << 4)
    if home != half:
        count[C.FABRIC] += n
        row = l2[half * shape[L2_SETS] + l2_set(line, shape)]
        e = l2_place(row, ways, line, t, stamp, servers, rates, shape, count)
        row[BITS * ways + e] |= sectors & ~partial
    return begin, max(begin, last)


@jit
def l2_update(l2, servers, rates, shape, half, line, sectors, t, stamp, count):
    """Change sectors where they are at home: what L2 lacks of them comes from HBM first.

    An H200 counts one miss for the 64 bytes that come together, and reads all that it has to change: of a backward
    pass of FlashAttention-2 it reads 1.08 MB more than Q, K, V and the like, and dQ, to which it adds, has 1.05 MB.

    Returns
    -------
    done : int
        Tick at which the old values are back at the half asked.
    """
    n = popcount(sectors)
    count[C.L2_ATOM] += n
    count[C.L2_ATOM_REQ] += 1
    home, back = home_of(line, shape), np.int64(0)
    if home != half:
        t, _ = send_across(servers, rates, shape, half, line, n, t)
        count[C.FABRIC] += n
        back = rates[L2_FAR]
    begin = serve(servers, SLICES, slice_of(line, home, shape), t, n * rates[SLICE_WRITE])
    done, missing = home_read(l2, servers, rates, shape, home, line, sectors, begin, stamp, count)
    count[C.L2_MISS] += (popcount(missing) + 1) >> 1 if rates[PROMOTE] else popcount(missing)
    row = l2[home * shape[L2_SETS] + l2_set(line, shape)]
    row[BITS * shape[L2_WAYS] + find(row, shape[L2_WAYS], line)] |= sectors << 4
    return done + back


# ------------------------------------------------------------------ sectors written in part


@inline
def spread(sectors):
    """Words of the sectors of a mask, a bit each."""
    return (sectors & 1) * 0xFF | (sectors & 2) * 0x7F80 | (sectors & 4) * 0x3FC000 | (sectors & 8) * 0x1FE00000


@inline
def complete(words):
    """Sectors of a line all of whose words are in a mask."""
    w = np.int64(words)
    w &= w >> 1
    w &= w >> 2
    w &= w >> 4
    return (w & 1) | ((w >> 7) & 2) | ((w >> 14) & 4) | ((w >> 21) & 8)


@inline
def begun(words):
    """Sectors of a line any of whose words are in a mask."""
    w = words | words >> 4
    w |= w >> 2
    w |= w >> 1
    return (w & 1) | ((w >> 7) & 2) | ((w >> 14) & 4) | ((w >> 21) & 8)


@inline
def whole(row, k, sectors, servers):
    """Partial sectors of a line (its bits at ``row[k]``) have been filled or overwritten."""
    row[k] &= ~((sectors << PARTIAL_AT) | (spread(sectors) << WORDS_AT))
    if row[k] >> PARTIAL_AT == 0:
        servers[PARTIAL, 0, P_LINES] -= 1


@jit
def patch(row, k, sectors, words, servers):
    """Note which words of a line are written; a sector is whole once all eight of its words are.

    Returns
    -------
    bool
        Whether this made a line partial that was not.
    """
    bits = row[k]
    partial = (bits >> PARTIAL_AT) & 15
    changed = (~bits | partial) & sectors
    row[k] = bits | (changed << PARTIAL_AT) | ((words & spread(changed)) << WORDS_AT)
    done = np.int64(0)
    for s in range(4):
        if (row[k] >> (WORDS_AT + 8 * s)) & 0xFF == 0xFF:
            done |= np.int64(1) << s
    done &= changed
    servers[PARTIAL, 0, P_LINES] += (changed != 0) & (partial == 0)
    if done:
        whole(row, k, done, servers)
    return partial == 0 and row[k] >> PARTIAL_AT != 0


@inline
def enqueue(queue, ring, line):
    """Put a line that became partial at the end of the queue."""
    if queue[P_NEWEST] - queue[P_OLDEST] == len(ring):
        queue[P_OLDEST] += 1
    ring[queue[P_NEWEST] & (len(ring) - 1)] = line
    queue[P_NEWEST] += 1


@jit
def fill_partial(l2, servers, rates, shape, ring, t, count):
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
        e = find(row, ways, line)
        if e < 0 or row[BITS * ways + e] >> PARTIAL_AT == 0:
            continue
        n = popcount((row[BITS * ways + e] >> PARTIAL_AT) & 15)
        dirty = popcount((row[BITS * ways + e] >> 4) & 15)
        count[C.DRAM_READ] += n
        count[C.DRAM_WRITE] += dirty
        whole(row, BITS * ways + e, 15, servers)
        row[BITS * ways + e] &= 15
        serve(servers, CHANNELS, channel_of(line, shape), t, n * rates[CHANNEL_SECTOR])
        write_back(servers, rates, channel_of(line, shape), t, dirty)


# ------------------------------------------------------------------ coalescer


@inline
def window(line, rates):
    """Ticks for which a request that hits L2 is outstanding at the coalescer; it depends on how far the slice is."""
    return rates[WINDOW] * (64 + 2 * ((mix(line >> CHUNK_BITS) >> 24) & 31)) // 95


@inline
def outstanding(m, line):
    """Row of a GPC's `Machine.lrc` in which a request for a line stands."""
    return (mix(line) >> 16) & (m.lrc.shape[1] - 1)


@inline
def look_up(m, sm, line):
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
    known = busy and entry[Q_LINE] == line and (same or passes < entry[Q_BEGIN] + rates[WINDOW] * 4 // 3)
    return np.int64(known) if same else -np.int64(known)


@inline
def shared(m, entry, wanted, t, count):
    """Tick at which data comes that another SM of the GPC has asked for too."""
    count[C.MERGED] += popcount(wanted)
    return max(entry[Q_DONE], t + m.rates[L2_NEAR] - m.rates[WINDOW])


@inline
def pass_on(m, sm, line, wanted, along, t, stamp, count):
    """Have L2 read what no other SM of the GPC has asked for; returns the tick it is there."""
    begin = serve(m.servers, PORTS, m.sms[sm, GPC], t, popcount(wanted) * m.rates[PORT_SECTOR])
    begin += around(mix(slice_of(line, 0, m.shape) * 1024 + sm), m.rates[L2_SPREAD])
    return l2_read(m.l2, m.servers, m.rates, m.shape, m.sms[sm, HALF], line, wanted, along, begin, stamp, count)


@jit
def fetch_along(m, sm, line, wanted, t, stamp, count):
    """Ask L2 for more of the line that the SM has just asked for: it is one request."""
    entry = m.lrc[m.sms[sm, GPC], outstanding(m, line)]
    ours = entry[Q_LINE] == line and entry[Q_SECTORS] != NONE_JOIN
    if ours and not wanted & ~entry[Q_SECTORS]:
        return shared(m, entry, wanted, t, count)
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
    sectors none joins any more, nor does what comes for as long as a request that hits the farthest
    slice is outstanding.  What waits long for its slice does so in front of the coalescer.  Data comes
    to all that joined together.  An SM may be simulated some cycles after one that is ahead of it, so
    either request may be the earlier one.
    """
    gpc, half = m.sms[sm, GPC], m.sms[sm, HALF]
    entry = m.lrc[gpc, outstanding(m, line)]
    if m.shape[TIMED]:
        look_up(m, sm, line)
    free, _ = opening(m.servers[SLICES, slice_of(line, half, m.shape)], t)
    passes = max(t, free - m.rates[SLICE_QUEUE])
    joined = joins(entry, line, wanted, passes, m.rates)
    if joined < 0:
        entry[Q_SECTORS] = NONE_JOIN
    elif joined and entry[Q_MERGED] < m.rates[MAX_MERGE]:
        entry[Q_MERGED] += 1
        return shared(m, entry, wanted, t, count)
    done = pass_on(m, sm, line, wanted, False, t, stamp, count)
    if m.rates[MAX_MERGE] > 1 and joined >= 0:
        entry[Q_LINE], entry[Q_SECTORS], entry[Q_DONE], entry[Q_MERGED], entry[Q_PARTS] = line, wanted, done, 1, 1
        entry[Q_BEGIN], entry[Q_UNTIL] = passes, done - m.rates[L2_NEAR] + window(line, m.rates)
    return done
