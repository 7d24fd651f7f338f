"""C = A B' through tensor descriptors: made by the host for one kernel, by each program for another."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import gpusim.triton

gpu = gpusim.triton.activate("h100-sxm")


@triton.jit
def by_host(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        sums = tl.dot(a.load([i, k]), b.load([j, k]).T, sums)
    c.store([i, j], sums.to(tl.float16))


@triton.jit
def by_programs(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    left = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    right = tl.make_tensor_descriptor(b, shape=[N, K], strides=[K, 1], block_shape=[BN, BK])
    out = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        sums = tl.dot(left.load([i, k]), right.load([j, k]).T, sums)
    out.store([i, j], sums.to(tl.float16))


M, N, K, T = 192, 128, 96, 64
a, b = torch.randn((M, K), device="cuda").half(), torch.randn((N, K), device="cuda").half()
want = (a.float() @ b.float().T).half()
grid = M // T, N // T

c = torch.zeros((M, N), device="cuda", dtype=torch.float16)
maps = [TensorDescriptor.from_tensor(one, shape) for one, shape in ((a, [T, 32]), (b, [T, 32]), (c, [T, T]))]
by_host[grid](*maps, K, BM=T, BN=T, BK=32)
torch.testing.assert_close(c, want, atol=1e-2, rtol=1e-2)

triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device="cuda", dtype=torch.int8))
d = torch.zeros_like(c)
by_programs[grid](a, b, d, M, N, K, BM=T, BN=T, BK=32)
torch.testing.assert_close(d, want, atol=1e-2, rtol=1e-2)
