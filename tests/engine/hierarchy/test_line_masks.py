"""Sectors and words of a line as masks."""

from hypothesis import given
from hypothesis import strategies as st

from gpusim.engine.hierarchy.line_masks import full_sectors, touched_sectors, words_of
from gpusim.engine.state.geometry import ALL_WORDS

WORDS = [0xFF << 8 * s for s in range(4)]


def test_a_sector_is_eight_words():
    assert [int(words_of(1 << s)) for s in range(4)] == WORDS
    assert int(words_of(15)) == ALL_WORDS
    assert int(words_of(0)) == 0


@given(st.integers(0, ALL_WORDS) | st.sets(st.integers(0, 3)).map(lambda some: sum(WORDS[s] for s in some)))
def test_sectors_are_full_when_all_their_words_are_there_and_touched_when_any_is(words):
    assert int(full_sectors(words)) == sum((words & WORDS[s] == WORDS[s]) << s for s in range(4))
    assert int(touched_sectors(words)) == sum((words & WORDS[s] != 0) << s for s in range(4))
