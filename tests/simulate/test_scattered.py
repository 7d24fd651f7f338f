"""Blocks tried of a grid: do they show every regular pattern, and does each stand for its class?"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.simulate.sample import probe_blocks
from gpusim.simulate.scattered import classes_of, scattered

SIZES = st.integers(1, 40)


@given(st.tuples(SIZES, SIZES, st.integers(1, 6)))
def test_classes_are_told_apart_and_counted(grid):
    blocks, classes, population = scattered(grid)
    of_all = classes_of(np.arange(math.prod(grid)), grid)
    assert len(set(blocks.tolist())) == len(blocks)
    assert classes.tolist() == of_all[blocks].tolist()
    assert population.tolist() == np.bincount(of_all).tolist()
    assert set(classes) == set(of_all)


@given(st.tuples(SIZES, SIZES, st.integers(1, 6)))
def test_each_class_is_one_of_those_of_longer_runs(grid):
    one_of_each = classes_of(probe_blocks(grid), grid)
    assert sorted(one_of_each) == list(range(len(scattered(grid)[2])))


@given(st.integers(90, 2**31 - 1), st.sampled_from([2, 3, 5, 7, 8]))
def test_a_row_of_blocks_is_tried_at_every_residue(n, period):
    blocks, classes, _ = scattered((n, 1, 1))
    inner = blocks[classes == 0]
    assert set(inner % period) == set(range(period))
    assert inner.max() - inner.min() > n / 3


@given(st.integers(9, 60000), st.integers(9, 60000), st.sampled_from([2, 3]))
def test_patterns_of_both_indices_are_seen(width, height, period):
    blocks, classes, _ = scattered((width, height, 1))
    y, x = np.divmod(blocks[classes == 0], width)
    for a, b in itertools.product(range(period), repeat=2):
        if (a, b) != (0, 0):
            assert set((a * x + b * y) % period) == set(range(period))


@pytest.mark.parametrize(("grid", "most"), [((8192, 1, 1), 10), ((64, 32, 1), 18), ((40, 50, 60), 64), ((1, 1, 1), 1)])
def test_few_blocks_are_tried(grid, most):
    assert len(scattered(grid)[0]) <= most
