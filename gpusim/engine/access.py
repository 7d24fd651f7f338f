"""One warp's access worked out: sectors, lines, and wavefronts of the tag and data stages.

Rules as measured on an H200 (426 access patterns, all reproduced): see
``docs/architecture.md``, "The memory model".
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gpusim.engine.jit import INLINE
from gpusim.engine.state import LANES



@njit(**INLINE)
def bank_wavefronts(address, mask, width, packs, seen, count):
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
        Shared loads: where lanes n and n^1 read the same address throughout, a
        request of 8 or 16 bytes takes half the wavefronts.
    seen, count : int64 arrays, shapes (32, 32) and (32,)
        Scratch.
    """
    words = max(width // 4, 1)
    group = 32 // words
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
    if packs and words > 1 and total > 1 and _pairs_agree(address, mask):
        total = (total + 1) // 2
    return total


@njit(**INLINE)
def _pairs_agree(address, mask):
    for lane in range(0, LANES, 2):
        both = (mask >> np.uint32(lane)) & np.uint32(3)
        if both == 3 and address[lane] != address[lane + 1]:
            return False
    return True


@njit(**INLINE)
def gather_lines(address, mask, width, lines, sectors):
    """Distinct 128-byte lines of a request and the sectors wanted in each.

    Parameters
    ----------
    address : int64 array, shape (32,)
    mask : uint32
    width : int
        Bytes a lane; accesses are aligned, so a lane stays within one line.
    lines, sectors : int64 and uint8 arrays, shape (32,)
        Filled in.

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
        bit = np.uint8(1 << ((address[lane] >> 5) & 3))
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


@njit(**INLINE)
def parity(value, bits):
    """Parity of ``value & bits``."""
    x = value & bits
    x ^= x >> 32
    x ^= x >> 16
    x ^= x >> 8
    x ^= x >> 4
    x ^= x >> 2
    x ^= x >> 1
    return x & 1


@njit(**INLINE)
def tag_wavefronts(lines, origin, n_lines, hash0, hash1):
    """Cycles of the tag stage: the most distinct lines that fall in one of its four sets.

    Parameters
    ----------
    lines : int64 array
        Distinct line numbers (byte address >> 7), relative to ``origin``.
    origin : int
    n_lines : int
    hash0, hash1 : int
        Masks of line-number bits whose parity is bit 0 and bit 1 of the set.
    """
    if n_lines <= 1:
        return n_lines
    c0 = 0
    c1 = 0
    c2 = 0
    c3 = 0
    for k in range(n_lines):
        s = parity(origin + lines[k], hash0) + 2 * parity(origin + lines[k], hash1)
        c0 += s == 0
        c1 += s == 1
        c2 += s == 2
        c3 += s == 3
    return max(max(c0, c1), max(c2, c3))


@njit(**INLINE)
def recall(patterns, k, address, mask, origin):
    """Whether instruction ``k`` made this very pattern last time (relative to line ``origin``)."""
    if patterns.phase[k] < 0 or patterns.mask[k] != mask:
        return False
    offset = patterns.offset[k]
    base = origin << 7
    same = True
    for lane in range(LANES):
        on = (mask >> np.uint32(lane)) & np.uint32(1)
        same = same & ((on == 0) | (address[lane] - base == offset[lane]))
    return same


@njit(**INLINE)
def remember(patterns, k, address, mask, origin):
    """Keep a pattern for :func:`recall`."""
    patterns.phase[k] = 0
    patterns.mask[k] = mask
    base = origin << 7
    for lane in range(LANES):
        patterns.offset[k, lane] = address[lane] - base


@njit(**INLINE)
def coalesce(patterns, k, address, mask, width, packs):
    """Lines, sectors and data wavefronts of a request, from memory where seen before.

    Returns
    -------
    origin : int
        Line of the first active lane; ``patterns.lines[k]`` is relative to it.
    """
    first = 0
    while not (mask >> np.uint32(first)) & np.uint32(1):
        first += 1
    origin = address[first] >> 7
    if recall(patterns, k, address, mask, origin):
        return origin
    lines = patterns.lines[k]
    n, n_sectors = gather_lines(address, mask, width, lines, patterns.sectors[k])
    for j in range(n):
        lines[j] -= origin
    patterns.n_lines[k] = n
    patterns.n_sectors[k] = n_sectors
    patterns.wavefronts[k] = bank_wavefronts(address, mask, width, packs, patterns.seen, patterns.count)
    remember(patterns, k, address, mask, origin)
    return origin
