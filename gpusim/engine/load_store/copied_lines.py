"""What copies from global to shared memory look up in L1, and ask L2 for.

A copy past L1 brings sectors of one line to one line of shared memory at a time.  So L1 looks up pairs of a source
line and a line of shared memory.  Pairs whose source lines are looked up together take wavefronts apart where their
lines of shared memory are of the same set (measured on an H100, Triton's softmax and matmuls).

A pair is a request to L2, whatever the order in which its sectors come to shared memory, if they fill whole sectors
there.  Otherwise it is a request for each distance that something moves within a line; and where that parts the halves
of sectors, 16 bytes, for each half.  What counts as sectors of the load are those of shared memory (measured on an
H200: rows that lie by other distances apart there, `calibration/data/kinds`).
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.access_patterns import PAT_LINES, PAT_N_LINES, PAT_WAVES
from gpusim.engine.hierarchy.bank_conflicts import bank_wavefronts
from gpusim.engine.hierarchy.l1 import ask_l2_apart
from gpusim.engine.hierarchy.outbox import asked_so_far, at_instruction, done_at
from gpusim.engine.hierarchy.tag_stage import fullest, one_in, take_turns
from gpusim.engine.load_store.pipe import data_apart, pass_again
from gpusim.engine.state import columns as S
from gpusim.engine.state.geometry import LINE_BITS, SECTOR_BITS, SECTORS
from gpusim.hardware.fixed import TAG_SETS

ONE = np.uint32(1)
ROWS, TURN, FROM, TO, READ, FILLED, PAIR, OF, MOVED, WANTED, LOAD = range(11)
"""Rows of scratch.  Of each source line: its row of L1 and its turn; of each pair: which source line, the line of
shared memory, a bit for each chunk of them; of each lane: its pair; of each request: its pair, how it moves, its
sectors; of each turn: its pairs by the set of their lines of shared memory."""
CHUNK_BITS, CHUNKS = SECTOR_BITS - 1, 2 * SECTORS
LOWER = sum(1 << 2 * sector for sector in range(SECTORS))
"""Chunks of a line, two a sector; the lower ones of all sectors, as bits."""


@inline
def place_of(p, line, n):
    """Which of the lines of a pattern, of which there are ``n``, a line is, relative to the pattern's origin."""
    j = 0
    while j < n - 1 and p[PAT_LINES + j] != line:
        j += 1
    return j


@jit
def pair_lines(p, origin, source, target, on, scratch):
    """Distinct pairs of a source line and a line of shared memory; how many there are.

    Parameters
    ----------
    p, origin
        Pattern of the source.
    source, target : int64 array, shape (32,)
        Byte addresses in global and in shared memory.
    on : uint32
        Lanes that read.
    scratch : int64 array, shape (11 or more, 32)
        Rows FROM to PAIR are filled in.
    """
    n, last = 0, 0
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        line, to = place_of(p, (source[lane] >> LINE_BITS) - origin, p[PAT_N_LINES]), target[lane] >> LINE_BITS
        if n == 0 or scratch[FROM, last] != line or scratch[TO, last] != to:
            last = 0
            while last < n and (scratch[FROM, last] != line or scratch[TO, last] != to):
                last += 1
            if last == n:
                scratch[FROM, n], scratch[TO, n], scratch[READ, n], scratch[FILLED, n] = line, to, 0, 0
                n += 1
        scratch[READ, last] |= np.int64(1) << chunk_of(source[lane])
        scratch[FILLED, last] |= np.int64(1) << chunk_of(target[lane])
        scratch[PAIR, lane] = last
    return n


@inline
def chunk_of(address):
    """Which chunk of its line an address is in."""
    return (address >> CHUNK_BITS) & (CHUNKS - 1)


@inline
def lower_chunks(chunks):
    """The lower chunk of each sector of which there is one."""
    return (chunks | chunks >> 1) & LOWER


@inline
def fills_sectors(chunks):
    """Whether there are both chunks of a sector or none."""
    return (chunks ^ chunks >> 1) & LOWER == 0


