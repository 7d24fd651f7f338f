"""Places beyond a block's shared memory are the same error whether values are computed or not."""

from __future__ import annotations

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import GpusimError

SHARED = 2048
HEAD = """
typedef unsigned u32; typedef unsigned long long u64;
__device__ u32 at(int place, const void* shared) { return (u32)__cvta_generic_to_shared(shared) + place; }
"""
KERNEL = """
extern "C" __global__ void NAME(const uint4* x, u32* y, int place) {
  extern __shared__ __align__(128) u32 shared[];
  __shared__ __align__(8) u64 barrier;
  const u32 there = at(place, shared), own = at(0, &barrier);
  u32 r = 0;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(own));
  __syncthreads();
  ACCESS
  y[threadIdx.x] = r;
}
"""
ONE_THREAD = "if (threadIdx.x == 0) "
ACCESSES = {
    "ld_shared": 'asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(there));',
    "st_shared": 'asm volatile("st.shared.u32 [%0], %1;" :: "r"(there), "r"(r));',
    "atom_shared": 'asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(r) : "r"(there));',
    "red_shared": 'asm volatile("red.shared.add.u32 [%0], 1;" :: "r"(there));',
    "cp_async": 'asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.wait_all;" :: "r"(there), "l"(x));',
    "ldmatrix": 'asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(there));',
    "stmatrix": 'asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(there), "r"(r));',
    "mbarrier_init": ONE_THREAD + 'asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(there));',
    "mbarrier_arrive": 'asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" :: "r"(there));',
    "mbarrier_expect": ONE_THREAD + 'asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;"'
    ' :: "r"(there));',
    "mbarrier_wait": 'asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0;'
    ' selp.u32 %0, 1, 0, p; }" : "=r"(r) : "r"(there));',
    "bulk_load": ONE_THREAD + 'asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes'
    ' [%0], [%1], 16, [%2];" :: "r"(there), "l"(x), "r"(own));',
    "bulk_load_barrier": ONE_THREAD + 'asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes'
    ' [%0], [%1], 16, [%2];" :: "r"(at(0, shared)), "l"(x), "r"(there));',
    "bulk_store": ONE_THREAD + 'asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;'
    ' cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" :: "l"(y), "r"(there));',
}
"""One access each, at ``there``."""


@pytest.fixture(scope="module")
def module() -> cuda.Module:
    kernels = (KERNEL.replace("NAME", name).replace("ACCESS", text) for name, text in ACCESSES.items())
    return cuda.compile(HEAD + "".join(kernels), gpu="h100-sxm")


def said(module: cuda.Module, name: str, place: int, *, values: bool) -> str:
    """What is wrong with an access of four blocks, or nothing."""
    arguments = [np.zeros(4, np.uint32), np.zeros(64, np.uint32), np.int32(place)]
    how = {"gpu": "h100-sxm", "dynamic_shared": SHARED, "values": values, "fresh": True}
    try:
        gpusim.profile(module.kernel(name), 4, 32, arguments, **how)
    except GpusimError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", ACCESSES)
def test_a_place_beyond_shared_memory_is_found_without_values(module, name):
    beyond = said(module, name, 1 << 16, values=True)
    assert "beyond" in beyond or "out of bounds of shared memory" in beyond
    assert said(module, name, 1 << 16, values=False) == beyond


@pytest.mark.parametrize("name", ["cp_async", "ldmatrix", "stmatrix", "atom_shared", "bulk_load", "bulk_store"])
def test_the_last_place_of_shared_memory_is_none_beyond(module, name):
    assert said(module, name, SHARED - 16, values=False) == said(module, name, SHARED - 16, values=True) == ""
