"""The tag stage: lines of one set wait for one another, and absent lines have wavefronts of their own."""

import numpy as np
import pytest

from gpusim.engine.hierarchy.access_patterns import N_PATTERN, PAT_N_LINES, PAT_WORDS
from gpusim.engine.hierarchy.tag_stage import fullest, one_in, wavefronts_with_misses

APART, TOGETHER = [0, 1, 2, 3], [0, 4, 8, 12]
"""Rows of four lines: of four sets, of one."""


@pytest.mark.parametrize(("sets", "cycles"), [([0], 1), ([0, 1, 2, 3], 1), ([3, 3, 3], 3), ([0, 1, 1, 2, 1, 3], 3)])
def test_as_many_cycles_as_lines_in_the_fullest_set(sets, cycles):
    assert int(fullest(sum(int(one_in(k)) for k in sets))) == cycles


def waves(words, rows, absent):
    """Wavefronts of a load of lines with these words, some of them absent."""
    pattern, where = np.zeros(N_PATTERN, np.int64), np.zeros(32, np.int64)
    pattern[PAT_N_LINES] = len(words)
    pattern[PAT_WORDS : PAT_WORDS + len(words)], where[: len(rows)] = words, rows
    return int(wavefronts_with_misses(pattern, where, absent, np.zeros((3, 32), np.int64)))


@pytest.mark.parametrize(
    ("words", "rows", "absent", "want"),
    [
        ([1, 2, 4, 8], APART, 0b0000, 1),  # all there, in different banks
        ([1, 1, 1, 1], APART, 0b0000, 4),  # in one bank
        ([1, 2, 4, 8], APART, 0b1111, 1),  # looked up in one cycle
        ([1, 2, 4, 8], TOGETHER, 0b1111, 4),  # in four
        ([1, 2, 4, 8], TOGETHER, 0b0011, 3),  # the two that are there go together
        ([1, 1, 4, 4], APART, 0b0011, 4),
        ([0xFF, 0xF0, 0, 0], APART, 0b0001, 2),
    ],
)
def test_those_that_are_absent_have_wavefronts_with_those_of_their_cycle(words, rows, absent, want):
    assert waves(words, rows, absent) == want
