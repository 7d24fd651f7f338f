"""Products of several sizes in one launch: arrays of addresses and of sizes say which."""

import torch
import triton
import triton.language as tl

import gpusim.triton

gpu = gpusim.triton.activate("h100-sxm")


@triton.jit
def grouped(
    a_ptrs, b_ptrs, c_ptrs, sizes, steps, count, PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    BK: tl.constexpr,
):  # fmt: skip
    tile, done = tl.program_id(0), 0
    for g in range(count):
        M, N, K = tl.load(sizes + g * 3), tl.load(sizes + g * 3 + 1), tl.load(sizes + g * 3 + 2)
        down, across = tl.cdiv(M, BM), tl.cdiv(N, BN)
        while tile >= done and tile < done + down * across:
            lda, ldb, ldc = tl.load(steps + g * 3), tl.load(steps + g * 3 + 1), tl.load(steps + g * 3 + 2)
            a = tl.load(a_ptrs + g).to(tl.pointer_type(tl.float16))
            b = tl.load(b_ptrs + g).to(tl.pointer_type(tl.float16))
            c = tl.load(c_ptrs + g).to(tl.pointer_type(tl.float16))
            rows = (tile - done) // across * BM + tl.arange(0, BM)
            columns, depth = (tile - done) % across * BN + tl.arange(0, BN), tl.arange(0, BK)
            left, right = a + rows[:, None] * lda + depth[None, :], b + depth[:, None] * ldb + columns[None, :]
            sums = tl.zeros((BM, BN), dtype=tl.float32)
            for _ in range(tl.cdiv(K, BK)):
                sums += tl.dot(tl.load(tl.multiple_of(left, [16, 16])), tl.load(tl.multiple_of(right, [16, 16])))
                left += BK
                right += BK * ldb
            tl.store(c + rows[:, None] * ldc + columns[None, :], sums.to(tl.float16))
            tile += PROGRAMS
        done += down * across


sizes = [(128, 128, 64), (64, 192, 128), (64, 64, 32)]
A = [torch.rand((M, K), device="cuda", dtype=torch.float16) for M, _, K in sizes]
B = [torch.rand((K, N), device="cuda", dtype=torch.float16) for _, N, K in sizes]
C = [torch.empty((M, N), device="cuda", dtype=torch.float16) for M, N, _ in sizes]
pointers = [torch.tensor([one.data_ptr() for one in several], device="cuda") for several in (A, B, C)]
steps = [step for three in zip(A, B, C, strict=True) for step in (one.stride(0) for one in three)]
flat = [number for three in sizes for number in three]
grouped[(4,)](
    *pointers, torch.tensor(flat, dtype=torch.int32, device="cuda"),
    torch.tensor(steps, dtype=torch.int32, device="cuda"), len(sizes), PROGRAMS=4, BM=64, BN=64, BK=32,
)  # fmt: skip
for a, b, c in zip(A, B, C, strict=True):
    torch.testing.assert_close(c, (a.float() @ b.float()).half(), atol=1e-2, rtol=1e-2)
