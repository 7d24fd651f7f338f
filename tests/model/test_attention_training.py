"""Do peaks of attention in training follow from what its kernels read and write?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.errors import ParameterError
from gpusim.model import pipeline
from gpusim.model.attention_memory import Attention
from gpusim.model.attention_training import Training, longest
from gpusim.model.training_memory import Layer

sizes = st.builds(
    Attention, N=st.integers(1, 1 << 16), d=st.sampled_from([64, 128]), B=st.integers(1, 8), H=st.integers(1, 32),
)  # fmt: skip
WAYS = ({}, {"dropout": True}, {"flash": True})


def test_what_is_kept_of_scores_is_korthikantis_5_bytes():
    one = Attention(N=2048, d=128, B=2, H=96)
    kept = Training(one, dropout=True).kept_bytes - one.operand_bytes
    assert kept == Layer(s=2048, b=2, h=12288, a=96).quadratic_bytes
    assert Training(one, flash=True).kept_bytes - one.operand_bytes == Layer(s=2048, b=2, h=12288, a=96).flash_bytes


@given(sizes)
def test_without_dropout_standard_attention_has_what_its_pipeline_of_scores_has(one):
    standard = Training(one)
    assert standard.forward_peak_bytes <= one.standard_bytes
    assert standard.kept_bytes == one.operand_bytes + one.score_bytes / 2  # S is not kept


@given(sizes)
def test_peaks_a_score_are_7_bytes_with_dropout_and_6_without(one):
    scores, operand = one.B * one.H * one.N**2, one.operand_bytes / 4
    for dropout, most in ((True, 7), (False, 6)):
        peak = Training(one, dropout=dropout).backward_peak_bytes
        assert most * scores < peak <= most * scores + 7 * operand


@given(sizes, st.sampled_from(WAYS))
def test_a_peak_is_no_less_than_what_is_kept_beside_the_output(one, way):
    of = Training(one, **way)
    assert of.forward_peak_bytes >= of.kept_bytes
    assert of.backward_peak_bytes >= of.kept_bytes - of.nbytes["O"]  # standard attention's own backward reads no O


@given(sizes)
def test_flash_attention_grows_with_the_length_alone(one):
    twice = Attention(2 * one.N, one.d, one.B, one.H)
    for peak in ("kept_bytes", "forward_peak_bytes", "backward_peak_bytes"):
        assert getattr(Training(twice, flash=True), peak) == 2 * getattr(Training(one, flash=True), peak)


@pytest.mark.parametrize("way", WAYS)
def test_the_backward_pass_starts_from_what_is_kept_and_ends_with_gradients(way):
    of = Training(Attention(N=128, d=64), **way)
    graph = of.backward()
    inputs = {name for name in pipeline.tensors(graph) if not list(graph.predecessors(name))}
    assert inputs - {"dO"} <= set(of.kept)
    assert {name for name in pipeline.tensors(graph) if graph.nodes[name]["output"]} == {"dQ", "dK", "dV"}
    given_out = {name for name in pipeline.tensors(of.forward()) if of.forward().nodes[name]["output"]}
    assert given_out == set(of.kept)


def test_layers_add_what_they_keep():
    of = Training(Attention(N=512, d=64), dropout=True)
    assert of.model_peak_bytes(1) == max(of.forward_peak_bytes, of.backward_peak_bytes)
    assert of.model_peak_bytes(9) == 8 * of.kept_bytes + of.model_peak_bytes(1)


@given(st.integers(1, 10**9))
def test_the_longest_that_fits_fits_and_one_more_does_not(nbytes):
    length = longest(lambda N: N * N, nbytes)
    assert length**2 <= nbytes < (length + 1) ** 2


def test_bad_input_is_told_in_a_line():
    with pytest.raises(ParameterError, match="a sequence of 1 takes 8 bytes"):
        longest(lambda N: 8 * N, 7)
    with pytest.raises(ParameterError, match="layers must be above 0"):
        Training(Attention(N=8, d=64)).model_peak_bytes(0)
