"""The tag stage of L1: it looks up lines of different sets together; those that are absent take wavefronts apart."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.access_patterns import PAT_N_LINES, PAT_WORDS
from gpusim.engine.state.columns import LANES
from gpusim.hardware.fixed import TAG_SETS

COUNT_FIELD = 16  # bits in which the lines of a set are counted
DIGITS = LANES.bit_length()  # binary ones, of as many words as there are lanes


@inline
def one_in(which):
    """A line in one of the four sets, to be added up: a number of 16 bits for each."""
    return np.int64(1) << (COUNT_FIELD * which)


@inline
def fullest(load):
    """Cycles of the tag stage: the most distinct lines, added up by :func:`one_in`, that fall in one of its sets."""
    low, high = load & 0xFFFFFFFF, load >> 2 * COUNT_FIELD
    return max(max(low & 0xFFFF, low >> COUNT_FIELD), max(high & 0xFFFF, high >> COUNT_FIELD))


@inline
def take_turns(n, rows, turn):
    """In which turn each of ``n`` lines is looked up, after those of its set before it; returns how many turns."""
    load = np.int64(0)
    for j in range(n):
        turn[j] = (load >> COUNT_FIELD * (rows[j] & (TAG_SETS - 1))) & 0xFFFF
        load += one_in(rows[j] & (TAG_SETS - 1))
    return fullest(load)


@jit
def wavefronts_with_misses(pattern, rows, absent, scratch):
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
    turn, total = scratch[1], np.int64(0)
    turns = take_turns(pattern[PAT_N_LINES], rows, turn)
    for j in range(pattern[PAT_N_LINES]):
        if not absent >> j & 1:
            turn[j] = -1
    for k in range(-1, turns):
        total += fullest_bank(pattern, turn, k, scratch[2])
    return total


@inline
def fullest_bank(pattern, turn, k, digits):
    """Words in the fullest bank, of those of the lines that have turn ``k``; counted for all banks at once."""
    digits[:DIGITS] = 0
    for j in range(pattern[PAT_N_LINES]):
        carry, place = pattern[PAT_WORDS + j] if turn[j] == k else np.int64(0), 0
        while carry:
            digits[place], carry = digits[place] ^ carry, digits[place] & carry
            place += 1
    most, among = np.int64(0), ~np.int64(0)
    for place in range(DIGITS - 1, -1, -1):
        if among & digits[place]:
            among &= digits[place]
            most |= np.int64(1) << place
    return most
