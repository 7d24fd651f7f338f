"""Mask and dropout as kernels of their own: what they compute, and what passes between them and others."""

import numpy as np
import pytest

import gpusim
from gpusim.catalogue import lookup
from gpusim.catalogue.formulas import evaluate
from gpusim.frontends.elements import count_elements
from gpusim.lang.dropout import factors
from tests.kernels.run import run

SIZES = {"B": 1, "H": 2, "N": 20, "d": 8}
FORWARD, BACKWARD = (f"attention-standard-masked-dropout{way}" for way in ("", "-backward"))


def attended(name, params, **chosen):
    """Give all arrays after a chain has run over inputs, those chosen among them."""
    inputs = lookup.chain(name).inputs(np.random.default_rng(1), **params)
    return gpusim.run_chain(name, inputs | chosen, **params)


def hidden(N, *rows):
    """A mask that hides all keys from these rows."""
    mask = np.zeros((N, N), np.float32)
    mask[list(rows)] = -np.inf
    return mask


def test_a_row_that_sees_no_key_is_nan_and_leaves_the_others_alone():
    params = {**SIZES, "T": 8, "drop": 0}
    after = attended(FORWARD, params, mask=hidden(SIZES["N"], 3, 7))
    rows = after["O"].reshape(-1, SIZES["N"], SIZES["d"])
    seen = np.setdiff1d(np.arange(SIZES["N"]), (3, 7))
    assert np.isnan(rows[:, [3, 7]]).all()
    plain = gpusim.run_chain("attention-standard", {name: after[name] for name in "QKV"}, **SIZES, T=8)
    np.testing.assert_allclose(rows[:, seen], plain["O"].reshape(rows.shape)[:, seen], rtol=1e-6, atol=1e-6)


def test_a_causal_row_sees_no_later_key():
    after = attended(FORWARD, {**SIZES, "T": 8})
    P = after["P"].reshape(-1, SIZES["N"], SIZES["N"])
    assert not np.triu(P, 1).any()
    np.testing.assert_allclose(P.sum(axis=-1), 1, rtol=1e-6)


@pytest.mark.parametrize("drop", [26, 200])
def test_as_many_weights_are_dropped_as_asked_for(drop):
    Z = factors(300, 400, drop, seed=9)
    assert set(np.unique(Z)) == {0.0, 256 / (256 - drop)}
    assert np.mean(Z == 0) == pytest.approx(drop / 256, abs=0.01)
    assert np.mean(factors(300, 400, drop, seed=10) == Z) < 0.9


def test_forward_and_backward_give_the_gradients_of_flash_attention_with_the_same_dropout():
    dropped = {"drop": 80, "seed": 5}
    flash, tiles = lookup.get("flash-attention-1-backward"), {"Br": 8, "Bc": 8, "T": 2}
    x = flash.inputs(np.random.default_rng(2), **SIZES, **tiles, **dropped)
    wanted = run(flash, {**SIZES, **tiles, **dropped}, inputs=x)
    params = {**SIZES, "T": 8, **dropped}
    kept = gpusim.run_chain(FORWARD, {**{name: x[name] for name in "QKV"}, "mask": hidden(SIZES["N"])}, **params)
    np.testing.assert_allclose(kept["O"].reshape(x["O"].shape), x["O"], rtol=1e-5, atol=1e-5)
    given = {name: x[name] for name in ("Q", "K", "V", "dO")} | {name: kept[name] for name in ("P", "Pd")}
    found = gpusim.run_chain(BACKWARD, given, **params)
    for name in ("dQ", "dK", "dV"):
        np.testing.assert_allclose(found[name].reshape(wanted[name].shape), wanted[name], rtol=2e-5, atol=2e-5)


def test_the_passes_account_for_most_of_what_the_paper_measured():
    """Figure 2, left, of Dao et al. 2022: 40.3 GB forward and backward (GPT-2 medium: B 64, H 16, N 1024, d 64, fp16).

    Products and softmax alone come to 63 % of that, mask and dropout included to 95 %.  PyTorch's dropout also writes
    a byte an element and reads it in the backward pass: with these it is 99.9 %.
    """
    size = {"B": 64, "H": 16, "N": 1024, "d": 64}

    def gigabytes(*names):
        chains = [lookup.chain(f"{name}-f16") for name in names]
        elements = (size["B"] * size["H"] * evaluate(c.formula(c.published.formula), c.bind(**size)) for c in chains)
        return 2 * sum(elements) / 1e9

    plain = gigabytes("attention-standard", "attention-standard-backward")
    passes = gigabytes(FORWARD, BACKWARD)
    stored_masks = 2 * size["B"] * size["H"] * size["N"] ** 2 / 1e9
    assert [plain, passes, passes + stored_masks] == pytest.approx([25.2, 38.1, 40.3], abs=0.05)


@pytest.mark.parametrize(
    ("fused", "params", "saved"),
    [
        ("dropout-residual", {"N": 1000}, "2*N"),
        # Fused, a row is read three times; apart, every stage but the last writes what the next ones read.
        ("layernorm", {"M": 3, "N": 300, "B": 64}, "6*M*N + 2*M + 2*M*min(B, N)"),
    ],
)
def test_fusing_saves_what_stages_pass_on(fused, params, saved):
    whole, apart = lookup.get(fused), lookup.chain(f"{fused}-unfused")
    together = sum(map(sum, whole.elements(**params).values()))
    alone = sum(map(sum, count_elements(apart, **params).values()))
    assert alone - together == int(whole.value(saved, whole.bind(**params)))
