"""C = A B by tiles in fp16, grouped so that neighbours share what is in L2, with a leaky ReLU at the end."""

import torch
import triton
import triton.language as tl

import gpusim.triton

gpu = gpusim.triton.activate("h100-sxm")


@triton.jit
def leaky(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul(
    a, b, c, M, N, K, am, ak, bk, bn, cm, cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, ACTIVATION: tl.constexpr,
):  # fmt: skip
    program, across = tl.program_id(0), tl.cdiv(N, BN)
    group = program // (GROUP * across)
    rows_in_group = min(tl.cdiv(M, BM) - group * GROUP, GROUP)
    i = group * GROUP + (program % (GROUP * across)) % rows_in_group
    j = (program % (GROUP * across)) // rows_in_group
    rows, columns, depth = (i * BM + tl.arange(0, BM)) % M, (j * BN + tl.arange(0, BN)) % N, tl.arange(0, BK)
    first, second = a + rows[:, None] * am + depth[None, :] * ak, b + depth[:, None] * bk + columns[None, :] * bn
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(tl.cdiv(K, BK)):
        left = tl.load(first, mask=depth[None, :] < K - k * BK, other=0.0)
        right = tl.load(second, mask=depth[:, None] < K - k * BK, other=0.0)
        sums = tl.dot(left, right, sums)
        first += BK * ak
        second += BK * bk
    if ACTIVATION == "leaky":
        sums = leaky(sums)
    rows, columns = i * BM + tl.arange(0, BM), j * BN + tl.arange(0, BN)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c + rows[:, None] * cm + columns[None, :] * cn, sums.to(tl.float16), mask=inside)


def multiplied(a, b, activation=""):
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=torch.float16)
    matmul[lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)](
        a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(),
        BM=64, BN=64, BK=32, GROUP=4, ACTIVATION=activation, num_stages=3, num_warps=4,
    )  # fmt: skip
    return c


a = torch.randn((200, 160), device="cuda", dtype=torch.float16)
b = torch.randn((144, 160), device="cuda", dtype=torch.float16).T
want = (a.float() @ b.float()).half()
torch.testing.assert_close(multiplied(a, b), want, atol=1e-2, rtol=1e-2)
torch.testing.assert_close(
    multiplied(a, b, "leaky"), torch.nn.functional.leaky_relu(want.float()).half(), atol=1e-2, rtol=1e-2
)
