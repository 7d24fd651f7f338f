"""Layer normalisation forward and backward, where programs add up gradients of the weights, a lock a group."""

import torch
import triton
import triton.language as tl

import gpusim.triton

gpu = gpusim.triton.activate("h100-sxm")


@triton.jit
def forward(x, y, w, b, means, scales, step, N, eps, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * step + at, mask=at < N, other=0.0).to(tl.float32)
    mean = tl.sum(values, axis=0) / N
    apart = tl.where(at < N, values - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(apart * apart, axis=0) / N + eps)
    tl.store(means + row, mean)
    tl.store(scales + row, scale)
    weight, bias = tl.load(w + at, mask=at < N), tl.load(b + at, mask=at < N)
    tl.store(y + row * step + at, apart * scale * weight + bias, mask=at < N)


@triton.jit
def backward(dx, dy, dw, db, x, w, means, scales, locks, step, N, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    inside = at < N
    values = tl.load(x + row * step + at, mask=inside, other=0.0).to(tl.float32)
    grads = tl.load(dy + row * step + at, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(w + at, mask=inside, other=0.0).to(tl.float32)
    mean, scale = tl.load(means + row), tl.load(scales + row)
    normal = tl.where(inside, (values - mean) * scale, 0.0)
    weighted = weight * grads
    along, ahead = tl.sum(normal * weighted, axis=0) / N, tl.sum(weighted, axis=0) / N
    tl.store(dx + row * step + at, (weighted - (normal * along + ahead)) * scale, mask=inside)
    group = row % GROUP
    lock, count = locks + group, locks + GROUP + group
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    more, more_bias = grads * normal, grads
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        more += tl.load(dw + group * N + at, mask=inside)
        more_bias += tl.load(db + group * N + at, mask=inside)
    tl.store(dw + group * N + at, more, mask=inside)
    tl.store(db + group * N + at, more_bias, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def together(parts, total, M, N, BM: tl.constexpr, BN: tl.constexpr):
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, M, BM):
        rows = i + tl.arange(0, BM)
        inside = (rows[:, None] < M) & (columns[None, :] < N)
        sums += tl.load(parts + rows[:, None] * N + columns[None, :], mask=inside, other=0.0)
    tl.store(total + columns, tl.sum(sums, axis=0), mask=columns < N)


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        y, (M, N) = torch.empty_like(x), x.shape
        means, scales = (torch.empty(M, dtype=torch.float32, device=x.device) for _ in range(2))
        block = triton.next_power_of_2(N)
        forward[(M,)](x, y, weight, bias, means, scales, x.stride(0), N, eps, BLOCK=block, num_warps=4)
        ctx.save_for_backward(x, weight, means, scales)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, weight, means, scales = ctx.saved_tensors
        (M, N), groups = x.shape, 8
        locks = torch.zeros(2 * groups, dtype=torch.int32, device=weight.device)
        parts, bias_parts = (torch.zeros((groups, N), dtype=torch.float32, device=weight.device) for _ in range(2))
        dx, dw, db = torch.empty_like(dy), torch.empty_like(weight), torch.empty_like(weight)
        assert dx.device == torch.device("cuda", 0)
        block = triton.next_power_of_2(N)
        backward[(M,)](
            dx, dy, parts, bias_parts, x, weight, means, scales, locks, x.stride(0), N, GROUP=groups, BLOCK=block
        )
        for some, total in ((parts, dw), (bias_parts, db)):
            together[(triton.cdiv(N, 64),)](some, total, min(groups, M), N, BM=8, BN=64)
        return dx, dw, db, None


M, N = 151, 200
x = (-2.3 + 0.5 * torch.randn((M, N), device="cuda")).requires_grad_()
weight, bias = (torch.rand(N, device="cuda", requires_grad=True) for _ in range(2))
dy = 0.1 * torch.randn((M, N), device="cuda")
y = LayerNorm.apply(x, weight, bias, 1e-5)
y.backward(dy)
own = [one.grad.clone() for one in (x, weight, bias)]
x.grad = weight.grad = bias.grad = None
want = torch.nn.functional.layer_norm(x, (N,), weight, bias, 1e-5)
want.backward(dy)
torch.testing.assert_close(y, want, atol=1e-5, rtol=1e-5)
for found, one in zip(own, (x, weight, bias), strict=True):
    torch.testing.assert_close(found, one.grad, atol=1e-4, rtol=1e-4)
