"""One warp's access worked out: its lines, sectors, words and wavefronts; kept, for most come again."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lanes import I64, bits, load, pointer
from gpusim.engine.hierarchy.bank_conflicts import bank_wavefronts, ideal_wavefronts
from gpusim.engine.state.columns import LANES
from gpusim.engine.state.geometry import LINE_BITS, LINE_WORDS, SECTOR_BITS, SECTOR_WORDS, SECTORS, WORD
from gpusim.hardware.fixed import LINE

# Columns of Machine.patterns: the latest accesses of each static memory instruction and what they cost.  Bank
# conflicts do not change when all lanes move by the same amount, nor sectors when they move by whole
# lines, so a pattern seen again is not worked out again.  PAT_OFFSET: lane addresses relative to the
# line of the first active lane; PAT_LINES likewise.  PAT_ARRAY: the array it touched, where the code does not say;
# PAT_IDEAL: sectors that would do for the words touched; PAT_FIRST, PAT_LOW, PAT_HIGH: offsets of the first active lane
# and of the lowest and highest address; PAT_ODD: low bits that any offset has; PAT_STEP: words from each lane to the
# next, MIXED where that differs or not all lanes are active.
(
    SEEN, PAT_MASK, PAT_N_LINES, PAT_N_SECTORS, PAT_WAVES, PAT_ARRAY, PAT_IDEAL, PAT_FIRST, PAT_LOW, PAT_HIGH, PAT_ODD,
    PAT_STEP, PAT_OFFSET,
) = range(13)  # fmt: skip
MIXED = 1 << 32
PAT_LINES = PAT_OFFSET + LANES
PAT_SECTORS = PAT_LINES + LANES
PAT_WORDS = PAT_SECTORS + LANES  # words touched of each line, a bit each
N_PATTERN = PAT_WORDS + LANES
PATTERNS_KEPT, PLACE_BITS = 8, 4  # of an instruction, by the bits from there on of the first lane's address

NOWHERE = np.int64(1) << 62  # no offset


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
        line = address[lane] >> LINE_BITS
        bit = np.int64(1) << ((address[lane] >> SECTOR_BITS) & (SECTORS - 1))
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
            if lines[j] != address[lane] >> LINE_BITS:
                j = 0
                while lines[j] != address[lane] >> LINE_BITS:
                    j += 1
            words[j] |= ((np.int64(1) << max(width >> 2, 1)) - 1) << ((address[lane] >> 2) & (LINE_WORDS - 1))
    n_words = np.int64(0)
    for j in range(n):
        n_words += popcount(words[j])
    return n_words


@inline
def recall(pattern, address, mask, origin):
    """Whether this is the very pattern kept (relative to line ``origin``)."""
    if not pattern[SEEN] or pattern[PAT_MASK] != mask:
        return False
    offsets = load(pointer(address), np.int64(0), I64) - (origin << LINE_BITS)
    return bits(offsets != load(pointer(pattern), np.int64(PAT_OFFSET), I64)) & mask == 0


@jit
def work_out(pattern, address, mask, origin, width, packs, side_by_side, scratch):
    """Fill in a pattern row from lane addresses."""
    lines, sectors = pattern[PAT_LINES : PAT_LINES + LANES], pattern[PAT_SECTORS : PAT_SECTORS + LANES]
    n, n_sectors = gather_lines(address, mask, lines, sectors)
    n_words = gather_words(address, mask, width, lines, n, pattern[PAT_WORDS : PAT_WORDS + LANES])
    pattern[PAT_IDEAL] = (n_words + SECTOR_WORDS - 1) // SECTOR_WORDS
    for j in range(n):
        lines[j] -= origin
    pattern[PAT_N_LINES], pattern[PAT_N_SECTORS] = n, n_sectors
    pattern[PAT_WAVES] = bank_wavefronts(address, mask, width, packs, scratch)
    pattern[SEEN], pattern[PAT_MASK] = 1, mask
    for lane in range(LANES):
        pattern[PAT_OFFSET + lane] = address[lane] - (origin << LINE_BITS)
    outline(pattern, mask)
    if side_by_side and n_sectors > pattern[PAT_IDEAL]:
        lay_side_by_side(pattern, mask, width, scratch[0])


@jit
def lay_side_by_side(pattern, mask, width, lines):
    """Have the words of a request lie side by side: as few of its sectors as would do stand for all of them.

    Which ones follows from where in its line the request begins.  So requests that touch other words of the same
    sectors have other ones, and all together have each once.  ``lines``: scratch.
    """
    n, ideal = pattern[PAT_N_LINES], pattern[PAT_IDEAL]
    for j in range(n):
        lines[j] = pattern[PAT_LINES + j]
        pattern[PAT_SECTORS + j] = pattern[PAT_WORDS + j] = 0
    first = (pattern[PAT_FIRST] & (LINE - 1)) // max(width, WORD) * ideal
    found, latest = np.int64(0), np.int64(-1)
    for j in range(first, first + ideal):
        place, sector = (j // SECTORS) % n, j % SECTORS
        if place != latest:
            pattern[PAT_LINES + found], latest = lines[place], place
            found += 1
        pattern[PAT_SECTORS + found - 1] |= np.int64(1) << sector
        pattern[PAT_WORDS + found - 1] |= ((np.int64(1) << SECTOR_WORDS) - 1) << (sector * SECTOR_WORDS)
    pattern[PAT_N_LINES], pattern[PAT_N_SECTORS] = found, ideal
    pattern[PAT_WAVES] = min(pattern[PAT_WAVES], ideal_wavefronts(mask, width))


@inline
def outline(pattern, mask):
    """Where a pattern begins and ends, how it is aligned, and the step between its lanes, from its offsets."""
    offsets = pattern[PAT_OFFSET : PAT_OFFSET + LANES]
    first, low, high, odd = NOWHERE, NOWHERE, -NOWHERE, np.int64(0)
    step = (offsets[1] - offsets[0]) >> 2
    for lane in range(LANES):
        offset = offsets[lane]
        if offset != offsets[0] + WORD * step * lane or not (mask >> np.uint32(lane)) & np.uint32(1):
            step = np.int64(MIXED)
        if (mask >> np.uint32(lane)) & np.uint32(1):
            first = offset if first == NOWHERE else first
            low, high, odd = min(low, offset), max(high, offset), odd | offset
    pattern[PAT_FIRST], pattern[PAT_LOW], pattern[PAT_HIGH] = first, low, high
    pattern[PAT_ODD], pattern[PAT_STEP] = odd & (LINE - 1), step


@inline
def within(pattern, origin, width, low, high):
    """Whether the last access, ``width`` bytes a lane, was aligned and lay between two addresses."""
    base = origin << LINE_BITS
    # each difference, for a sum of addresses may wrap around
    inside = base >= 0 and pattern[PAT_LOW] >= low - base and pattern[PAT_HIGH] <= high - width - base
    return inside and pattern[PAT_ODD] & (width - 1) == 0


@inline
def coalesce(kept, address, mask, width, packs, side_by_side, scratch):
    """Lines, sectors and data wavefronts of a request, from memory where seen before.

    Parameters
    ----------
    kept : int64 array, shape (PATTERNS_KEPT, N_PATTERN)
        The instruction's latest requests, by where in its line the first one's lane lies: what walks along a line
        comes back to each place.
    address, mask, width, packs, scratch
        See :func:`bank_wavefronts`.
    side_by_side : bool
        Have the words lie side by side, wherever they lie: :func:`lay_side_by_side`.

    Returns
    -------
    pattern : int64 array, shape (N_PATTERN,)
    origin : int
        Line of the first active lane; the pattern's lines are relative to it.
    """
    first = 0
    while not (mask >> np.uint32(first)) & np.uint32(1):
        first += 1
    origin = address[first] >> LINE_BITS
    pattern = kept[(address[first] >> PLACE_BITS) & (PATTERNS_KEPT - 1)]
    if not recall(pattern, address, mask, origin):
        work_out(pattern, address, mask, origin, width, packs, side_by_side, scratch)
    return pattern, origin
