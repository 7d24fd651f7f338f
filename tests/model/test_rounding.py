"""Is what rounding loses lost where theory says, and no more than it allows?"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.errors import ParameterError
from gpusim.model import formats, rounding

NAMES = list(formats.TYPES)


@pytest.mark.parametrize("name", NAMES)
def test_half_an_epsilon_is_lost_on_one_and_more_is_not(name):
    epsilon = formats.format_of(name).epsilon
    assert rounding.updated(1.0, epsilon / 2, 50, name) == 1  # a tie goes to the even number, 1
    assert rounding.updated(1.0, epsilon, 3, name) == 1 + 3 * epsilon


@pytest.mark.parametrize("name", ["fp16", "bf16", "e4m3", "e5m2"])
def test_gradients_vanish_at_half_the_smallest_number_unless_scaled(name):
    least = formats.format_of(name).smallest_subnormal
    assert rounding.scaled_gradient(least, name) == least
    assert rounding.scaled_gradient(least / 2, name) == 0
    assert rounding.scaled_gradient(least / 2, name, 2.0) == least / 2


def test_a_scale_that_is_too_large_overflows():
    assert math.isinf(rounding.scaled_gradient(1.0, "fp16", 2.0**16))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "fp32"])
def test_ones_add_up_to_two_over_epsilon(name):
    stop = round(2 / formats.format_of(name).epsilon)
    assert rounding.accumulated(np.ones(stop), name) == stop
    assert rounding.accumulated(np.ones(stop + 50), name) == stop


@given(st.lists(st.floats(0.015625, 1, width=16), min_size=1, max_size=60), st.sampled_from(NAMES))
def test_a_sum_is_off_by_its_bound_at_most(values, name):
    """Of numbers that the format has: Higham's bound, of which lectures' is twice as much."""
    terms = formats.cast(values, name).astype(np.float64)
    exact = math.fsum(terms)
    n, u = len(terms), formats.format_of(name).roundoff
    off = abs(rounding.accumulated(terms, name) - exact)
    assert off <= ((1 + u) ** (n - 1) - 1) * exact
    if n * u < 0.01:
        assert off <= rounding.accumulation_bound(n, name) * exact


@given(st.lists(st.floats(-100, 100, width=16), min_size=1, max_size=40))
def test_fp32_sums_are_numpys_own(values):
    expected = np.cumsum(np.asarray(values, np.float32), dtype=np.float32)[-1]
    assert rounding.accumulated(values, "fp32") == expected


def test_whole_scores_that_survive():
    found = {name: rounding.largest_surviving_score(name) for name in NAMES}
    assert found == {"fp32": 88, "tf32": 88, "bf16": 88, "fp16": 11, "e4m3": 6, "e5m2": 11}
    for name, score in found.items():
        assert abs(score - math.floor(formats.format_of(name).largest_score)) <= 1


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("values must be a list", lambda: rounding.accumulated([], "fp16")),
        ("values must be a list", lambda: rounding.accumulated([[1.0]], "fp16")),
        ("times must be 0 or more", lambda: rounding.updated(1, 1, -1, "fp16")),
        ("terms must be 1 or more", lambda: rounding.accumulation_bound(0, "fp16")),
    ],
)
def test_bad_input_is_told_in_a_line(message, call):
    with pytest.raises(ParameterError, match=message):
        call()
