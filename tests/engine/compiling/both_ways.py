"""Launches that need all kinds of compiled code; ``python -m tests.engine.compiling.both_ways CASE ...`` runs them."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import gpusim
from gpusim import cuda
from gpusim.engine.compiling.jit import MODE

HALVES = """
#include <cuda_fp16.h>
extern "C" __global__ void halves(const __half2 *a, const __half2 *b, __half2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __hadd2(h2exp(a[i]), __hfma2(a[i], b[i], __h2div(a[i], b[i])));
}
"""
ATOMICS = """
extern "C" __global__ void sums(const float *x, float *sum, unsigned *most, unsigned *bins) {
    __shared__ unsigned own[32];
    if (threadIdx.x < 32) own[threadIdx.x] = 0;
    __syncthreads();
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    atomicAdd(sum, v);
    atomicMax(most, __float_as_uint(fabsf(v)));
    atomicAdd(&own[__float_as_uint(v) % 32], 1u);
    __syncthreads();
    if (threadIdx.x < 32) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
"""
TENSOR = """
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(const __half *a, const __half *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.1f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
"""


def found(profile: gpusim.Profile, *arrays: np.ndarray) -> dict[str, Any]:
    """Every metric, and a digest of what was computed."""
    metrics = {name: repr(metric.value) for name, metric in sorted(profile.metrics.items())}
    return {"metrics": metrics, "values": [hashlib.sha256(each.tobytes()).hexdigest() for each in arrays]}


def matmul() -> dict[str, Any]:
    """A described kernel: its counters and time, and what it computes."""
    a, b = np.random.default_rng(1).standard_normal((2, 32, 32), np.float32)
    computed = gpusim.run("matmul-tiled", {"A": a, "B": b}, T=16)
    return found(gpusim.predict("matmul-tiled", n=64), *(computed[name] for name in sorted(computed)))


def halves() -> dict[str, Any]:
    """Pairs of fp16."""
    a, b, out = (np.random.default_rng(2).standard_normal((3, 512)) + 3).astype(np.float16)
    return _profiled(HALVES, (4, 64), [a, b, out, 256], out)


def atomics() -> dict[str, Any]:
    """Contended sums, in shared memory and in L2."""
    x = np.random.default_rng(3).standard_normal(1024).astype(np.float32)
    total, most, bins = np.zeros(1, np.float32), np.zeros(1, np.uint32), np.zeros(32, np.uint32)
    return _profiled(ATOMICS, (8, 128), [x, total, most, bins], total, most, bins)


def tensor() -> dict[str, Any]:
    """Tensor cores."""
    a, b = np.random.default_rng(4).standard_normal((2, 256)).astype(np.float16)
    c = np.zeros(256, np.float32)
    return _profiled(TENSOR, (1, 32), [a, b, c], c)


def _profiled(text: str, shape: tuple[int, int], given: list[Any], *outputs: np.ndarray) -> dict[str, Any]:
    kernel = cuda.compile(text, gpu="h200").kernel()
    return found(gpusim.profile(kernel, *shape, given, gpu="h200", values=True), *outputs)


CASES: dict[str, Callable[[], dict[str, Any]]] = {case.__name__: case for case in (matmul, halves, atomics, tensor)}

if __name__ == "__main__":
    json.dump({"mode": MODE.__name__.rpartition(".")[2], **{name: CASES[name]() for name in sys.argv[1:]}}, sys.stdout)
