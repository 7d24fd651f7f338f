"""Do piles of any size give a softmax's maximum and sum, and does each step say how?"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim.errors import ParameterError
from gpusim.model import online_softmax

scores = st.lists(st.floats(-50, 50), min_size=1, max_size=30)


def test_one_three_two_five_in_piles_of_two():
    first, second = online_softmax.steps([1, 3, 2, 5], 2)
    assert (first.m, first.correction) == (3, 0)
    assert first.l == pytest.approx(math.exp(-2) + 1)
    assert (second.largest, second.m) == (5, 5)
    assert second.pile_sum == pytest.approx(math.exp(-3) + 1)
    assert second.correction == pytest.approx(math.exp(-2))
    assert second.l == pytest.approx(1.2034, abs=5e-5)


@given(scores, st.integers(1, 40))
def test_any_pile_gives_the_sum_relative_to_the_largest(values, pile):
    steps = online_softmax.steps(values, pile)
    assert sum(len(step.scores) for step in steps) == len(values)
    assert steps[-1].m == max(values)
    assert steps[-1].l == pytest.approx(math.fsum(math.exp(x - max(values)) for x in values), rel=1e-12)


@given(scores)
def test_a_step_follows_from_the_one_before(values):
    before = None
    for step in online_softmax.steps(values, 3):
        if before:
            assert step.l == pytest.approx(before.l * step.correction + step.pile_sum * math.exp(step.largest - step.m))
            assert step.correction == math.exp(min(before.m - step.largest, 0))
        before = step


def test_a_kernel_whose_threads_take_a_pile_each_has_the_same_sum():
    x = np.full((1, 64), -np.inf, np.float32)
    x[0, [0, 32, 1, 33]] = [1, 3, 2, 5]
    y = gpusim.run("softmax-parallel", {"x": x}, M=1, N=64, B=32)["y"]
    assert 1 / y.max() == pytest.approx(online_softmax.steps([1, 3, 2, 5], 2)[-1].l, rel=1e-6)


@pytest.mark.parametrize(
    ("message", "values", "pile"),
    [
        ("scores must be finite", [], 2),
        ("scores must be finite", [1.0, math.inf], 2),
        ("pile must be 1 or more", [1.0], 0),
    ],
)
def test_bad_input_is_told_in_a_line(message, values, pile):
    with pytest.raises(ParameterError, match=message):
        online_softmax.steps(values, pile)
