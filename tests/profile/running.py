"""Compiles a text and runs it on a simulated H200."""

from __future__ import annotations

from typing import Any

import gpusim
from gpusim import cuda

SAXPY = """
__global__ void saxpy(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""


def kernel(text: str, name: str | None = None, gpu: str = "h200", **options: Any) -> cuda.Kernel:
    """The kernel of a text."""
    return cuda.compile(text + "\n", gpu=gpu, kernel=name, **options).kernel()


def run(text: str, grid: Any, block: Any, *args: Any, name: str | None = None, **how: Any) -> gpusim.Profile:
    """Compile the text, run its kernel, and give what was counted; the arrays hold the results."""
    return gpusim.profile(kernel(text, name), grid, block, args, **how)
