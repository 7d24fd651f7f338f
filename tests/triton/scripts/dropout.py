"""Dropout whose random numbers come from a seed, so that no mask is kept."""

import torch
import triton
import triton.language as tl

import gpusim.triton

gpu = gpusim.triton.activate("h100-sxm")


@triton.jit
def dropout(x, y, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n)
    kept = tl.rand(seed, at) > p
    tl.store(y + at, tl.where(kept, values / (1 - p), 0.0), mask=at < n)


def dropped(x, seed, p=0.5):
    y = torch.empty_like(x)
    dropout[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), p, seed, BLOCK=1024)
    return y


x = torch.randn(10000).to("cuda")
once, again, other = dropped(x, 123), dropped(x, 123), dropped(x, 512)
assert torch.equal(once, again)
assert not torch.equal(once, other)
kept = once != 0
assert 0.47 < kept.float().mean().item() < 0.53
torch.testing.assert_close(once[kept], 2 * x[kept])
