"""Is what a CUDA kernel does counted as Nsight Compute would?"""

import numpy as np
import pytest

import gpusim
from tests.profile.running import SAXPY, kernel, run

pytestmark = pytest.mark.usefixtures("compiler")

N = 1 << 14


def saxpy(**how):
    x = np.ones(N, np.float32)
    return run(SAXPY, N // 256, 256, N, 2.0, x, x.copy(), **how)


def test_requests_and_sectors_of_saxpy():
    profile = saxpy()
    assert profile.value("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") == 2 * N // 32
    assert profile.value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == 2 * N // 8
    assert profile.global_store_bytes == 4 * N
    assert profile.dram_bytes_read == 8 * N + 2304 + 512  # what the GPU is told, and two pieces of code
    assert sum(array.dram_bytes for array in profile.arrays) == 8 * N
    assert (profile.kernel, dict(profile.params)) == ("saxpy", {"n": N, "a": 2.0})
    assert profile.warp_instructions == profile.instructions


@pytest.mark.parametrize("how", [{}, {"cache": "warm"}, {"gpu": "h200"}])
def test_counting_alone_counts_the_same_and_leaves_arrays_alone(how):
    with_values = saxpy(**how)
    y = np.ones(N, np.float32)
    alone = run(SAXPY, N // 256, 256, N, 2.0, np.ones(N, np.float32), y, values=False, **how)
    assert (y == 1).all()
    exact = [name for name, metric in alone.metrics.items() if metric.claim == "exact"]
    assert {name: alone.value(name) for name in exact} == {name: with_values.value(name) for name in exact}
    assert alone.instructions == with_values.instructions


def test_hit_rates_of_lines_and_arrays_are_those_of_loads_as_above_them():
    text = """__global__ void twice(float* x, float* y) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        x[i] = y[i];
        __syncthreads();
        x[i] += y[blockDim.x * blockIdx.x + (threadIdx.x + 32) % blockDim.x];
        y[N + i] = 1;
    }"""
    x, y = np.ones(N, np.float32), np.ones(2 * N, np.float32)
    profile = run(f"#define N {N}\n{text}", N // 256, 256, x, y)
    first, second, third = profile.lines
    assert (first.load_sectors, first.sectors) == (N // 8, N // 4)
    assert first.l1_hit_rate == 0
    assert (second.l1_hit_rate, second.sectors) == (1, 3 * N // 8)  # what was stored is in L1, too
    assert np.isnan(third.l1_hit_rate)
    for found in (profile.lines, profile.arrays):
        hits, loads = (sum(getattr(each, what) for each in found) for what in ("l1_hits", "load_sectors"))
        assert loads == profile.value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
        assert hits / loads == profile.l1_hit_rate


def test_warm_caches_read_nothing():
    assert saxpy(cache="warm").dram_bytes_read == 0


def test_a_large_launch_is_sampled_unless_told_otherwise():
    args = [np.int32(1 << 22), np.float32(1), *(np.broadcast_to(np.float32(0), 1 << 22) for _ in range(2))]
    sampled = gpusim.profile(kernel(SAXPY), 1 << 14, 256, args, values=False, sample=True)
    assert "blocks went through the caches" in sampled.notes[0]
    assert sampled.global_load_bytes == 8 << 22


def test_local_memory_atomics_and_copies_are_rows_of_the_table():
    text = """#include <cuda_pipeline.h>
    __global__ void mix(const float* x, const int* keys, int* bins, float* y) {
        __shared__ float4 stage[64];
        __shared__ int most;
        float mine[64];
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (threadIdx.x == 0) most = 0;
        __pipeline_memcpy_async(&stage[threadIdx.x], x + 4 * i, 16);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int k = 0; k < 64; k++) mine[k] = stage[(threadIdx.x + k) % 64].x;
        atomicMax(&most, keys[i]);
        __syncthreads();
        atomicAdd(&bins[keys[i]], most);
        y[i] = mine[keys[i]];
    }"""
    keys = np.arange(128, dtype=np.int32) % 64
    args = [np.ones(512, np.float32), keys, np.zeros(64, np.int32), np.zeros(128, np.float32)]
    profile = run(text, 2, 64, *args)
    rows = {line[:18].strip(): line.split() for line in repr(profile).split("\n")}
    assert rows["global atomics"][2:4] == ["4", "16"]
    assert rows["local stores"][2] == "256"
    assert rows["local loads"][2] == "4"
    assert rows["shared atomics"][2] == "4"
    assert rows["copies to shared"][3] == "4"
    assert "textbook" not in repr(profile)


def test_a_kernel_without_them_has_no_such_rows():
    text = repr(saxpy())
    assert not any(words in text for words in ("local", "atomics", "copies", "matrix", "textbook"))
