"""Attention where softmax is at its limits: scores of ten thousand, one key that takes all, ties, a single row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim import catalog
from tests.kernels.run import expected, run

FLASH = [
    name
    for name in catalog.names()
    if name.startswith("flash") and not name.endswith(("f16", "backward", "backward-causal"))
]
TILES = {"B": 1, "H": 1, "d": 16, "Br": 8, "Bc": 12}


def attended(name, Q, K, V):
    """Outputs and what they should be, for one head."""
    algorithm, params = catalog.get(name), {**TILES, "N": len(Q)}
    inputs = algorithm.inputs(np.random.default_rng(0), **params)
    inputs |= {k: v.astype(np.float32)[None, None] for k, v in zip("QKV", (Q, K, V), strict=True)}
    return run(algorithm, params, inputs=inputs), expected(algorithm, params, inputs=inputs)


@pytest.mark.parametrize("name", FLASH)
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1), N=st.sampled_from([1, 11, 30]), largest=st.sampled_from([1e2, 1e4]))
def test_large_scores_neither_overflow_nor_vanish(name, seed, N, largest):
    rng = np.random.default_rng(seed)
    Q, K = rng.choice([-1.0, 1.0], (2, N, TILES["d"]))
    # Products are up to d = 16, divided by sqrt(d) = 4; fp32 holds 1e4 to 1e-3, and so a weight to a thousandth.
    got, wanted = attended(name, Q * largest / 4, K, rng.standard_normal((N, TILES["d"])))
    assert np.isfinite(got["O"]).all()
    np.testing.assert_allclose(got["O"], wanted["O"], rtol=0, atol=1e-2)


@pytest.mark.parametrize("name", FLASH)
def test_a_key_that_outweighs_all_others_gives_its_value(name):
    N, d = 20, TILES["d"]
    Q, K = np.full((N, d), 50.0), np.full((N, d), -50.0)
    K[0] = 50.0
    V = np.arange(N)[:, None] + np.arange(d) / 100
    got, _ = attended(name, Q, K, V)
    np.testing.assert_allclose(got["O"][0, 0], np.broadcast_to(V[0], (N, d)), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in FLASH if "causal" not in name])
def test_keys_that_weigh_the_same_give_the_mean(name):
    N, d = 29, TILES["d"]
    V = np.random.default_rng(1).standard_normal((N, d))
    got, _ = attended(name, np.zeros((N, d)), np.ones((N, d)), V)
    np.testing.assert_allclose(got["O"][0, 0], np.broadcast_to(V.mean(axis=0), (N, d)), rtol=0, atol=1e-6)


def test_a_causal_row_sees_no_later_key():
    N, d = 21, TILES["d"]
    Q, K, V = np.random.default_rng(2).standard_normal((3, N, d))
    got, _ = attended("flash-attention-2-causal", Q, K, V)
    later = V.copy()
    later[10:] = 1e30
    again, _ = attended("flash-attention-2-causal", Q, K, later)
    np.testing.assert_array_equal(got["O"][0, 0, :10], again["O"][0, 0, :10])
