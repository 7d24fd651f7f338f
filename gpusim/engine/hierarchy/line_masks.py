"""Sectors and words of a line as bits of a mask: four of the former, eight words each."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline


@inline
def words_of(sectors):
    """Words of the sectors of a mask, a bit each."""
    return (sectors & 1) * 0xFF | (sectors & 2) * 0x7F80 | (sectors & 4) * 0x3FC000 | (sectors & 8) * 0x1FE00000


@inline
def full_sectors(words):
    """Sectors of a line all of whose words are in a mask."""
    w = np.int64(words)
    w &= w >> 1
    w &= w >> 2
    w &= w >> 4
    return (w & 1) | ((w >> 7) & 2) | ((w >> 14) & 4) | ((w >> 21) & 8)


@inline
def touched_sectors(words):
    """Sectors of a line any of whose words are in a mask."""
    w = words | words >> 4
    w |= w >> 2
    w |= w >> 1
    return (w & 1) | ((w >> 7) & 2) | ((w >> 14) & 4) | ((w >> 21) & 8)
