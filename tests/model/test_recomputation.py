"""Are eight accesses against five what the kernels need, and do sqrt(n) segments keep least?"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.errors import ParameterError
from gpusim.model import pipeline
from gpusim.model import recomputation as model

lengths = st.integers(2, 50)


def test_three_stages_eight_against_five():
    assert model.accesses(model.stored(3)) == 8
    assert model.accesses(model.recomputed(3)) == 5


@given(lengths)
def test_any_chain_2n_plus_2_against_five(n):
    assert model.accesses(model.stored(n)) == 2 * n + 2
    assert model.accesses(model.recomputed(n)) == 5


def test_one_stage_gains_nothing():
    assert model.accesses(model.stored(1)) == model.accesses(model.recomputed(1))


@pytest.mark.parametrize(("kernels", "arrays"), [(model.stored(3), 8), (model.recomputed(3), 5)])
def test_a_pipeline_counts_the_same(kernels, arrays):
    names = {name for kernel in kernels for name in (*kernel.inputs, *kernel.outputs)}
    graph = pipeline.build(kernels, dict.fromkeys(names, 4.0), outputs=["y"])
    assert pipeline.traffic(graph).total_bytes == 4 * arrays


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_what_backward_reads_is_enough_for_the_gradient(n):
    """Sigmoids: each derivative from an array that the backward kernel has, compared with differences."""
    forward, backward = model.stored(n)
    x, dy = np.linspace(-3, 3, 7), np.linspace(1, 2, 7)
    arrays = chain(x, n)
    kept = {name: arrays[name] for name in backward.inputs if name != "dy"}
    assert set(kept) <= set(forward.outputs)
    step = 1e-4
    differences = dy * (chain(x + step, n)["y"] - chain(x - step, n)["y"]) / (2 * step)
    np.testing.assert_allclose(gradient(kept, dy, n), differences, rtol=1e-6)


def chain(x, n):
    """Every array of a chain of n sigmoids."""
    arrays = {"x": x}
    for i in range(1, n + 1):
        x = arrays["y" if i == n else f"a{i}"] = sigmoid(x)
    return arrays


def gradient(kept, dy, n):
    """The gradient from what is kept alone: of the first stage from its output, of the others from their input."""
    first = kept["a1"] if n > 1 else kept["y"]
    dx = dy * first * (1 - first)
    for i in range(2, n + 1):
        out = sigmoid(kept[f"a{i - 1}"])
        dx = dx * out * (1 - out)
    return dx


@given(st.integers(1, 2000))
def test_no_other_number_of_segments_keeps_less(layers):
    kept = model.checkpoint_memory(layers, model.best_segments(layers))
    assert kept == min(model.checkpoint_memory(layers, k) for k in range(1, layers + 1))
    assert 2 * math.sqrt(layers) <= kept + 1e-9
    assert kept <= 2 * math.sqrt(layers) + 1


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n))))
def test_a_step_that_is_played_through_keeps_no_more(case):
    layers, segments = case
    length = -(-layers // segments)
    starts = list(range(0, layers, length))
    most, inputs = 0, len(starts)
    for start in reversed(starts):
        inside = min(length, layers - start)  # activations of the segment that is computed again
        most, inputs = max(most, inputs + inside), inputs - 1
    assert most <= model.checkpoint_memory(layers, segments)
    if layers % segments == 0:
        assert most == model.checkpoint_memory(layers, segments)


def test_a_forward_pass_more_is_a_third_of_a_step():
    assert model.checkpoint_slowdown() == pytest.approx(4 / 3)
    assert model.checkpoint_slowdown(0) == 2


def test_stages_computed_again():
    assert [model.stage_evaluations(3, recompute=again) for again in (False, True)] == [3, 5]


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("stages must be 1 or more", lambda: model.stored(0)),
        ("segments must be 1 or more", lambda: model.checkpoint_memory(4, 0)),
        ("segments must be 4 or fewer, the layers there are, not 5", lambda: model.checkpoint_memory(4, 5)),
    ],
)
def test_bad_input_is_told_in_a_line(message, call):
    with pytest.raises(ParameterError, match=message):
        call()
