"""Sectors written in part: when one is whole, how many lines may stay so, and in which order they are filled."""

import numpy as np
import pytest

from gpusim.engine.hierarchy.l2_sets import PARTIAL_AT, WORDS_AT
from gpusim.engine.hierarchy.partial_sectors import P_LINES, enqueue, write_words
from gpusim.engine.hierarchy.servers import PARTIAL
from gpusim.engine.state import counts as C
from tests.engine.hierarchy.one_l2 import L2, of_one_set
from tests.engine.hierarchy.small import servers

ONE_WORD = 0x00000010  # of the first sector


def lines_partial(units):
    return int(units[PARTIAL, 0, P_LINES])


def written(units, row, *writes):
    """What is partial, and which words, after writes given as (sectors, words) of a line."""
    became = [bool(write_words(row, 0, sectors, words, units)) for sectors, words in writes]
    return became, int(row[0]) >> PARTIAL_AT & 15, int(row[0]) >> WORDS_AT


def test_a_sector_is_whole_once_all_its_words_are_written():
    units, row = servers(), np.zeros(1, np.int64)
    assert written(units, row, (1, 0x0F)) == ([True], 1, 0x0F)
    assert lines_partial(units) == 1
    assert written(units, row, (1, 0x30)) == ([False], 1, 0x3F)
    row[0] |= 1  # what L2 notes beside it
    assert written(units, row, (1, 0xC0)) == ([False], 0, 0)
    assert lines_partial(units) == 0


def test_a_line_is_counted_once_however_many_of_its_sectors_are_partial():
    units, row = servers(), np.zeros(1, np.int64)
    assert written(units, row, (1, 1), (6, 0x010100)) == ([True, False], 7, 0x010101)
    assert lines_partial(units) == 1


def test_a_sector_that_is_there_is_never_partial():
    units, row = servers(), np.ones(1, np.int64)
    assert written(units, row, (1, ONE_WORD)) == ([False], 0, 0)
    assert lines_partial(units) == 0


def test_the_queue_drops_its_oldest_line_where_it_is_full():
    units, ring = servers(), np.zeros(4, np.int64)
    for line in range(10, 15):
        enqueue(units, ring, line)
    assert sorted(ring) == [11, 12, 13, 14]
    assert units[PARTIAL, 0, 1:3].tolist() == [1, 5]


def test_more_lines_than_the_high_share_are_filled_oldest_first_down_to_the_low_one():
    l2, lines = L2(PARTIAL_HIGH=6, PARTIAL_LOW=2), range(7)
    for line in lines[:-1]:
        l2.write(line, 1, ONE_WORD)
    assert (lines_partial(l2.servers), l2.seen(C.DRAM_READ, C.DRAM_WRITE)) == (6, [0, 0])
    l2.write(lines[-1], 1, ONE_WORD)
    assert (lines_partial(l2.servers), l2.seen(C.DRAM_READ, C.DRAM_WRITE)) == (2, [5, 5])
    assert [l2.bits(line)[1] for line in lines] == [0, 0, 0, 0, 0, 1, 1]


def test_a_line_that_was_made_whole_meanwhile_is_passed_over():
    l2 = L2(PARTIAL_HIGH=3, PARTIAL_LOW=2)
    for line in range(3):
        l2.write(line, 1, ONE_WORD)
    l2.write(0, 1)
    for line in (3, 4):
        l2.write(line, 1, ONE_WORD)
    assert [l2.bits(line)[1] for line in range(5)] == [1, 0, 0, 1, 1]
    assert l2.seen(C.DRAM_READ, C.DRAM_WRITE) == [2, 2]


def test_one_that_is_read_is_filled_at_once():
    l2 = L2()
    l2.write(5, 1, ONE_WORD)
    assert l2.read(5, 1) == 400
    assert l2.seen(C.DRAM_READ) == [2]
    assert lines_partial(l2.servers) == 0
    assert l2.read(5, 1) == 200


@pytest.mark.parametrize("words", [0xFF, ONE_WORD])
def test_one_that_has_to_go_is_filled_before_it_is_written_back(words):
    l2 = L2()
    lines = of_one_set(8, l2.shape)
    l2.write(lines[0], 1, words)
    for line in lines[1:]:
        l2.read(line)
    assert l2.bits(lines[0]) is None
    assert lines_partial(l2.servers) == 0
    assert l2.seen(C.DRAM_READ, C.DRAM_WRITE) == [4 * 7 + (words == ONE_WORD), 1]
