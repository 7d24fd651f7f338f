"""From CUDA C++ to machine code, taken apart: no GPU needed, only NVIDIA's wheels (``gpusim[cuda]``).

>>> from gpusim import cuda
>>> module = cuda.compile("sgemm.cu", gpu="sm_90", kernel="sgemm<128, 8>")  # doctest: +SKIP
>>> print(module.kernel())  # doctest: +SKIP
sgemm<128, 8>(const float* A, const float* B, float* C, int n)
"""

from __future__ import annotations

from gpusim.cuda.cuda_errors import (
    ArgumentError,
    CompileError,
    CubinError,
    CudaError,
    KernelNameError,
    MissingToolError,
    OptionError,
)
from gpusim.cuda.module import Kernel, Module, compile  # noqa: A004 (gpusim.cuda.compile says it best)

__all__ = [
    "ArgumentError",
    "CompileError",
    "CubinError",
    "CudaError",
    "Kernel",
    "KernelNameError",
    "MissingToolError",
    "Module",
    "OptionError",
    "compile",
]
