"""Softmax of rows by as many programs as the GPU holds at once, each of which strides over rows."""

import torch
import triton
import triton.language as tl
from triton.runtime import driver

import gpusim.triton

gpu = gpusim.triton.activate("h100-sxm")

DEVICE = driver.active.get_active_torch_device()
properties = driver.active.utils.get_device_properties(DEVICE.index)


@triton.jit
def softmax(y, x, x_step, y_step, M, N, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    for row in tl.range(tl.program_id(0), M, tl.num_programs(0), num_stages=STAGES):
        at = tl.arange(0, BLOCK)
        values = tl.load(x + row * x_step + at, mask=at < N, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(y + row * y_step + at, powers / tl.sum(powers, axis=0), mask=at < N)


x = torch.randn(1823, 781, device=DEVICE)
y = torch.empty_like(x)
M, N = x.shape
BLOCK = triton.next_power_of_2(N)
kernel = softmax.warmup(y, x, x.stride(0), y.stride(0), M, N, BLOCK=BLOCK, STAGES=4, num_warps=8, grid=(1,))
kernel._init_handles()
fitting = properties["max_num_regs"] // (kernel.n_regs * properties["warpSize"] * 8)
fitting = min(fitting, properties["max_shared_mem"] // max(kernel.metadata.shared, 1), 8)
programs = min(properties["multiprocessor_count"] * fitting, M)
kernel[(programs, 1, 1)](y, x, x.stride(0), y.stride(0), M, N, BLOCK, 4)
torch.testing.assert_close(y, torch.softmax(x, axis=1), rtol=1e-5, atol=1e-6)
assert gpu.launches[-1].grid == (programs, 1, 1)
