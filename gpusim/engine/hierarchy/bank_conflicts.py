"""The data stage of shared memory and L1: wavefronts that an access takes in 32 banks.

Rules as measured on an H200 (426 access patterns, all reproduced): see ``docs/architecture.md``, "The memory model".
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.state.columns import LANES, WORKED
from gpusim.engine.state.geometry import BANKS

PAIR = 3  # mask of two lanes


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
    words = max(width >> 2, 1)
    group = LANES // words
    if packs and words > 1 and _pairs_agree(address, mask):
        group *= 2
    seen, count = scratch, scratch[WORKED]
    total = 0
    for first in range(0, LANES, group):
        for bank in range(BANKS):
            count[bank] = 0
        worst = 0
        for lane in range(first, first + group):
            if not (mask >> np.uint32(lane)) & np.uint32(1):
                continue
            for k in range(words):
                word = (address[lane] >> 2) + k
                bank = word & (BANKS - 1)
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
    group = LANES // max(width >> 2, 1)
    n = 0
    for first in range(0, LANES, group):
        bits_of = (np.int64(on) >> first) & ((np.int64(1) << group) - 1)
        n += bits_of != 0
    return n


@inline
def _pairs_agree(address, mask):
    for lane in range(0, LANES, 2):
        both = (mask >> np.uint32(lane)) & np.uint32(PAIR)
        if both == PAIR and address[lane] != address[lane + 1]:
            return False
    return True
