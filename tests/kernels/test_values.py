"""Every kernel computes what its NumPy reference computes, over sizes, tiles and ragged edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.catalogue import lookup
from tests.kernels.cases import CASES, REPRESENTATIVE, gpus
from tests.kernels.run import expected, run
from tests.marks import most_by_hand

ALL = lookup.all(hidden=True)
INEXACT = {
    *(algorithm.name for algorithm in ALL if algorithm.family == "attention"),
    # Their factors are no integers.
    *("divergence", "divergence-grouped", "divergence-predicated", "divergence-selected"),
    # Whole numbers have no whole exponentials, sines, roots or quotients.
    *(f"softmax-{how}" for how in ("naive", "safe", "safe-f16", "safe-bf16", "parallel")),
    *("softmax-online", "softmax-online-f16", "softmax-online-bf16", "softmax-backward", "softmax-backward-f16"),
    *("layernorm", "layernorm-f16", "rmsnorm", "rmsnorm-f16", "row-mean", "row-scale"),
    *("dropout", "dropout-f16", "dropout-residual", "dropout-residual-f16"),
    *("sin", "cos", "exp", "tanh", "sin2cos2", "chain3-fused", "elu", "elu-alpha", "gelu", "gelu-inner"),
    *("sigmoid3", "sigmoid3-stored", "sigmoid3-backward", "sigmoid3-backward-recomputed"),
}
relaxed = settings(max_examples=4)


def test_every_kernel_is_tried():
    assert {algorithm.name for algorithm in ALL} == set(CASES)


TRIED = {*list(CASES)[::2], *REPRESENTATIVE} - {"flash-attention-1-backward", "flash-attention-1-backward-f16"}
"""The two take seven seconds each."""


@pytest.mark.parametrize("name", most_by_hand(CASES, TRIED))
@relaxed
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_outputs_match_the_reference(name, data, seed):
    algorithm = lookup.get(name)
    params = data.draw(CASES[name])
    gpu = data.draw(gpus(name, "h200", "p100", "a100-40gb", "rtx-4090"))
    error = algorithm.allowed_error(**params)
    outputs = run(algorithm, params, seed, gpu=gpu)
    reference = expected(algorithm, params, seed)
    assert outputs.keys() == reference.keys()
    for array, wanted in reference.items():
        assert outputs[array].dtype == wanted.dtype
        np.testing.assert_allclose(outputs[array], wanted, rtol=error, atol=error)


def whole_numbers(algorithm, params, seed):
    """Inputs whose sums and products no fp32 rounding touches."""
    rng = np.random.default_rng(seed)
    inputs = algorithm.inputs(rng, **params)
    return {
        array: values if values.dtype.kind in "iu" else rng.integers(-8, 9, values.shape).astype(values.dtype)
        for array, values in inputs.items()
    }


@pytest.mark.parametrize("name", sorted(set(CASES) - INEXACT))
@relaxed
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_whole_numbers_come_out_exactly(name, data, seed):
    algorithm = lookup.get(name)
    params = data.draw(CASES[name])
    inputs = whole_numbers(algorithm, params, seed)
    reference = expected(algorithm, params, inputs=inputs)
    for array, values in run(algorithm, params, inputs=inputs).items():
        np.testing.assert_array_equal(values, reference[array])


@pytest.mark.parametrize("name", most_by_hand(sorted(a.name for a in ALL if not a.hidden), REPRESENTATIVE))
@settings(max_examples=2)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1, 3]))
def test_default_tiles_work_for_any_size(name, data, seed, scale):
    algorithm = lookup.get(name)
    sizes = {key: scale * value for key, value in data.draw(CASES[name]).items() if key in algorithm.sizes}
    error = algorithm.allowed_error(**sizes)
    reference = expected(algorithm, sizes, seed)
    for array, values in run(algorithm, sizes, seed).items():
        np.testing.assert_allclose(values, reference[array], rtol=error, atol=error)
