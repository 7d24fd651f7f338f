"""What copies from global to shared memory look up in L1, and ask L2 for.

A copy past L1 brings sectors of one line to one line of shared memory at a time.  So L1 looks up pairs of a source
line and a line of shared memory.  Pairs whose source lines are looked up together take wavefronts apart where their
lines of shared memory are of the same set (measured on an H100, Triton's softmax and matmuls).

A request to L2 is for sectors of a pair that move by the same distance within a line.  Where that is an odd number of
chunks of 16 bytes, the two chunks of a sector come to different sectors of shared memory: each is a request's of its
own, and what counts as sectors of the load are those of shared memory (measured on an H200, rows that lie apart by
other distances in shared memory; `calibration/data/kinds`).
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
ROWS, TURN, FROM, TO, MOVED, WANTED, FIRST, FILLED, LOAD = range(9)
"""Rows of scratch.  Of each source line: its row of L1 and its turn; of each request: which source line, the line of
shared memory, how it is moved, the sectors, the first request of its pair, and of that one the sectors of shared memory
that the pair fills; of each turn: its pairs by the set of their lines of shared memory."""
CHUNK_BITS, CHUNKS, MOVES_HALVES = 4, 8, 1
"""Chunks of 16 bytes of a line, and the bit of the distance by which one moves that parts the halves of a sector."""


@inline
def place_of(p, line, n):
    """Which of the lines of a pattern, of which there are ``n``, a line is, relative to the pattern's origin."""
    j = 0
    while j < n - 1 and p[PAT_LINES + j] != line:
        j += 1
    return j


@inline
def how_moved(source, target):
    """By how many chunks within a line a chunk is moved, and which half of its sector it is if these are parted."""
    distance = ((target - source) >> CHUNK_BITS) & (CHUNKS - 1)
    return distance + (CHUNKS * ((source >> CHUNK_BITS) & 1) if distance & MOVES_HALVES else 0)


@jit
def requests_of_copy(p, origin, source, target, on, scratch):
    """What a copy past L1 asks L2 for: sectors of a pair that are moved alike.

    Parameters
    ----------
    p, origin
        Pattern of the source.
    source, target : int64 array, shape (32,)
        Byte addresses in global and in shared memory.
    on : uint32
        Lanes that read.
    scratch : int64 array, shape (9 or more, 32)
        Rows FROM to FILLED are filled in.

    Returns
    -------
    requests, pairs, filled : int
        How many there are, of how many pairs, and the sectors of shared memory that these fill.
    """
    n, last = 0, 0
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        line, to = place_of(p, (source[lane] >> LINE_BITS) - origin, p[PAT_N_LINES]), target[lane] >> LINE_BITS
        how = how_moved(source[lane], target[lane])
        if n == 0 or scratch[FROM, last] != line or scratch[TO, last] != to or scratch[MOVED, last] != how:
            last = request_for(line, to, how, n, scratch)
            n = max(n, last + 1)
        scratch[WANTED, last] |= np.int64(1) << ((source[lane] >> SECTOR_BITS) & (SECTORS - 1))
        scratch[FILLED, scratch[FIRST, last]] |= np.int64(1) << ((target[lane] >> SECTOR_BITS) & (SECTORS - 1))
    pairs, filled = 0, np.int64(0)
    for k in range(n):
        pairs += scratch[FIRST, k] == k
        filled += popcount(scratch[FILLED, k])
    return n, pairs, filled


@inline
def request_for(line, to, how, n, scratch):
    """Which of ``n`` requests is for a pair of lines, moved so; where there is none a new one."""
    k, first = 0, n
    while k < n:
        if scratch[FROM, k] == line and scratch[TO, k] == to:
            if scratch[MOVED, k] == how:
                return k
            first = min(first, k)
        k += 1
    scratch[FROM, n], scratch[TO, n], scratch[MOVED, n] = line, to, how
    scratch[WANTED, n], scratch[FIRST, n], scratch[FILLED, n] = 0, first, 0
    return n


@inline
def wavefronts_of_pairs(p, n, scratch):
    """Wavefronts of the tag stage for the pairs of ``n`` requests: those of a turn as many as the fullest set has."""
    turns = take_turns(p[PAT_N_LINES], scratch[ROWS], scratch[TURN])
    scratch[LOAD, :turns] = 0
    for k in range(n):
        if scratch[FIRST, k] == k:
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
        line = origin + p[PAT_LINES + m.scratch[FROM, k]]
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
        See :func:`requests_of_copy`; rows up to WORKED, and TURNS, are overwritten.
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