@jit
def requests_of_pairs(source, target, on, n, scratch):
    """What a copy asks L2 for, of ``n`` pairs; how many requests that is, and how many sectors they fill.

    ``scratch``: rows OF, MOVED and WANTED are filled in.
    """
    requests, filled = 0, np.int64(0)
    for k in range(n):
        read = scratch[READ, k]
        filled += popcount(lower_chunks(scratch[FILLED, k]))
        if fills_sectors(read) and fills_sectors(scratch[FILLED, k]):
            scratch[OF, requests], scratch[WANTED, requests] = k, sectors_of(read)
            requests += 1
        else:
            requests = part_pair(source, target, on, k, requests, scratch)
    return requests, filled


@inline
def sectors_of(chunks):
    """Sectors that chunks lie in."""
    lower, sectors = lower_chunks(chunks), np.int64(0)
    for s in range(SECTORS):
        sectors |= (lower >> (2 * s) & 1) << s
    return sectors


@jit
def part_pair(source, target, on, pair, first, scratch):
    """Add requests of a pair that fills parts of sectors to those before the ``first``; how many there are then."""
    n = first
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE or scratch[PAIR, lane] != pair:
            continue
        moved, k = how_moved(source[lane], target[lane]), first
        while k < n and scratch[MOVED, k] != moved:
            k += 1
        if k == n:
            scratch[OF, n], scratch[MOVED, n], scratch[WANTED, n] = pair, moved, 0
            n += 1
        scratch[WANTED, k] |= np.int64(1) << (chunk_of(source[lane]) >> 1)
    return n


@inline
def how_moved(source, target):
    """By how many chunks within a line, and which half of a sector it is that moves if that parts them."""
    distance = chunk_of(target - source)
    return distance + (CHUNKS * (chunk_of(source) & 1) if distance & 1 else 0)


@inline
def wavefronts_of_pairs(p, n, scratch):
    """Wavefronts of the tag stage that ``n`` pairs take: those of a turn as many as the fullest set has."""
    turns = take_turns(p[PAT_N_LINES], scratch[ROWS], scratch[TURN])
    scratch[LOAD, :turns] = 0
    for k in range(n):
        scratch[LOAD, scratch[TURN, scratch[FROM, k]]] += one_in(scratch[TO, k] & (TAG_SETS - 1))
    total = np.int64(0)
    for turn in range(turns):
        total += fullest(scratch[LOAD, turn])
    return total


@jit
def ask_for_copy(m, index, w, p, array, sm, origin, n, tags, begin):
    """Send L2 the ``n`` requests in as many cycles as the tag stage takes; returns the tick their data is there."""
    first = asked_so_far(m, sm)
    at_instruction(m, sm, w, index, array)
    for k in range(n):
        line = origin + p[PAT_LINES + m.scratch[FROM, m.scratch[OF, k]]]
        ask_l2_apart(m, sm, line, m.scratch[WANTED, k], begin + k * tags // n * S.TICKS)
    pass_again(m, sm, m.rates[S.AWAITED])
    return done_at(m, sm, first, begin) + data_apart(m, p[PAT_WAVES], 1)


@jit
def wavefronts_by_turn(p, origin, source, target, reads, on, width, scratch):
    """Wavefronts of the data stage that a copy through L1 takes: a turn's lanes are written apart from others.

    Lanes that only write zeros go with the first turn.

    Parameters
    ----------
    p, origin, source, target, scratch
        See :func:`pair_lines`; rows up to WORKED, and TURNS, are overwritten.
    reads, on : uint32
        Lanes that read, and those that write.
    width : int
        Bytes a lane.
    """
    turns, lanes = take_turns(p[PAT_N_LINES], scratch[ROWS], scratch[TURN]), scratch[S.TURNS]
    lanes[:turns] = 0
    lanes[0] = on & ~reads
    for lane in range(S.LANES):
        if (reads >> np.uint32(lane)) & ONE:
            line = place_of(p, (source[lane] >> LINE_BITS) - origin, p[PAT_N_LINES])
            lanes[scratch[TURN, line]] |= np.int64(1) << lane
    total = np.int64(0)
    for turn in range(turns):
        total += bank_wavefronts(target, np.uint32(lanes[turn]), width, False, scratch)
    return total
