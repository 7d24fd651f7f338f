"""Gradients of attention: they are derivatives, dropout is what it should be, softmax may be at its limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.catalogue import lookup
from gpusim.errors import ParameterError
from tests.kernels.run import assert_as_referenced, expected, run

GRADIENTS = [a.name for a in lookup.all() if a.derive and "preprocess" not in a.name]
SINGLE = [name for name in GRADIENTS if not name.endswith("f16")]
TILES = {"B": 1, "H": 1, "d": 12, "Br": 8, "Bc": 16, "T": 2}
DROPPED = {"drop": 80, "seed": 5}


def scalars(name):
    """Dropout, where there is any."""
    return DROPPED if lookup.get(name).scalars else {}


def given_inputs(algorithm, params, **chosen):
    """Inputs with those chosen, and with what the forward pass gives for them."""
    inputs = algorithm.inputs(np.random.default_rng(0), **params)
    inputs |= {name: values.astype(np.float32)[None, None] for name, values in chosen.items()}
    return inputs | algorithm.derive(inputs, **algorithm.bind(**params))


def loss(name, inputs, params):
    """sum(O dO) of one head, in double precision, from nothing but the definition of attention."""
    Q, K, V, dO = (inputs[array][0, 0] for array in ("Q", "K", "V", "dO"))
    S = Q @ K.T / np.sqrt(Q.shape[1])
    if "causal" in name:
        S = np.where(np.tri(len(Q), dtype=bool), S, -np.inf)
    P = np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)
    return float((dO * ((P * factors(name, params)) @ V)).sum())


def factors(name, params):
    """Dropout's factors of one head's weights, seen through dV: of dO with one row, it is a row of P times them."""
    if "drop" not in params:
        return 1.0
    algorithm, N = lookup.get(name), params["N"]
    x = {array: np.zeros((1, 1, N, params["d"])) for array in ("Q", "K", "V", "dO")}
    rows = []
    for row in range(N):
        dO = np.zeros_like(x["dO"])
        dO[0, 0, row, 0] = N  # weights are 1 / N, for all scores are 0
        rows.append(algorithm.reference(x | {"dO": dO}, **algorithm.bind(**params))["dV"][0, 0, :, 0])
    return np.array(rows, dtype=np.float64)


@pytest.mark.parametrize("name", SINGLE)
def test_references_are_derivatives(name):
    algorithm, params = lookup.get(name), {**TILES, **scalars(name), "N": 7, "d": 4}
    x = {k: v.astype(np.float64) for k, v in algorithm.inputs(np.random.default_rng(3), **params).items()}
    found, step = algorithm.reference(x, **algorithm.bind(**params)), 1e-5
    for array in "QKV":
        for place in np.ndindex(x[array].shape):
            ends = []
            for sign in (1, -1):
                moved = x[array].copy()
                moved[place] += sign * step
                ends.append(loss(name, x | {array: moved}, params))
            assert found[f"d{array}"][place] == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=1e-5)


def test_dropout_keeps_as_many_weights_as_it_says_and_scales_them():
    Z = factors("flash-attention-1-backward", {**TILES, **DROPPED, "N": 200, "d": 4})
    assert set(np.unique(Z.round(4))) == {0.0, round(256 / 176, 4)}
    assert np.mean(Z == 0) == pytest.approx(80 / 256, abs=0.01)
    assert np.abs(np.corrcoef(Z)[np.triu_indices(200, 1)]).max() < 0.4  # rows do not repeat one another
    again = factors("flash-attention-1-backward", {**TILES, "drop": 80, "seed": 6, "N": 200, "d": 4})
    assert np.mean(again == Z) < 0.7


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize("N", [1, 2, 17, 40])
def test_any_number_of_rows_will_do(name, N):
    algorithm, params = lookup.get(name), {**TILES, **scalars(name), "N": N}
    inputs = given_inputs(algorithm, params)
    assert_as_referenced(run(algorithm, params, inputs=inputs), algorithm, params, inputs)


@pytest.mark.parametrize("name", SINGLE)
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32 - 1), N=st.sampled_from([1, 11, 30]), largest=st.sampled_from([1e2, 1e3]))
def test_large_scores_neither_overflow_nor_vanish(name, seed, N, largest):
    algorithm, params = lookup.get(name), {**TILES, "N": N}
    rng = np.random.default_rng(seed)
    Q, K = rng.choice([-1.0, 1.0], (2, N, TILES["d"]))
    inputs = given_inputs(algorithm, params, Q=Q * largest / 3, K=K)
    outputs, wanted = run(algorithm, params, inputs=inputs), expected(algorithm, params, inputs=inputs)
    for array, values in wanted.items():
        # Products are up to d = 12, divided by sqrt(d): fp32 holds 1e3 to 1e-4, and so a weight to 1e-4.
        scale = max(1.0, np.abs(values).max())
        np.testing.assert_allclose(
            outputs[array], values, rtol=0, atol=1e-3 * scale * (largest if array == "dK" else 1)
        )


@pytest.mark.parametrize("name", [name for name in SINGLE if "causal" not in name])
def test_a_key_that_outweighs_all_others_gets_its_whole_gradient(name):
    N, d = 20, TILES["d"]
    algorithm, params = lookup.get(name), {**TILES, "N": N}
    K = np.full((N, d), -50.0)
    K[7] = 50.0
    inputs = given_inputs(algorithm, params, Q=np.full((N, d), 50.0), K=K)
    found = run(algorithm, params, inputs=inputs)
    # Of a score of 8660, fp32 holds a thousandth, and so a thousandth of the weight.
    np.testing.assert_allclose(found["dV"][0, 0, 7], inputs["dO"][0, 0].sum(axis=0), rtol=1e-3, atol=1e-5)
    assert not np.delete(found["dV"][0, 0], 7, axis=0).any()
    np.testing.assert_allclose(found["dQ"], 0, atol=2e-3)  # a derivative of a softmax that has no choice


def test_causal_keys_get_nothing_from_earlier_queries():
    algorithm, params = lookup.get("flash-attention-2-backward-causal"), {**TILES, "N": 21}
    dO = np.random.default_rng(2).standard_normal((21, TILES["d"]))
    dO[10:] = 0
    found = run(algorithm, params, inputs=given_inputs(algorithm, params, dO=dO))
    for array in ("dK", "dV"):
        assert found[array][0, 0, :10].any(axis=1).all()
        assert not found[array][0, 0, 10:].any()


def test_preprocessing_gives_what_the_backward_pass_takes():
    main, before = lookup.get("flash-attention-2-backward"), lookup.get("attention-backward-preprocess")
    forward = lookup.get("flash-attention-2")
    sizes = {"B": 1, "H": 2, "N": 33, "d": 12}
    x = main.inputs(np.random.default_rng(4), **sizes, **{k: TILES[k] for k in ("Br", "Bc", "T")})
    stored = run(forward, {**sizes, "Br": 8, "Bc": 8}, inputs={k: x[k] for k in "QKV"})
    D = run(before, {**sizes, "Br": 8}, inputs={"O": stored["O"], "dO": x["dO"]})["D"]
    np.testing.assert_allclose(stored["L"], x["L"], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(D, x["D"], rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"d": 6}, "d must be a multiple of 4"),
        ({"Br": 30, "T": 4}, "T must divide Br"),
        ({"Bc": 30, "T": 4}, "T must divide Bc"),
        ({"Br": 64, "Bc": 128, "T": 1}, "must fit a block of 1024"),
        ({"drop": 256}, "0 <= drop <= 255"),
    ],
)
def test_wrong_tiles_are_told_what_would_be_right(params, message):
    with pytest.raises(ParameterError, match=message):
        lookup.get("flash-attention-1-backward").bind(**params)
