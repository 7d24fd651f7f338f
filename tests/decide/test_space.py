"""What is swept over: values, ranges, conditions, and what is wrong with them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.decide import space
from gpusim.decide.space import Space, SpaceError
from gpusim.expressions import ExpressionError, holds


def test_ranges_count_double_and_add():
    read = space.read(["a=1..4", "b=8..70*2", "c=0..50+20", "d=f16,bf16", "e=-1,1e3,0.5,3..4"])
    assert read == {
        "a": [1, 2, 3, 4], "b": [8, 16, 32, 64], "c": [0, 20, 40], "d": ["f16", "bf16"], "e": [-1, 1000, 0.5, 3, 4],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tile", "NAME=VALUES is needed"),
        ("=8", "NAME=VALUES is needed"),
        ("tile=", "NAME=VALUES is needed"),
        ("tile=8,,16", "a value is missing beside a comma"),
        ("tile=8..4", "a range goes up"),
        ("tile=0..8*2", "a range goes up"),
        ("tile=1..8*1", "a range goes up"),
        ("tile=1..8+0", "a range goes up"),
        ("tile=0..2000000", "are too many"),
    ],
)
def test_values_that_are_none(text, says):
    with pytest.raises(SpaceError, match=says):
        space.read([text])


def test_a_name_has_values_once():
    with pytest.raises(SpaceError, match="tile has values already"):
        space.read(["tile=8", "tile=16"])


@given(st.lists(st.integers(1, 6), max_size=4), st.lists(st.integers(1, 6), max_size=4), st.integers(1, 40))
def test_points_are_all_combinations_that_meet_the_conditions_once(a, b, most):
    if not a or not b:
        with pytest.raises(SpaceError, match="has no values"):
            Space({"a": a, "b": b})
        return
    wanted = [{"a": x, "b": y} for x, y in itertools.product(dict.fromkeys(a), dict.fromkeys(b)) if x * y <= most]
    found = Space({"a": a, "b": b}, [f"a*b <= {most}"])
    if wanted:
        assert found.points() == wanted
    else:
        with pytest.raises(SpaceError, match="the space is empty"):
            found.points()


def test_a_space_too_large_to_enumerate_says_how_to_draw():
    with pytest.raises(SpaceError, match="--trials"):
        Space({"a": range(2000), "b": range(2000)}).points()


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("32 <= x*y <= 1024", True),
        ("x % 8 == 0 and y > 4", False),
        ("not x < y or y == 0", True),
        ("ceildiv(x, y) != 8", False),
    ],
)
def test_conditions(text, is_so):
    assert holds(text, {"x": 32, "y": 4}) is is_so


@pytest.mark.parametrize("text", ["x", "x + 1", "x in y", "x is y", "f(x) > 1", "x > 'a'", "__import__('os')", "x >"])
def test_what_is_no_condition(text):
    with pytest.raises(ExpressionError):
        holds(text, {"x": 1, "y": 2})
