"""Does FlashAttention-2 on tensor cores compute attention, with fp16's rounding and no conflict of banks?"""

import numpy as np
import pytest

import gpusim
from calibration.flash_attention_2 import SHARED
from gpusim import cuda
from gpusim.catalogue import lookup
from tests.marks import most_by_hand

pytestmark = pytest.mark.usefixtures("compiler")

SOURCE = lookup.builtin_folder() / "flash_attention_2_mma.cu"
HEADS = 2
KERNELS = [(64, False), (64, True), (128, False), (128, True)]


def name(d, causal):
    return f"fa2_d{d}_causal" if causal else f"fa2_d{d}"


def reference(q, k, v, scale, causal):
    """O and L in float64."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = scale * q @ k.swapaxes(1, 2)
    if causal:
        scores = np.where(np.tri(scores.shape[1], dtype=bool), scores, -np.inf)
    most = scores.max(axis=2, keepdims=True)
    weights = np.exp(scores - most)
    total = weights.sum(axis=2, keepdims=True)
    return weights / total @ v, (most + np.log(total))[..., 0]


def attend(d, causal, N, gpu="h200", size=1.0, values=True):
    """What the kernel gave, what it should have, and its profile."""
    rng = np.random.default_rng(N)
    q, k, v = (rng.standard_normal((HEADS, N, d)).astype(np.float16) for _ in range(3))
    q *= np.float16(size)
    scale, guard = np.float32(d**-0.5), np.float16(77)
    out, L = np.full((HEADS + 1, N, d), guard), np.full((HEADS + 1, N), guard, np.float32)
    kernel = cuda.compile(SOURCE, gpu=gpu).kernel(name(d, causal))
    args = [np.int32(N), scale, q, k, v, out, L]
    profile = gpusim.profile(kernel, (-(-N // 128), HEADS), 128, args, gpu=gpu, dynamic_shared=SHARED[d], values=values)
    assert (out[HEADS] == guard).all()
    assert (L[HEADS] == guard).all()
    return out[:HEADS], L[:HEADS], *reference(q, k, v, float(scale), causal), profile


# The weights are rounded to fp16 once, and the result: half a unit in the last place each.
TOLERANCE = 2**-10


@pytest.mark.parametrize("N", most_by_hand([1, 64, 127, 129, 200, 256, 384], {1, 129, 256}))
@pytest.mark.parametrize(("d", "causal"), KERNELS)
def test_attention(d, causal, N):
    out, L, wanted, sums, _ = attend(d, causal, N)
    np.testing.assert_allclose(out, wanted, rtol=TOLERANCE, atol=TOLERANCE / 4)
    np.testing.assert_allclose(L, sums, rtol=1e-6, atol=2e-6)


@pytest.mark.parametrize(("d", "causal"), KERNELS)
def test_attention_on_an_a100(d, causal):
    out, L, wanted, sums, _ = attend(d, causal, 200, gpu="a100-40gb")
    np.testing.assert_allclose(out, wanted, rtol=TOLERANCE, atol=TOLERANCE / 4)
    np.testing.assert_allclose(L, sums, rtol=1e-6, atol=2e-6)


@pytest.mark.parametrize("causal", [False, True])
def test_large_scores_that_give_one_key_all_weight(causal):
    out, L, wanted, sums, _ = attend(64, causal, 192, size=64.0)
    np.testing.assert_allclose(out, wanted, rtol=TOLERANCE, atol=TOLERANCE / 2)
    np.testing.assert_allclose(L, sums, rtol=1e-6, atol=1e-4)


@pytest.mark.parametrize("d", [64, 128])
def test_it_takes_as_long_where_no_values_are_computed(d):
    cycles = {values: attend(d, False, 256, values=values)[-1].cycles for values in (True, False)}
    assert cycles[True] == cycles[False]


@pytest.mark.parametrize(("gpu", "hz"), [("h200", 1.8e9), ("h100-sxm", 1.8e9), ("a100-40gb", 1.41e9)])
def test_tensor_cores_lower_the_clock_where_that_was_measured(gpu, hz):
    *_, profile = attend(64, False, 64, gpu=gpu)
    assert profile.cycles / profile.seconds == pytest.approx(hz, rel=1e-4)


@pytest.mark.parametrize("gpu", most_by_hand(["h200", "h100-sxm", "a100-40gb"], {"h200"}))
@pytest.mark.parametrize(("d", "causal"), KERNELS)
def test_no_bank_conflicts_no_spills_and_two_blocks_an_sm(d, causal, gpu):
    *_, profile = attend(d, causal, 256, gpu=gpu)
    rows_of_o = 2 * HEADS * 4 * d // 8  # loads of 16 bytes a lane, by warps of 32 rows
    matrices = profile.value("smsp__inst_executed_op_ldsm.sum")
    stores = profile.value("smsp__inst_executed_op_shared_st.sum")
    found = [profile.value(f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{what}.sum") for what in ("ld", "st")]
    assert found == [4 * (matrices + rows_of_o), stores]  # 512 bytes are four wavefronts, 128 one
    assert profile.value("smsp__inst_executed_op_local_ld.sum") == 0
    assert profile.value("smsp__inst_executed_op_local_st.sum") == 0
    assert profile.blocks_per_sm == 2
