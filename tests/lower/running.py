"""Runs kernels through the lowering and the interpreter."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gpusim.catalogue.algorithm import Algorithm, numpy_dtype
from gpusim.lang.kernel import Kernel
from tests.lower.interp import Counts, run

TYPES = {"f32": np.float32, "i32": np.int32, "u32": np.uint32, "f16": np.float16, "bf16": np.uint16}
TYPES |= {name: numpy_dtype(name) for name in ("e4m3", "e5m2")}


def run_kernel(
    kernel: Kernel, inputs: Mapping[str, np.ndarray], **params: float
) -> tuple[dict[str, np.ndarray], Counts]:
    """Buffers after a launch of ``kernel``, those of bf16 as bits; those not in ``inputs`` start as zeros."""
    tiles = {p.name for p in kernel.params if p.role == "tile"}
    program = kernel.lower(**{k: int(v) for k, v in params.items() if k in tiles})
    grid, block = kernel.shape(**params)
    buffers = {}
    for array in kernel.arrays:
        shape, dtype = kernel.array_shape(array.name, **params), TYPES[array.dtype.value]
        given = np.asarray(inputs.get(array.name, np.zeros(shape, dtype)))
        given = given.view(dtype) if given.dtype == numpy_dtype("bf16") else given.astype(dtype)
        buffers[array.name] = given.reshape(shape)
    with np.errstate(all="ignore"):
        return run(program, grid, block, buffers, params)


def run_algorithm(algorithm: Algorithm, params: Mapping[str, int], seed: int = 0) -> dict[str, np.ndarray]:
    """Outputs of an algorithm with inputs drawn from ``seed``."""
    inputs = algorithm.inputs(np.random.default_rng(seed), **params)
    results, _ = run_kernel(algorithm.kernel, inputs, **algorithm.bind(**params))
    outputs = [a for a in algorithm.kernel.arrays if a.intent != "in"]
    return {a.name: results[a.name].view(numpy_dtype(a.dtype.value)) for a in outputs}
