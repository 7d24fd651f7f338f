"""Where a line of memory lies: its set, its half of L2, its slice there and its DRAM channel."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline
from gpusim.engine.hierarchy.scramble import ORDER_BITS, mix
from gpusim.engine.state.columns import HALVES, HOME_MASK, L2_BITS, N_CHANNELS, N_SLICES
from gpusim.engine.state.geometry import bits_of
from gpusim.hardware.fixed import CHANNEL_STRETCH, DRAM_PAGE, HALF_STRETCH, LINE

CHUNK_BITS, PAGE_BITS = bits_of(CHANNEL_STRETCH // LINE), bits_of(HALF_STRETCH // LINE)
"""Lines of one DRAM channel, and of one half of L2, that follow one another, as powers of two."""
HIDDEN_BITS = bits_of(DRAM_PAGE // HALF_STRETCH)
"""Of the number of such a stretch of a half those that translation of addresses leaves alone."""
ODD = 0x9E3B  # a product with it is another one for every number


@inline
def scatter(line, bits):
    """Scramble the low bits of a line number, every value of an aligned stretch to another one.

    So an aligned stretch of memory loads the sets of a cache evenly, and no stride
    falls on few of them.
    """
    mask = (np.int64(1) << bits) - 1
    x = (line ^ mix(line >> bits)) & mask
    x ^= x >> (bits >> 1)
    x = (x * ODD) & mask
    return x ^ (x >> (bits >> 1))


@inline
def l2_set(line, shape):
    """Set of a line in either half."""
    page, halves = line >> PAGE_BITS, shape[HALVES]
    first = scatter(page // halves, shape[L2_BITS] - PAGE_BITS - (halves >> 1)) << PAGE_BITS
    return first + ((line ^ mix(page)) & ((1 << PAGE_BITS) - 1))


@inline
def home_of(line, shape):
    """The half whose memory a line belongs to: of two neighbouring stretches one belongs to each.

    It follows from the parity of some bits of the address.  Those that translation hides are made up.
    """
    page = line >> PAGE_BITS
    return (popcount(page & shape[HOME_MASK]) + (mix(page >> HIDDEN_BITS) >> ORDER_BITS)) % shape[HALVES]


@inline
def deal(number, n):
    """One of ``n`` places for a number: each of them once in every ``n`` numbers, in an order that varies."""
    return (number + (mix(number // n) >> ORDER_BITS)) % n


@inline
def channel_of(line, shape):
    """DRAM channel of a line: that of its 1 KiB."""
    return deal(line >> CHUNK_BITS, shape[N_CHANNELS])


@inline
def slice_of(line, half, shape):
    """Slice of a half of L2 that looks a line up: the lines of 1 KiB take two of them in turns, two by two."""
    n = shape[N_SLICES] // shape[HALVES]
    return half * n + (2 * deal(line >> CHUNK_BITS, n) + ((line >> 1) & 1)) % n
