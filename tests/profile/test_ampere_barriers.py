"""Do mbarriers and pipelines work on Ampere, whose mbarriers count no bytes, as they do on Hopper?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from tests.profile.running import kernel

pytestmark = pytest.mark.usefixtures("compiler")
GPUS = pytest.mark.parametrize("gpu", ["a100-40gb", "rtx-4090", "h200"])

PHASES = """
#include <cuda/barrier>
__global__ void k(int *out, int rounds) {
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    __shared__ int mail[128];
    int t = threadIdx.x, n = blockDim.x, sum = 0;
    if (t == 0) init(&b, n);
    __syncthreads();
    for (int r = 0; r < rounds; ++r) {
        mail[t] = t * r;
        b.arrive_and_wait();
        sum += mail[(t + 37) % n];
        auto token = b.arrive();
        b.wait(std::move(token));
    }
    out[blockIdx.x * n + t] = sum;
}
"""

PIPELINE = """
#include <cooperative_groups.h>
#include <cuda/pipeline>
__global__ void k(const int *in, int *out, int n) {
    constexpr int STAGES = 3;
    __shared__ int buffer[STAGES][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int load = 0, use = 0; use < n; ++use) {
        for (; load < n && load < use + STAGES; ++load) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, buffer[load % STAGES], in + load * 128, sizeof(int) * 128, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[use * 128 + threadIdx.x] = 2 * buffer[use % STAGES][127 - threadIdx.x];
        pipe.consumer_release();
    }
}
"""


@GPUS
def test_phases_follow_one_another(gpu):
    out = np.zeros((3, 128), np.int32)
    gpusim.profile(kernel(PHASES, gpu=gpu), 3, 128, [out, np.int32(5)], gpu=gpu)
    t = np.arange(128)
    assert np.array_equal(out, np.tile((t + 37) % 128 * 10, (3, 1)))


@GPUS
@pytest.mark.parametrize("values", [True, False])
def test_stages_of_a_pipeline_are_full_before_they_are_used(gpu, values):
    given = np.arange(7 * 128, dtype=np.int32).reshape(7, 128)
    out = np.zeros((7, 128), np.int32)
    gpusim.profile(kernel(PIPELINE, gpu=gpu), 1, 128, [given, out, np.int32(7)], gpu=gpu, values=values)
    assert not values or np.array_equal(out, 2 * given[:, ::-1])
