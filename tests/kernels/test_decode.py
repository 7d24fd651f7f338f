"""Decoding where softmax is at its limits, and a cache in parts: ragged ones, parts without keys, one key in all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.catalogue import lookup
from tests.kernels.run import run

TILES = {"B": 1, "H": 4, "d": 64, "P": 8, "W": 1, "U": 2}


def launched(name, arrays, **params):
    """Outputs for these arrays of fp32."""
    algorithm = lookup.get(name)
    given = {key: value for key, value in {**TILES, **params}.items() if key in algorithm.defaults}
    return run(algorithm, given, inputs={key: np.asarray(value, np.float32) for key, value in arrays.items()})


def whole(Q, K, V, G):
    """O in one kernel."""
    return launched("attention-decode", {"Q": Q, "K": K, "V": V}, N=K.shape[2], G=G)["O"]


def in_parts(Q, K, V, G, S):
    """O in two, and the parts."""
    parts = launched("attention-decode-split-parts", {"Q": Q, "K": K, "V": V}, N=K.shape[2], G=G, S=S)
    return launched("attention-decode-combine", parts, S=S)["O"], parts


def both(Q, K, V, G=1, S=3):
    """O in one kernel and in two."""
    return whole(Q, K, V, G), in_parts(Q, K, V, G, S)[0]


def drawn(seed, N, G=1):
    """Q, K and V, standard normal."""
    rng = np.random.default_rng(seed)
    H, d = TILES["H"], TILES["d"]
    return rng.standard_normal((1, H, d)), *rng.standard_normal((2, 1, H // G, N, d))


@pytest.mark.parametrize("G", [1, 4])
@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1), N=st.integers(1, 40), S=st.integers(1, 12))
def test_parts_make_the_whole(G, seed, N, S):
    once, merged = both(*drawn(seed, N, G), G, S)
    np.testing.assert_allclose(merged, once, rtol=1e-5, atol=1e-5)


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1), N=st.sampled_from([1, 11, 30]), largest=st.sampled_from([1e2, 1e4]))
def test_large_scores_neither_overflow_nor_vanish(seed, N, largest):
    rng = np.random.default_rng(seed)
    Q, K, V = drawn(seed, N)
    # Products are up to d = 64, divided by sqrt(d) = 8; all keys score alike or opposite, so weights are 1 or 0.
    Q[:], K[:] = largest / 8, rng.choice([-1.0, 1.0], (1, TILES["H"], N, 1))
    K[:, :, 0] = 1.0
    seen = (K[..., 0] > 0)[..., None]
    mean = (V * seen).sum(axis=2) / seen.sum(axis=2)
    once, merged = both(Q, K, V)
    np.testing.assert_allclose(once, mean, rtol=0, atol=1e-5)
    # Parts are weighed by exp(L), and fp32 holds an L of 1e4 to half a thousandth.
    np.testing.assert_allclose(merged, mean, rtol=0, atol=5e-3)


@pytest.mark.parametrize("at", [0, 13, 19])
def test_a_key_that_outweighs_all_others_gives_its_value(at):
    Q, K, V = drawn(3, 20)
    Q[:], K[:] = 50.0, -50.0
    K[:, :, at] = 50.0
    for got in both(Q, K, V):
        np.testing.assert_allclose(got, V[:, :, at], rtol=1e-6, atol=1e-6)


def test_keys_that_weigh_the_same_give_the_mean():
    Q, K, V = drawn(4, 29)
    for got in both(np.zeros_like(Q), K, V):
        np.testing.assert_allclose(got, V.mean(axis=2), rtol=0, atol=1e-6)


def test_one_key_gives_its_value():
    Q, K, V = drawn(5, 1)
    for got in both(Q, K, V, S=5):
        np.testing.assert_allclose(got, V[:, :, 0], rtol=1e-6, atol=1e-6)


def test_a_part_without_keys_weighs_nothing():
    Q, K, V = drawn(6, 9)
    _, parts = in_parts(Q, K, V, 1, 7)  # of two keys each: five parts have some, two have none
    assert np.isfinite(parts["parts_L"][:, :, :5]).all()
    assert np.isneginf(parts["parts_L"][:, :, 5:]).all()
    assert (parts["parts_O"][:, :, 5:] == 0).all()


def test_heads_of_a_group_share_their_keys():
    Q, K, V = drawn(7, 17, G=4)
    own = whole(Q, np.repeat(K, 4, axis=1), np.repeat(V, 4, axis=1), 1)
    np.testing.assert_array_equal(whole(Q, K, V, 4), own)


def test_heads_of_keys_may_be_given_for_the_size_of_a_group():
    bound = lookup.get("attention-decode").bind(H=32, Hkv=8)
    assert bound["G"] == 4
