"""Where a line of memory lies: its set, its half of L2, its slice there and its DRAM channel."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline
from gpusim.engine.hierarchy.scramble import mix
from gpusim.engine.state.columns import HALVES, L2_BITS, N_CHANNELS, N_SLICES

HOME_BITS, HIDDEN_BITS = 0b10101011, 9  # of a page's number; above, addresses are translated
CHUNK_BITS, PAGE_BITS = 3, 5
"""Lines of one DRAM channel, and of one half of L2, that follow one another, as powers of two.  On an H200 the
latency of single loads is that of the near or the far half for runs of 32 lines; within 8 lines it has two values, two
lines each in turns."""


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
