"""Causal attention of a head by blocks of keys, with sums that are rescaled as rows go on."""

import torch
import triton
import triton.language as tl

import gpusim.triton

gpu = gpusim.triton.activate("h100-sxm")


@triton.jit
def attention(q, k, v, o, lse, scale, H, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    head = tl.program_id(1).to(tl.int64) * N * D
    rows, across = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    at = rows[:, None] * D + across[None, :]
    queries = tl.load(q + head + at)
    largest, total = tl.full([BM], -float("inf"), tl.float32), tl.zeros([BM], tl.float32)
    sums = tl.zeros([BM, D], tl.float32)
    scale *= 1.44269504
    for first in tl.range(0, (tl.program_id(0) + 1) * BM, BN):
        keys = first + tl.arange(0, BN)
        scores = tl.dot(queries, tl.load(k + head + keys[None, :] * D + across[:, None])) * scale
        scores = tl.where(rows[:, None] >= keys[None, :], scores, -float("inf"))
        larger = tl.maximum(largest, tl.max(scores, 1))
        weights, kept = tl.math.exp2(scores - larger[:, None]), tl.math.exp2(largest - larger)
        total = total * kept + tl.sum(weights, 1)
        values = tl.load(v + head + keys[:, None] * D + across[None, :])
        sums = tl.dot(weights.to(tl.float16), values, sums * kept[:, None])
        largest = larger
    tl.store(lse + tl.program_id(1) * N + rows, largest + tl.math.log2(total))
    tl.store(o + head + at, (sums / total[:, None]).to(tl.float16))


B, H, N, D = 2, 2, 256, 64
q, k, v = (torch.randn((B, H, N, D), dtype=torch.float16, device="cuda") for _ in range(3))
o, lse = torch.empty_like(q), torch.empty((B, H, N), dtype=torch.float32, device=q.device)
attention[(triton.cdiv(N, 64), B * H)](q, k, v, o, lse, D**-0.5, H, N, D=D, BM=64, BN=64, num_warps=4, num_stages=2)
scores = (q.float() @ k.float().transpose(2, 3)) * D**-0.5
scores = scores.masked_fill(torch.ones(N, N, device="cuda").triu(1).bool(), -float("inf"))
torch.testing.assert_close(o, (scores.softmax(-1) @ v.float()).half(), atol=1e-2, rtol=0)
torch.testing.assert_close(lse, torch.logsumexp(scores, -1) / 0.69314718, atol=1e-2, rtol=1e-3)
