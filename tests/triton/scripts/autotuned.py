"""A reduction of rows whose tile and warps the autotuner picks by predicted times."""

import torch
import triton
import triton.language as tl

import gpusim.triton

gpu = gpusim.triton.activate("h100-sxm")


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((128, 1), (512, 4), (1024, 8))],
    key=["N"],
)
@triton.jit
def norms(x, y, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    sums = tl.zeros([BLOCK], tl.float32)
    for first in range(0, N, BLOCK):
        at = first + tl.arange(0, BLOCK)
        values = tl.load(x + row * N + at, mask=at < N, other=0.0)
        sums += values * values
    tl.store(y + row, tl.sqrt(tl.sum(sums)))


x = torch.randn((264, 4096), device="cuda")
y = torch.empty(264, device="cuda")
norms[(264,)](x, y, 4096)
torch.testing.assert_close(y, x.norm(dim=1))
assert len(gpu.launches) == 4
times = {config.kwargs["BLOCK"]: timings[0] for config, timings in norms.configs_timings.items()}
assert len(set(times.values())) == 3
assert times[norms.best_config.kwargs["BLOCK"]] == min(times.values()) == gpu.launches[-1].seconds * 1000
