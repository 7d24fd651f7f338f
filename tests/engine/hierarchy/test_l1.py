"""L1: which lines a set keeps, what is a hit, and what stores leave there."""

import pytest

from gpusim.engine.core.answers import hear
from gpusim.engine.hierarchy.l1 import L1_BITS, l1_place, l1_read, l1_row, l1_write
from gpusim.engine.hierarchy.line_masks import full_sectors, words_of
from gpusim.engine.hierarchy.outbox import asked_so_far, at_instruction, done_at, heard, is_pending
from gpusim.engine.load_store.below import handle_all
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.hardware.fixed import L1_WAYS
from tests.engine.hierarchy.small import L1_SETS, small

ALL, WORD = 15, 1
LATER = 100_000


class L1:
    """The L1 of SM 0, read and written line by line, much later each time unless said otherwise."""

    def __init__(self, **sizes):
        self.m, self.t = small(sizes=sizes), 0
        self.count = self.m.counts[0]

    def ask(self, line, sectors=ALL, words=None, *, after=LATER, warp=0, bypass=False):
        """(Tick at which it is there, or a reference; sectors that hit.)"""
        self.t += after
        at_instruction(self.m, 0, warp, -1, -1)
        words = int(words_of(sectors)) if words is None else words
        row, first = int(l1_row(self.m, 0, line)), int(asked_so_far(self.m, 0))
        done, hits = l1_read(self.m, 0, row, line, sectors, words, bypass, self.t, self.count)
        return int(done_at(self.m, 0, first, self.t if is_pending(done) else int(done))), int(hits)

    def answer(self):
        """L2 answers what was asked for."""
        handle_all(self.m, 0)
        hear(self.m, 0)

    def read(self, line, sectors=ALL, words=None, **how):
        """(Ticks until it is there, sectors that hit.)"""
        done, hits = self.ask(line, sectors, words, **how)
        self.answer()
        return int(heard(self.m, 0, done)) - self.t, hits

    def write(self, line, sectors, words=None, *, after=LATER, until=0, passes=False):
        self.t += after
        words = int(words_of(sectors)) if words is None else words
        row, full = int(l1_row(self.m, 0, line)), int(full_sectors(words)) & sectors
        l1_write(self.m, 0, row, line, sectors, full, words, passes, self.t, self.t + until if until else 0)

    def place(self, *lines):
        for line in lines:
            l1_place(self.m, 0, int(l1_row(self.m, 0, line)), line)

    def lines(self, line):
        """Those of the set of a line, first to last."""
        row = self.m.l1[int(l1_row(self.m, 0, line))]
        return [int(entry) >> L1_BITS for entry in row[:L1_WAYS] if entry >= 0]

    @property
    def requests(self):
        return int(self.count[C.L2_READ_REQ])


A, B, D, E, F, G = (L1_SETS * k for k in range(6))
"""Lines of one set."""


def test_a_set_fills_and_then_the_line_goes_that_came_first():
    l1 = L1()
    l1.place(A, B, D, E)
    assert l1.lines(A) == [E, D, B, A]
    l1.place(F)
    assert l1.lines(A) == [F, E, D, B]
    assert l1.m.sms[0, S.L1_USED] == 4


def test_what_is_used_again_outlasts_a_stream_that_passes_once():
    l1 = L1()
    l1.place(A, B, A, B)
    l1.place(*(L1_SETS * k for k in range(10, 30)))
    assert l1.lines(A)[:2] == [B, A]


def test_what_is_used_twice_in_a_row_makes_the_others_new():
    l1 = L1()
    l1.place(A, B, A, B, B, D, E, F)
    assert A not in l1.lines(A)
    assert B in l1.lines(A)


def test_other_sets_are_left_alone():
    l1 = L1()
    l1.place(A + 1)
    l1.place(A, B, D, E, F, G)
    assert l1.lines(A + 1) == [A + 1]


def test_no_more_lines_hold_data_than_there_is_room_for():
    l1, lines = L1(L1_LINES=24), range(60)
    for line in lines:
        l1.place(line)
        held = [k for first in range(L1_SETS) for k in l1.lines(first)]
        assert len(held) == l1.m.sms[0, S.L1_USED] <= 24
        assert line in held
    assert l1.m.sms[0, S.L1_TURN] < L1_SETS // 4


def test_the_second_read_hits_and_other_sectors_do_not():
    l1 = L1()
    assert l1.read(A, 3) == (400, 0)
    assert l1.read(A, 3) == (30, 2)
    assert l1.read(A, ALL) == (400, 2)
    assert l1.read(A, ALL, bypass=True) == (200, 0)
    assert l1.requests == 3


def test_a_sector_on_its_way_counts_as_a_hit_and_costs_no_second_request():
    for answered in (False, True):
        l1 = L1()
        first, _ = l1.ask(A, 3)
        if answered:
            l1.answer()
        second, hits = l1.ask(A, 3, after=10)
        l1.answer()
        assert int(heard(l1.m, 0, first)) == int(heard(l1.m, 0, second)) == LATER + 400
        assert (hits, l1.requests, int(l1.count[C.PENDING])) == (2, 1, 2)


@pytest.mark.parametrize(("after", "requests"), [(5, 1), (7, 2)])
def test_parts_of_a_line_that_come_soon_after_one_another_are_one_request(after, requests):
    l1 = L1()
    l1.ask(A, 1)
    l1.ask(A, 4, after=after, warp=1)
    l1.answer()
    assert (l1.requests, int(l1.count[C.L2_READ])) == (requests, 2)


def test_what_is_written_whole_is_there_to_be_read():
    l1 = L1()
    l1.write(A, 2)
    assert l1.read(A, 2) == (30, 1)
    assert l1.requests == 0


def test_what_a_streaming_store_writes_is_kept_only_where_its_line_is():
    l1 = L1()
    l1.write(A, 2, passes=True)
    assert l1.read(A, 2) == (400, 0)
    l1.write(A, 1, passes=True)
    assert l1.read(A, 3) == (30, 2)


def test_words_that_were_written_are_there_and_make_a_sector_together():
    l1 = L1()
    l1.write(A, 1, 0x0F)
    assert l1.read(A, 1, 0x03)[1] == 1
    l1.write(A, 1, 0xF0)
    assert l1.read(A, 1, 0xFF) == (30, 1)
    assert l1.requests == 0


def test_a_word_that_is_not_there_though_others_of_its_sector_are_drops_the_line():
    l1 = L1()
    l1.write(A, 2)
    l1.write(A, 1, WORD)
    assert l1.read(A, 1, WORD << 1) == (400, 0)
    assert l1.read(A, 2) == (200, 0)
    assert l1.requests == 2


def test_a_store_drops_a_line_whose_fill_is_on_its_way():
    l1 = L1()
    l1.ask(A, 3)
    l1.write(A, 4, after=10)
    l1.answer()
    assert l1.read(A, 4) == (30, 1)
    assert l1.read(A, 1) == (200, 0)


def test_a_store_soon_after_one_of_32_lines_drops_what_it_left():
    for after, hits in ((10, 0), (50, 1)):
        l1 = L1()
        l1.write(A, 1, until=40)
        l1.write(A, 2, after=after)
        assert l1.read(A, 1)[1] == hits
