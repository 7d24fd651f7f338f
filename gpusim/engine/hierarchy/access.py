"""One warp's access worked out: sectors, lines, and wavefronts of the tag and data stages.

Rules as measured on an H200 (426 access patterns, all reproduced): see
``docs/architecture.md``, "The memory model".
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lanes import I64, bits, load, pointer
from gpusim.engine.state.columns import (
    LANES,
    MIXED,
    PAT_FIRST,
    PAT_HIGH,
    PAT_IDEAL,
    PAT_LINES,
    PAT_LOW,
    PAT_MASK,
    PAT_N_LINES,
    PAT_N_SECTORS,
    PAT_ODD,
    PAT_OFFSET,
    PAT_SECTORS,
    PAT_STEP,
    PAT_WAVES,
    PAT_WORDS,
    PATTERNS_KEPT,
    PLACE_BITS,
    SEEN,
)  # fmt: skip

WORDS_OF_SECTOR = 8
NOWHERE = np.int64(1) << 62  # no offset


@jit
def bank_wavefronts(address, mask, width, packs, scratch):
    """Wavefronts the data stage needs for one request.

    Lanes go in groups of 32, 16 or 8 for accesses of up to 4, 8 or 16 bytes; a
    group takes as many wavefronts as the fullest of the 32 banks has distinct
    4-byte words.

    Parameters
    ----------
    address : int64 array, shape (32,)
        Byte addresses.
    mask : uint32
        Active lanes.
    width : int
        Bytes a lane.
    packs : bool
        Shared loads of 8 or 16 bytes: where lanes n and n^1 read the same address throughout, groups
        have twice as many lanes.
    scratch : int64 array, shape (33 or more, 32)
        Overwritten.
    """
    words = max(width // 4, 1)
    group = 32 // words
    if packs and words > 1 and _pairs_agree(address, mask):
        group *= 2
    seen, count = scratch, scratch[32]
    total = 0
    for first in range(0, LANES, group):
        for bank in range(32):
            count[bank] = 0
        worst = 0
        for lane in range(first, first + group):
            if not (mask >> np.uint32(lane)) & np.uint32(1):
                continue
            for k in range(words):
                word = (address[lane] >> 2) + k
                bank = word & 31
                n = count[bank]
                known = False
                for j in range(n):
                    if seen[bank, j] == word:
                        known = True
                        break
                if not known:
                    seen[bank, n] = word
                    count[bank] = n + 1
                    worst = max(worst, n + 1)
        total += worst
    return total


@inline
def ideal_wavefronts(on, width):
    """Wavefronts without conflicts: one for each group of lanes that has work."""
    group = 32 // max(width >> 2, 1)
    n = 0
    for first in range(0, LANES, group):
        bits_of = (np.int64(on) >> first) & ((np.int64(1) << group) - 1)
        n += bits_of != 0
    return n


@inline
def _pairs_agree(address, mask):
    for lane in range(0, LANES, 2):
        both = (mask >> np.uint32(lane)) & np.uint32(3)
        if both == 3 and address[lane] != address[lane + 1]:
            return False
    return True


@jit
def gather_lines(address, mask, lines, sectors):
    """Distinct 128-byte lines of a request and the sectors wanted in each.

    Parameters
    ----------
    address : int64 array, shape (32,)
    mask : uint32
    lines, sectors : int64 arrays, shape (32,)
        Filled in.  Accesses are aligned, so a lane stays within one sector.

    Returns
    -------
    n_lines, n_sectors : int
    """
    n = 0
    last = 0
    n_sectors = 0
    for lane in range(LANES):
        if not (mask >> np.uint32(lane)) & np.uint32(1):
            continue
        line = address[lane] >> 7
        bit = np.int64(1) << ((address[lane] >> 5) & 3)
        if n == 0 or lines[last] != line:
            last = n
            for j in range(n):
                if lines[j] == line:
                    last = j
                    break
            if last == n:
                lines[n] = line
                sectors[n] = 0
                n += 1
        if not sectors[last] & bit:
            sectors[last] |= bit
            n_sectors += 1
    return n, n_sectors


@jit
def gather_words(address, mask, width, lines, n, words):
    """Words touched of each of ``n`` lines, a bit each (touched in part counts); returns how many."""
    for j in range(n):
        words[j] = 0
    j = 0
    for lane in range(LANES):
        if (mask >> np.uint32(lane)) & np.uint32(1):
            if lines[j] != address[lane] >> 7:
                j = 0
                while lines[j] != address[lane] >> 7:
                    j += 1
            words[j] |= ((np.int64(1) << max(width >> 2, 1)) - 1) << ((address[lane] >> 2) & 31)
    n_words = np.int64(0)
    for j in range(n):
        n_words += popcount(words[j])
    return n_words


@inline
def one_in(which):
    """A line in one of the four sets, to be added up: a number of 16 bits for each."""
    return np.int64(1) << (16 * which)


@inline
def fullest(load):
    """Cycles of the tag stage: the most distinct lines, added up by :func:`one_in`, that fall in one of its sets."""
    return max(max(load & 0xFFFF, (load >> 16) & 0xFFFF), max((load >> 32) & 0xFFFF, load >> 48))


@jit
def apart(pattern, rows, absent, scratch):
    """Wavefronts of a load some of whose lines L1 does not have.

    The tag stage looks up lines of different sets together.  Those that are absent have their own wavefronts with
    those of the same cycle of it, the others all together.  On an H200 a load of 32 random sectors takes 11 wavefronts
    when it hits, 20 to 23 when it misses.

    Parameters
    ----------
    pattern : int64 array, shape (N_PATTERN,)
    rows : int64 array, shape (32,)
        Where each line belongs, of which the lowest two bits are its set.
    absent : int
        Its lines that are absent, a bit each.
    scratch : int64 array, shape (3 or more, 32)
        The second row and the third are overwritten.
    """
    turn, load = scratch[1], np.int64(0)
    for j in range(pattern[PAT_N_LINES]):
        turn[j] = (load >> 16 * (rows[j] & 3)) & 0xFFFF if absent >> j & 1 else -1
        load += one_in(rows[j] & 3)
    total = np.int64(0)
    for k in range(-1, fullest(load)):
        total += fullest_bank(pattern, turn, k, scratch[2])
    return total


@inline
def fullest_bank(pattern, turn, k, digits):
    """Words in the fullest bank, of those of the lines that have turn ``k``; counted for all banks at once."""
    digits[:6] = 0
    for j in range(pattern[PAT_N_LINES]):
        carry, place = pattern[PAT_WORDS + j] if turn[j] == k else np.int64(0), 0
        while carry:
            digits[place], carry = digits[place] ^ carry, digits[place] & carry
            place += 1
    most, among = np.int64(0), ~np.int64(0)
    for place in range(5, -1, -1):
        if among & digits[place]:
            among &= digits[place]
            most |= np.int64(1) << place
    return most


@inline
def recall(pattern, address, mask, origin):
    """Whether this is the very pattern kept (relative to line ``origin``)."""
    if not pattern[SEEN] or pattern[PAT_MASK] != mask:
        return False
    offsets = load(pointer(address), np.int64(0), I64) - (origin << 7)
    return bits(offsets != load(pointer(pattern), np.int64(PAT_OFFSET), I64)) & mask == 0


@jit
def work_out(pattern, address, mask, origin, width, packs, scratch):
    """Fill in a pattern row from lane addresses."""
    lines, sectors = pattern[PAT_LINES : PAT_LINES + LANES], pattern[PAT_SECTORS : PAT_SECTORS + LANES]
    n, n_sectors = gather_lines(address, mask, lines, sectors)
    n_words = gather_words(address, mask, width, lines, n, pattern[PAT_WORDS : PAT_WORDS + LANES])
    pattern[PAT_IDEAL] = (n_words + WORDS_OF_SECTOR - 1) // WORDS_OF_SECTOR
    for j in range(n):
        lines[j] -= origin
    pattern[PAT_N_LINES], pattern[PAT_N_SECTORS] = n, n_sectors
    pattern[PAT_WAVES] = bank_wavefronts(address, mask, width, packs, scratch)
    pattern[SEEN], pattern[PAT_MASK] = 1, mask
    for lane in range(LANES):
        pattern[PAT_OFFSET + lane] = address[lane] - (origin << 7)
    outline(pattern, mask)


@inline
def outline(pattern, mask):
    """Where a pattern begins and ends, how it is aligned, and the step between its lanes, from its offsets."""
    offsets = pattern[PAT_OFFSET : PAT_OFFSET + LANES]
    first, low, high, odd = NOWHERE, NOWHERE, -NOWHERE, np.int64(0)
    step = (offsets[1] - offsets[0]) >> 2
    for lane in range(LANES):
        offset = offsets[lane]
        if offset != offsets[0] + 4 * step * lane or not (mask >> np.uint32(lane)) & np.uint32(1):
            step = np.int64(MIXED)
        if (mask >> np.uint32(lane)) & np.uint32(1):
            first = offset if first == NOWHERE else first
            low, high, odd = min(low, offset), max(high, offset), odd | offset
    pattern[PAT_FIRST], pattern[PAT_LOW], pattern[PAT_HIGH] = first, low, high
    pattern[PAT_ODD], pattern[PAT_STEP] = odd & 127, step


@inline
def within(pattern, origin, width, low, high):
    """Whether the last access, ``width`` bytes a lane, was aligned and lay between two addresses."""
    base = origin << 7
    # each difference, for a sum of addresses may wrap around
    inside = base >= 0 and pattern[PAT_LOW] >= low - base and pattern[PAT_HIGH] <= high - width - base
    return inside and pattern[PAT_ODD] & (width - 1) == 0


@inline
def coalesce(kept, address, mask, width, packs, scratch):
    """Lines, sectors and data wavefronts of a request, from memory where seen before.

    Parameters
    ----------
    kept : int64 array, shape (PATTERNS_KEPT, N_PATTERN)
        The instruction's latest requests, by where in its line the first one's lane lies: what walks along a line
        comes back to each place.
    address, mask, width, packs, scratch
        See :func:`bank_wavefronts`.

    Returns
    -------
    pattern : int64 array, shape (N_PATTERN,)
    origin : int
        Line of the first active lane; the pattern's lines are relative to it.
    """
    first = 0
    while not (mask >> np.uint32(first)) & np.uint32(1):
        first += 1
    origin = address[first] >> 7
    pattern = kept[(address[first] >> PLACE_BITS) & (PATTERNS_KEPT - 1)]
    if not recall(pattern, address, mask, origin):
        work_out(pattern, address, mask, origin, width, packs, scratch)
    return pattern, origin
