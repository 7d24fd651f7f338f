"""Attention where softmax is at its limits: scores of ten thousand, one key that takes all, ties, a single row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.catalogue import lookup
from tests.kernels.run import expected, run

FLASH = [
    a.name
    for a in lookup.all()
    if a.name.startswith("flash-attention")
    and not a.name.endswith(("f16", "parts", "combine", "backward", "backward-causal"))
]
TILES = {"B": 1, "H": 1, "d": 16, "Br": 8, "Bc": 12}
FRAGMENTS = {**TILES, "Br": 32, "Bc": 32, "W": 16}
"""Tensor cores take tiles of sixteen."""


def attended(name, Q, K, V):
    """Outputs and what they should be, for one head."""
    algorithm, params = lookup.get(name), {**(FRAGMENTS if "tensor" in name else TILES), "N": len(Q)}
    inputs = algorithm.inputs(np.random.default_rng(0), **params)
    inputs |= {k: v.astype(inputs[k].dtype)[None, None] for k, v in zip("QKV", (Q, K, V), strict=True)}
    return run(algorithm, params, inputs=inputs), expected(algorithm, params, inputs=inputs)


def rounding(name, largest):
    """Half the distance of two outputs of this size: those of tensor cores are f16."""
    return largest * (2.0**-11 if "tensor" in name else 1e-6)


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
    np.testing.assert_allclose(got["O"][0, 0], np.broadcast_to(V[0], (N, d)), rtol=0, atol=rounding(name, 1))


@pytest.mark.parametrize("name", [name for name in FLASH if "causal" not in name])
def test_keys_that_weigh_the_same_give_the_mean(name):
    N, d = 29, TILES["d"]
    V = np.random.default_rng(1).standard_normal((N, d))
    got, _ = attended(name, np.zeros((N, d)), np.ones((N, d)), V)
    np.testing.assert_allclose(got["O"][0, 0], np.broadcast_to(V.mean(axis=0), (N, d)), rtol=0, atol=rounding(name, 1))


def test_a_causal_row_sees_no_later_key():
    N, d = 21, TILES["d"]
    Q, K, V = np.random.default_rng(2).standard_normal((3, N, d))
    got, _ = attended("flash-attention-2-causal", Q, K, V)
    later = V.copy()
    later[10:] = 1e30
    again, _ = attended("flash-attention-2-causal", Q, K, later)
    np.testing.assert_array_equal(got["O"][0, 0, :10], again["O"][0, 0, :10])


@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1), N=st.integers(1, 60), S=st.integers(1, 7))
def test_parts_of_keys_make_the_whole(seed, N, S):
    sizes = {**TILES, "N": N, "S": S}
    inputs = lookup.get("flash-attention-2").inputs(np.random.default_rng(seed), **TILES, N=N)
    whole = run(lookup.get("flash-attention-2"), {**TILES, "N": N}, inputs=inputs)
    parts = run(lookup.get("flash-attention-2-split-parts"), sizes, inputs=inputs)
    tiles = -(-N // TILES["Bc"])
    filled = -(-tiles // -(-tiles // S))
    assert np.isneginf(parts["parts_L"]).all(axis=-1).tolist() == [[[s >= filled for s in range(S)]]]
    assert not np.isnan(parts["parts_O"]).any()
    merged = run(lookup.get("flash-attention-2-combine"), {"B": 1, "H": 1, "N": N, "S": S, "d": 16}, inputs=parts)
    for array, wanted in whole.items():
        np.testing.assert_allclose(merged[array], wanted, rtol=1e-5, atol=1e-5)


def sparse(columns, V):
    """Block-sparse attention of drawn queries and keys over these lists."""
    algorithm, params = lookup.get("flash-attention-block-sparse"), {**TILES, "N": len(V), "active": len(columns[0])}
    inputs = algorithm.inputs(np.random.default_rng(3), **params)
    inputs |= {"columns": np.array(columns, np.int32), "V": V.astype(np.float32)[None, None]}
    return run(algorithm, params, inputs=inputs), expected(algorithm, params, inputs=inputs)


def test_tiles_that_are_not_listed_are_not_seen():
    V = np.random.default_rng(4).standard_normal((40, TILES["d"]))
    columns = [[0, 3], [0, 3], [1, 3], [0, 1], [1, 3]]  # of four tiles of twelve keys the third is in no list
    got, wanted = sparse(columns, V)
    np.testing.assert_allclose(got["O"], wanted["O"], rtol=1e-5, atol=1e-5)
    V[24:36] = np.nan
    again, _ = sparse(columns, V)
    np.testing.assert_array_equal(again["O"], got["O"])


def test_queries_without_a_tile_have_no_output():
    V = np.random.default_rng(5).standard_normal((40, TILES["d"]))
    got, wanted = sparse([[0], [4], [1], [4], [3]], V)  # there are four tiles, so 4 names none
    np.testing.assert_allclose(got["O"], wanted["O"], rtol=1e-5, atol=1e-5)
    for rows in (slice(8, 16), slice(24, 32)):
        assert (got["O"][0, 0, rows] == 0).all()
        assert np.isneginf(got["L"][0, 0, rows]).all()


def test_drawn_lists_have_the_diagonal_and_name_no_tile_twice():
    algorithm = lookup.get("flash-attention-block-sparse")
    params = algorithm.bind(N=300, Br=32, Bc=16, active=5)
    columns = algorithm.inputs(np.random.default_rng(6), **params)["columns"]
    assert all(2 * i in row and (np.diff(row) > 0).all() for i, row in enumerate(columns))
    few = algorithm.inputs(np.random.default_rng(6), **{**params, "N": 40})["columns"]
    np.testing.assert_array_equal(few, np.tile([0, 1, 2, 3, 3], (2, 1)))


def test_later_words_follow_from_earlier_ones():
    bound = lookup.get("flash-attention-block-sparse").bind(sparsity=4, N=4096, d=64, M=16384)
    assert (bound["Br"], bound["Bc"], bound["active"]) == (64, 64, 16)
