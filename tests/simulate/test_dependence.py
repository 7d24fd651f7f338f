"""Are launches counted right whose blocks depend on what other blocks wrote?"""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.simulate import SimulationError, quick, sample

pytestmark = pytest.mark.usefixtures("compiler")

BLOCKS, THREADS = 16, 128
N = BLOCKS * THREADS
COUNTED = [
    "smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__inst_executed_op_global_atom.sum", "lts__t_sectors_srcunit_tex_op_read.sum",
]  # fmt: skip
KERNELS = {
    "tiles by a counter": (
        """for (;;) {
            __shared__ unsigned tile;
            if (threadIdx.x == 0) tile = atomicAdd((unsigned*)v, 1);
            __syncthreads();
            if (tile >= 5 * gridDim.x) return;
            o[tile * 128 + threadIdx.x] = 2 * x[tile * 128 + threadIdx.x];
            __syncthreads();
        }""",
        {"x": 5 * N, "o": 5 * N, "v": 1},
    ),
    "each cell once": ("if (!v[i]) { v[i] = 1; o[i] = i; }", {"x": 1, "o": N, "v": N}),
    "each cell once, by an exchange": ("if (atomicExch(v + i, 1) == 0) o[i] = i;", {"x": 1, "o": N, "v": N}),
    "compaction": (
        "if (x[i] == 0) { int j = atomicAdd(v, 1); if (j < 1000) o[j] = i; }",
        {"x": N, "o": 1000, "v": 1},
    ),
    "tickets": (
        "__shared__ int b; if (threadIdx.x == 0) b = atomicAdd(v, 1); __syncthreads(); o[b * 128 + threadIdx.x] = b;",
        {"x": 1, "o": N, "v": 1},
    ),
    "one after the other": (
        "if (threadIdx.x == 0) { while (atomicAdd(v, 0) != (int)blockIdx.x); atomicExch(v, blockIdx.x + 1); }",
        {"x": 1, "o": 1, "v": 1},
    ),
    "one after the other, by loads": (
        "volatile int* f = v; if (threadIdx.x == 0) { while (*f != (int)blockIdx.x); *f = blockIdx.x + 1; }",
        {"x": 1, "o": 1, "v": 1},
    ),
    "sorting": (
        """int* a = o + 16 * i;
        for (int k = 1; k < 16; k++) {
            int y = a[k], j = k;
            while (j > 0 && a[j - 1] > y) { a[j] = a[j - 1]; j--; }
            a[j] = y;
        }""",
        {"x": 1, "o": 16 * N, "v": 1},
    ),
}
GATHER = ("o[i] = x[x[i] + i];", {"x": 2 * N, "o": N, "v": 1})


def kernel(body):
    index = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
    return cuda.compile(f"__global__ void k(const int* x, int* o, int* v) {{ {index} {body} }}", gpu="h200").kernel()


def counted(compiled, sizes, **how):
    """Counters of a launch, its outputs sorted where they begin as any numbers."""
    arrays = [np.zeros(sizes[name], np.int32) for name in "xov"]
    arrays[1][:] = np.random.default_rng(1).integers(0, 99, sizes["o"])
    return gpusim.profile(compiled, BLOCKS, THREADS, arrays, gpu="h200", **how)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("budget", [0, sample.BUDGET])
def test_without_values_they_count_the_same(name, budget, monkeypatch):
    monkeypatch.setattr(sample, "BUDGET", budget)  # of work beyond which a launch is sampled
    body, sizes = KERNELS[name]
    compiled = kernel(body)
    with_values, without = (counted(compiled, sizes, values=values) for values in (True, False))
    assert [without.value(metric) for metric in COUNTED] == [with_values.value(metric) for metric in COUNTED]


@pytest.mark.parametrize("name", ["tickets", "tiles by a counter", "one after the other", "each cell once"])
def test_a_quick_prediction_runs_them_all(name, monkeypatch):
    monkeypatch.setattr(quick, "RUN_WHOLE", 0)
    body, sizes = KERNELS[name]
    compiled = kernel(body)
    whole, quickly = (counted(compiled, sizes, values=False, sample=sample) for sample in (None, "quick"))
    assert quickly.metrics == whole.metrics


def test_what_reads_only_what_was_given_may_be_sampled(monkeypatch):
    monkeypatch.setattr(sample, "BUDGET", 0)
    chosen = []
    monkeypatch.setattr(
        "gpusim.simulate.counting.plan", lambda *args, **how: chosen.append(how) or sample.plan(*args, **how)
    )
    body, sizes = GATHER
    counted(kernel(body), sizes, values=False)
    assert chosen == [{"sample": None}]


def test_an_error_of_the_first_blocks_is_told_all_the_same():
    with pytest.raises(SimulationError, match="out of bounds"):
        counted(kernel("if (!v[i]) v[i + 4000] = 1;"), {"x": 1, "o": 1, "v": N}, values=False)
