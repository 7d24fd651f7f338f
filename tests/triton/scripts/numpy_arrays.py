"""Kernels on NumPy's arrays: views, tuples, scalars, and functions of libdevice."""

import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice

import gpusim.triton

gpu = gpusim.triton.activate("h100-sxm")


@triton.jit
def asin(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, libdevice.asin(tl.load(x + at, mask=at < n)), mask=at < n)


@triton.jit
def scaled(pairs, y, factor, flag, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.load(pairs[0] + at) + tl.load(pairs[1] + at)
    tl.store(y + at, tl.where(flag, total * factor, total))


x = np.linspace(-1, 1, 3000, dtype=np.float32)
y = np.zeros_like(x)
asin[(triton.cdiv(x.size, 1024),)](x, y, x.size, BLOCK=1024)
np.testing.assert_allclose(y, np.arcsin(x), rtol=1e-6, atol=1e-6)

whole = np.arange(256, dtype=np.float32)
out = np.zeros(256, np.float32)
scaled[(1,)]((whole[64:], whole), out[128:], 0.5, True, BLOCK=128)
np.testing.assert_array_equal(out[128:], (whole[64:192] + whole[:128]) / 2)
assert not out[:128].any()
