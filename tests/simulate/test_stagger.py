"""Blocks of an SM in a part of a launch: as far apart as in the middle of the launch, if they go on coming apart."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.engine import state as S
from gpusim.simulate.stagger import _gap, _phases, bring_apart

SMS, LASTS = 3, 1000
WAVE = 2 * SMS
ALONE = 0.75  # that a block is taken to last beside an empty place: half as long as beside another one, or as long
BEGAN = st.lists(st.floats(0, 50), min_size=4, max_size=4)


@given(BEGAN, st.lists(st.integers(0, 9), min_size=4, max_size=4))
def test_phases_are_within_what_the_longest_pause_leaves(began, waves):
    phases = _phases(np.array([began]))
    assert phases.min() == 0
    assert phases.max() <= 1 - 1 / 4 + 1e-9
    assert _gap(_phases(np.array([began]) + waves)) == pytest.approx(_gap(phases), abs=1e-9)


def test_gap_of_two_blocks_is_the_shorter_way_round():
    assert _gap(_phases(np.array([[2.0, 2.9], [5.3, 5.2]]))) == pytest.approx(0.1)


def left_empty(gaps: list[float], blocks: int) -> np.ndarray:
    """Ticks for which places are left empty, where of two blocks one begins so much later after two waves and three."""
    m = SimpleNamespace(shape=np.zeros(S.N_SHAPE, np.int64), blocks=np.zeros((WAVE, S.N_BLOCK), np.int64))
    m.shape[S.SLOTS] = 2
    told = iter(enumerate(gaps))

    def go_on(handed: float) -> bool:
        k, gap = next(told)
        m.blocks[:, S.STARTED] = (k + 1) * LASTS + np.tile([0, gap * LASTS], SMS)
        return False

    bring_apart(m, go_on, SimpleNamespace(middle=lambda wave: (4 * wave, None), blocks=blocks), WAVE)
    return m.blocks[:, S.EMPTY_FOR].reshape(SMS, 2)


def test_what_comes_apart_is_brought_half_a_block_apart_in_a_long_launch():
    empty = left_empty([0.1, 0.15], 100 * WAVE)
    assert (empty[:, 0] == 0).all()
    assert empty[:, 1] == pytest.approx(0.35 * ALONE * LASTS, rel=0.1)


def test_less_in_a_short_one():
    assert left_empty([0.1, 0.15], 10 * WAVE)[:, 1] == pytest.approx(0.15 * ALONE * LASTS, rel=0.1)


def test_what_comes_together_again_is_left_alone():
    assert not left_empty([0.1, 0.05], 100 * WAVE).any()
