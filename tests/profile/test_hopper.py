"""Kernels written by hand for Hopper: outputs equal references."""

import ml_dtypes
import numpy as np
import pytest

import gpusim
from gpusim import TensorMap, cuda
from gpusim.catalogue import lookup

GPU = "h100-sxm"
MATMUL = {  # grid of M x N, threads, dynamic shared memory, rows of a box of A and of B
    "wgmma_shared": (lambda M, N: (N // 128, M // 128), 256, 33792, None),
    "wgmma_tma": (lambda M, N: (N // 128, M // 128), 256, 132096, (128, 128)),
    "wgmma_specialised": (lambda M, N: (N // 256, M // 128), 384, 214016, (128, 256)),
    "wgmma_persistent": (lambda M, N: (3,), 384, 214016, (128, 256)),
    "wgmma_cluster": (lambda M, N: (4,), 384, 214016, (128, 128)),
}
LAYOUTS = [(way, 16, False) for way in ("lds", "ldmatrix", "wgmma")]
LAYOUTS += [(way, row, False) for way in ("lds", "ldmatrix") for row in (32, 64, 128)]
LAYOUTS += [(way, row, True) for way in ("lds", "ldmatrix", "wgmma") for row in (32, 64, 128)]


def kernel(file, name):
    return cuda.compile(lookup.builtin_folder() / file, gpu=GPU).kernel(name)


def boxes(array, *box):
    return TensorMap(array, box=box, swizzle=128)


@pytest.mark.parametrize("name", MATMUL)
def test_a_matmul_is_the_product_rounded_once(name):
    grid, threads, shared, rows = MATMUL[name]
    M, N, K = 256, 512, 320
    rng = np.random.default_rng(1)
    A, B = (rng.standard_normal((m, K)).astype(ml_dtypes.bfloat16) for m in (M, N))
    C = np.zeros((M, N), ml_dtypes.bfloat16)
    given = [A, B] if rows is None else [boxes(x, n, 64) for x, n in zip((A, B), rows, strict=True)]
    out = C if shared < 200_000 else boxes(C, 64, 64)
    sizes = [np.int32(n) for n in (M, N, K)]
    gpusim.profile(
        kernel("matmul_wgmma.cu", name), grid(M, N), threads, [*given, out, *sizes], gpu=GPU, dynamic_shared=shared
    )
    expected = A.astype(np.float32) @ B.astype(np.float32).T
    np.testing.assert_allclose(C.astype(np.float32), expected, rtol=2**-8, atol=2**-8)


@pytest.mark.parametrize(("way", "row", "swizzled"), LAYOUTS)
def test_a_vector_is_multiplied_however_a_tile_lies(way, row, swizzled):
    M, K, swizzle = 512, 320, row if swizzled else None
    rng = np.random.default_rng(1)
    A, x = (rng.standard_normal((m, K)).astype(ml_dtypes.bfloat16) for m in (M, 1))
    y = np.full(M, np.nan, np.float32)
    maps = [TensorMap(of, box=(rows, row // 2), swizzle=swizzle) for of, rows in ((A, 256), (x, 8))]
    name = f"{way}_{row}{'_swizzled' if swizzled else ''}"
    profile = gpusim.profile(
        kernel("matrix_vector.cu", name), M // 256, 256, [*maps, y, np.int32(K)], gpu=GPU, dynamic_shared=136192
    )
    np.testing.assert_allclose(y, A.astype(np.float64) @ x[0].astype(np.float64), rtol=1e-5, atol=1e-4)
    matrices = M * K * 2 / 128 * {"lds": 1, "ldmatrix": 1.25, "wgmma": 0}[way]
    assert profile.bank_conflicts == matrices * (0 if swizzled else row / 16 - 1)


@pytest.mark.parametrize("name", ["fa3_d128", "fa3_d128_causal"])
def test_attention_is_that_of_the_definition(name):
    BH, N, d = 2, 300, 128
    rng = np.random.default_rng(1)
    Q, K, V = (rng.standard_normal((BH, N, d)).astype(np.float16) for _ in range(3))
    out, L = np.zeros((BH, N, d), np.float16), np.zeros(BH * N, np.float32)
    maps = [boxes(x, 1, rows, 64) for x, rows in ((Q, 128), (K, 128), (V, 128), (out, 64))]
    scale = np.float32(d**-0.5)
    args = [*maps, L, np.int32(N), scale]
    gpusim.profile(kernel("flash_attention_3.cu", name), (3, BH), 384, args, gpu=GPU, dynamic_shared=164864)
    scores = Q.astype(np.float32) @ K.astype(np.float32).transpose(0, 2, 1) * scale
    if name.endswith("causal"):
        scores[:, np.triu(np.ones((N, N), bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    total = weights.sum(-1, keepdims=True)
    np.testing.assert_allclose(out.astype(np.float32), weights / total @ V.astype(np.float32), rtol=0.01, atol=0.002)
    np.testing.assert_allclose(L.reshape(BH, N), np.log(total[..., 0]) + scores.max(-1), rtol=1e-5)


@pytest.mark.parametrize("N", [100, 700])
@pytest.mark.parametrize("causal", [False, True])
def test_attention_in_fp8_is_that_of_the_definition(causal, N):
    BH, d, scale, (of_q, of_k, of_v) = 2, 128, 128**-0.5, (0.5, 2.0, 0.25)
    rng = np.random.default_rng(1)
    Q, K, V = (rng.standard_normal((BH, N, d)).astype(ml_dtypes.float8_e4m3fn) for _ in range(3))
    out, L = np.zeros((BH, N, d), np.float16), np.zeros(BH * N, np.float32)
    maps = [*(boxes(x, 1, 128, 128) for x in (Q, K, V)), boxes(out, 1, 64, 64)]
    args = [*maps, L, np.int32(N), *(np.float32(x) for x in (scale, of_q, of_k, of_v))]
    name = "fa3_fp8_d128" + "_causal" * causal
    gpusim.profile(
        kernel("flash_attention_3_fp8.cu", name), (-(-N // 128), BH), 384, args, gpu=GPU, dynamic_shared=148480
    )
    scores = Q.astype(float) @ K.astype(float).transpose(0, 2, 1) * scale * of_q * of_k
    if causal:
        scores[:, np.triu(np.ones((N, N), bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    total = weights.sum(-1, keepdims=True)
    expected = weights / total @ V.astype(float) * of_v
    # A weight is rounded by 2^-4 of itself at most; errors of a row's weights are independent.
    spread = 2**-4 * np.sqrt((weights / total) ** 2 @ (V.astype(float) * of_v) ** 2)
    assert np.all(np.abs(out - expected) < 2.5 * spread + 2**-10 * np.abs(expected) + 1e-4)
    np.testing.assert_allclose(L.reshape(BH, N), np.log(total[..., 0]) + scores.max(-1), rtol=1e-3)
