"""Sum of two vectors, masked at the end, with its benchmark."""

import torch
import triton
import triton.language as tl
from triton.testing import do_bench

import gpusim.triton

gpu = gpusim.triton.activate("h100-sxm")

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(c + at, tl.load(a + at, mask=inside) + tl.load(b + at, mask=inside), mask=inside)


def added(a, b):
    c = torch.empty_like(a)
    assert a.device == DEVICE == c.device
    assert c.is_cuda
    n = c.numel()
    add[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](a, b, c, n, BLOCK=1024)
    return c


torch.manual_seed(0)
a, b = torch.rand(98432, device=DEVICE), torch.rand(98432, device="cuda")
c = added(a, b)
assert torch.equal(c, a + b)
assert not c.cpu().is_cuda

milliseconds, fastest, slowest = do_bench(lambda: added(a, b), quantiles=[0.5, 0.2, 0.8])
assert milliseconds == fastest == slowest == gpu.launches[-1].seconds * 1000
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
for _ in range(3):
    added(a, b)
end.record()
torch.cuda.synchronize()
assert abs(start.elapsed_time(end) - 3 * milliseconds) < 1e-9
