"""How much larger are N x N matrices than what FlashAttention keeps?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.errors import ParameterError, UnknownNameError
from gpusim.model import pipeline
from gpusim.model.attention_memory import Attention
from gpusim.model.inputs import BYTES
from gpusim.model.training_memory import Layer

attentions = st.builds(
    Attention, N=st.integers(1, 1 << 17), d=st.sampled_from([32, 64, 128, 256]), B=st.integers(1, 16),
    H=st.integers(1, 64), dtype=st.sampled_from(["fp16", "bf16", "fp32", "fp8"]),
)  # fmt: skip


def test_at_4096_and_64_the_matrices_are_32_times_the_operands():
    one = Attention(N=4096, d=64)
    assert one.score_bytes / one.operand_bytes == 32
    assert one.matrix_ratio == 64
    assert one.score_bytes == 64 * 2**20
    assert one.statistics_bytes == 16 * 2**10


@given(attentions)
def test_twice_the_sequence_takes_four_times_the_matrices_but_twice_the_flash(one):
    longer = Attention(2 * one.N, one.d, one.B, one.H, one.dtype)
    assert longer.score_bytes == 4 * one.score_bytes
    assert longer.flash_bytes == 2 * one.flash_bytes


@given(attentions)
def test_ratios_follow_from_n_and_d(one):
    assert one.score_bytes / one.operand_bytes == pytest.approx(one.N / (2 * one.d))
    assert one.saving <= 1 + one.N / (2 * one.d)  # L makes it a little less
    assert one.saving == pytest.approx(1 + one.N / (2 * one.d), rel=4 / one.d)
    assert one.extra_saving == pytest.approx(2 * one.N * BYTES[one.dtype] / 4)


@given(attentions)
def test_a_pipeline_of_three_kernels_has_as_much(one):
    """The bytes of all tensors of standard attention."""
    each = one.B * one.H * one.N * BYTES[one.dtype]
    small, large = each * one.d, each * one.N
    nbytes = {"Q": small, "K": small, "V": small, "O": small, "S": large, "P": large}
    steps = [("QK", ["Q", "K"], ["S"]), ("softmax", ["S"], ["P"]), ("PV", ["P", "V"], ["O"])]
    graph = pipeline.build(steps, nbytes)
    total = sum(graph.nodes[tensor]["nbytes"] for tensor in pipeline.tensors(graph))
    assert total == pytest.approx(one.standard_bytes)


def test_a_matrix_of_8192_has_256_mib_in_fp32_and_makes_four_trips():
    one = Attention(N=8192, d=64, dtype="fp32")
    assert one.score_bytes / 2 == 256 * 2**20
    assert one.score_trips_bytes == 4 * 256 * 2**20


def test_statistics_are_those_of_a_layer_in_training():
    assert Attention(N=2048, d=128, B=2, H=96).statistics_bytes == Layer(s=2048, b=2, h=12288, a=96).flash_bytes


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (ParameterError, "N must be 1 or more, not 0", lambda: Attention(N=0, d=64)),
        (UnknownNameError, "unknown type 'half'", lambda: Attention(N=1, d=64, dtype="half")),
    ],
)
def test_bad_input_is_told_in_a_line(error, message, call):
    with pytest.raises(error, match=message):
        call()
