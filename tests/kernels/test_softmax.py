"""Softmax where it is hard (large scores, -inf, short rows), and the monoid that its parallel form rests on."""

import runpy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.catalogue import lookup
from gpusim.catalogue.algorithm import numpy_dtype
from tests.kernels.run import run

merge = runpy.run_path(str(lookup.builtin_folder() / "softmax.py"))["merge"]
SCORES = st.floats(-1e4, 1e4) | st.just(-np.inf)
PARTS = st.tuples(SCORES, st.floats(0, 1e3))
NOTHING = (-np.inf, 0.0)

STABLE = ["softmax-safe", "softmax-online", "softmax-parallel"]
UNITS = {"f16": 2**-10, "bf16": 2**-7}  # in the last place, relative


def rows(scores, name="softmax-safe", **tiles):
    """What a kernel makes of these rows."""
    scores = np.atleast_2d(np.asarray(scores, np.float32))
    m, n = scores.shape
    return run(lookup.get(name), {"M": m, "N": n, **tiles}, inputs={"x": scores})["y"]


def softmax(scores):
    """The same in double precision."""
    scores = np.atleast_2d(scores).astype(np.float64)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def drawn(n, scale=1.0):
    """Three rows of n scores."""
    return (np.random.default_rng(n).uniform(-scale, scale, (3, n))).astype(np.float32)


# ------------------------------------------------------------------ kernels


@pytest.mark.parametrize("name", STABLE)
@pytest.mark.parametrize("n", [1, 31, 32, 255, 257, 700])
@pytest.mark.parametrize("scale", [1, 100, 1e4])
def test_every_probability_is_right_relative_to_itself(name, n, scale):
    scores = drawn(n, scale)
    np.testing.assert_allclose(rows(scores, name), softmax(scores), rtol=1e-5, atol=1e-30)


@pytest.mark.parametrize("name", STABLE)
def test_large_scores_of_one_sign_do_not_overflow(name):
    for offset in (1e4, -1e4):
        scores = drawn(600, 4) + np.float32(offset)
        np.testing.assert_allclose(rows(scores, name), softmax(scores), rtol=1e-5)


@pytest.mark.parametrize("name", STABLE)
@pytest.mark.parametrize("hidden", [slice(0, 1), slice(0, 300), slice(300, 600), slice(0, None, 2), slice(0, 599)])
def test_scores_of_minus_infinity_have_no_probability(name, hidden):
    scores = drawn(600)
    scores[1, hidden] = -np.inf
    found = rows(scores, name)
    assert not found[1, hidden].any()
    np.testing.assert_allclose(found, softmax(scores), rtol=1e-5)


@pytest.mark.parametrize("name", STABLE)
def test_a_row_of_nothing_but_minus_infinity_has_no_softmax(name):
    scores = drawn(300)
    scores[1] = -np.inf
    found = rows(scores, name)
    assert np.isnan(found[1]).all()
    np.testing.assert_allclose(found[[0, 2]], softmax(scores[[0, 2]]), rtol=1e-5)


@pytest.mark.parametrize("name", [*STABLE, "softmax-naive"])
def test_a_row_of_one_score_is_certain(name):
    np.testing.assert_array_equal(rows([[3.0], [-7.0]], name), [[1], [1]])


@pytest.mark.parametrize("name", STABLE)
@pytest.mark.parametrize("threads", [32, 96, 1024])
def test_blocks_of_any_whole_warps_agree(name, threads):
    scores = drawn(333)
    np.testing.assert_allclose(rows(scores, name, B=threads), softmax(scores), rtol=1e-5)


def test_without_the_maximum_large_scores_overflow():
    assert np.isfinite(rows([80.0, 0.0], "softmax-naive")).all()
    assert not np.isfinite(rows([89.0, 0.0], "softmax-naive")).all()


@pytest.mark.parametrize("element", UNITS)
@pytest.mark.parametrize("how", ["safe", "online"])
def test_halves_are_off_by_their_last_place_only(how, element):
    algorithm = lookup.get(f"softmax-{how}-{element}")
    scores = drawn(333).astype(numpy_dtype(element))
    found = run(algorithm, {"M": 3, "N": 333}, inputs={"x": scores})["y"]
    np.testing.assert_allclose(found.astype(np.float64), softmax(scores), rtol=UNITS[element], atol=0)


# ------------------------------------------------------------------ the monoid


@given(a=PARTS, b=PARTS, c=PARTS)
def test_merging_is_associative(a, b, c):
    (m, d), (n, e) = merge(merge(a, b), c), merge(a, merge(b, c))
    assert m == n
    np.testing.assert_allclose(d, e, rtol=1e-10, atol=1e-290)


@given(a=PARTS, b=PARTS)
def test_merging_is_commutative(a, b):
    assert merge(a, b) == merge(b, a)


@given(a=PARTS)
def test_nothing_is_the_neutral_element(a):
    assert merge(a, NOTHING) == a == merge(NOTHING, a)


@given(scores=st.lists(SCORES, min_size=1, max_size=30), at=st.integers(0, 30))
def test_parts_of_a_row_join_to_the_row(scores, at):
    def part(some):
        whole = NOTHING
        for score in some:
            whole = merge(whole, (score, 1.0))
        return whole

    m, d = merge(part(scores[:at]), part(scores[at:]))
    assert m == max(scores)
    if np.isfinite(m):
        np.testing.assert_allclose(d, np.exp(np.array(scores) - m).sum(), rtol=1e-10)


def test_arrays_of_parts_merge_element_by_element():
    some = (np.array([-np.inf, 0.0, 2.0]), np.array([0.0, 1.0, 1.0]))
    m, d = merge(some, (np.array([-np.inf, 1.0, 2.0]), np.ones(3)))
    np.testing.assert_array_equal(m, [-np.inf, 1, 2])
    np.testing.assert_allclose(d, [1, 1 + np.exp(-1), 2], rtol=1e-15)
