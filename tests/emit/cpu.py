"""Runs emitted source on the CPU: g++ and a header that stands for CUDA make a library of it."""

from __future__ import annotations

import ctypes
import re
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from gpusim.catalogue.algorithm import numpy_dtype
from gpusim.lang import Kernel
from tests.host.build import aligned, library

NUMBERS = {"f32": ctypes.c_float, "i32": ctypes.c_int, "u32": ctypes.c_uint}
HELPER = re.compile(r"^(?:template <[^\n]*>\n)?static __device__(?:(?!^}).)*?\basm\b.*?^}\n", re.DOTALL | re.MULTILINE)
"""One whose body is for a GPU's assembler."""
LARGEST_SHARED = 227 * 1024
START = 'extern "C" void start(const unsigned* shape, void** args) {{ launch({name}, shape, args); }}\n'


def run(kernel: Kernel, inputs: Mapping[str, np.ndarray], **params: float) -> dict[str, np.ndarray]:
    """Buffers after a launch of the emitted kernel; those not in ``inputs`` start as zeros."""
    tiles = {p.name: int(params[p.name]) for p in kernel.params if p.role == "tile" and p.name in params}
    grid, block = kernel.shape(**params)
    buffers, args = {}, []
    for array in kernel.arrays:
        shape, dtype = kernel.array_shape(array.name, **params), numpy_dtype(array.dtype.value)
        given = np.asarray(inputs.get(array.name, np.zeros(shape, dtype)))
        given = given.view(dtype) if given.dtype == np.uint16 else given.astype(dtype)  # halves may come as bits
        buffers[array.name] = aligned(given.reshape(shape))
        args.append(ctypes.c_void_p(buffers[array.name].ctypes.data))
    args += [NUMBERS[p.dtype.value](params[p.name]) for p in kernel.params if p.role != "tile"]
    places = (ctypes.c_void_p * len(args))(*(ctypes.addressof(arg) for arg in args))
    _library(kernel.emit(name="emitted", **tiles)).start((ctypes.c_uint * 6)(*grid, *block), places)
    return buffers


@cache
def _library(source: str) -> ctypes.CDLL:
    code = HELPER.sub("", re.sub(r"^#include.*\n", "", source, flags=re.MULTILINE))
    code = code.replace("extern __shared__", "__shared__").replace("memory[]", f"memory[{LARGEST_SHARED}]")
    with tempfile.TemporaryDirectory(prefix="gpusim-emit-") as folder:
        path = Path(folder) / "kernel.cpp"
        path.write_text(f'#include "cuda.h"\n{code}\n{START.format(name="emitted")}', encoding="utf-8")
        return library(path)
