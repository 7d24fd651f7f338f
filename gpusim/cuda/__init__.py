"""From CUDA C++ to machine code, taken apart: no GPU needed, only NVIDIA's wheels (``gpusim[cuda]``)."""

from __future__ import annotations

from gpusim.cuda.errors import (
    ArgumentError,
    CompileError,
    CubinError,
    CudaError,
    KernelNameError,
    MissingToolError,
    OptionError,
)

__all__ = [
    "ArgumentError",
    "CompileError",
    "CubinError",
    "CudaError",
    "KernelNameError",
    "MissingToolError",
    "OptionError",
]
