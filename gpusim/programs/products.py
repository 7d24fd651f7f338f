"""Products of matrices that a program has a library compute: here by NumPy, in no time of the GPU's."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import ml_dtypes
import numpy as np
from numpy.lib.stride_tricks import as_strided

from gpusim.programs.program_errors import ProgramError

if TYPE_CHECKING:
    from gpusim.programs.memory import DeviceMemory

TYPES = {
    0: np.dtype(np.float32), 1: np.dtype(np.float64), 2: np.dtype(np.float16), 3: np.dtype(np.int8),
    10: np.dtype(np.int32), 14: np.dtype(ml_dtypes.bfloat16),
}  # fmt: skip
"""Element types by ``cudaDataType``.  Source: ``library_types.h`` of CUDA 13.0."""

RELU, BIAS, BIAS_GRADIENT, GELU, GELU_GRADIENT, AUXILIARY, A_GRADIENT, B_GRADIENT = 2, 4, 16, 32, 64, 128, 256, 512
"""Of what ``cublasLtEpilogue_t`` is made."""
NOTHING_MORE = 1
COMPUTED = {
    NOTHING_MORE, RELU, BIAS, RELU | BIAS, GELU, GELU | BIAS, GELU | AUXILIARY, GELU | AUXILIARY | BIAS,
    GELU_GRADIENT | AUXILIARY, GELU_GRADIENT | AUXILIARY | BIAS_GRADIENT, BIAS_GRADIENT, A_GRADIENT, B_GRADIENT,
}  # fmt: skip
"""Those that are computed here."""


class Matrix(NamedTuple):
    """A matrix as it lies in device memory, column by column: as ``runtime.h`` has it; an address of 0 is none.

    Attributes
    ----------
    first : int
        Its address.
    rows, columns, ld, stride : int
        Elements; ``stride`` from one of a batch to the next.
    type : int
        A ``cudaDataType``.
    transposed : int
        Whether it is taken so.
    """

    first: int
    rows: int
    columns: int
    ld: int
    stride: int
    type: int
    transposed: int

    def of(self, memory: DeviceMemory, batch: int) -> np.ndarray:
        """The matrices of a batch in memory, shape (batch, rows, columns) as a product takes them."""
        kind = TYPES[self.type]
        last = (self.rows - 1) + (self.columns - 1) * self.ld + (batch - 1) * self.stride
        flat = memory.at(self.first, (last + 1) * kind.itemsize).view(kind)
        steps = tuple(kind.itemsize * step for step in (self.stride, 1, self.ld))
        found = as_strided(flat, (batch, self.rows, self.columns), steps)
        return found.transpose(0, 2, 1) if self.transposed else found


_MATRIX, _REST = struct.Struct("<Q6q"), struct.Struct("<2q2d")


class Product(NamedTuple):
    """``d = alpha a b + beta c``, and what an epilogue adds."""

    a: Matrix
    b: Matrix
    c: Matrix
    d: Matrix
    bias: Matrix
    auxiliary: Matrix
    batch: int
    epilogue: int
    alpha: float
    beta: float


def product(body: bytes) -> Product:
    """What a program's runtime asks for."""
    end = 6 * _MATRIX.size
    a, b, c, d, bias, auxiliary = map(Matrix._make, _MATRIX.iter_unpack(body[:end]))
    return Product(a, b, c, d, bias, auxiliary, *_REST.unpack(body[end:]))


def compute(asked: Product, memory: DeviceMemory) -> None:
    """Compute a product in device memory.

    Sums are of ``float64`` where the result is, and where integers are multiplied, which is exact; of ``float32``
    elsewhere.

    Raises
    ------
    ProgramError
        An epilogue that is not computed here.
    """
    if asked.epilogue not in COMPUTED:
        raise ProgramError(f"cublasLtMatmul has epilogue {asked.epilogue}, which gpusim does not compute")
    into = asked.d.of(memory, asked.batch)
    wide = into.dtype == np.float64 or into.dtype.kind == "i"
    kind = np.dtype(np.float64 if wide else np.float32)
    a, b = (one.of(memory, asked.batch).astype(kind) for one in (asked.a, asked.b))
    sums = kind.type(asked.alpha) * (a @ b)
    if asked.beta and asked.c.first:
        sums += kind.type(asked.beta) * asked.c.of(memory, asked.batch).astype(kind)
    into[...] = _finished(sums, asked, memory, a, b)


def _finished(sums: np.ndarray, asked: Product, memory: DeviceMemory, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What an epilogue makes of sums."""
    how = asked.epilogue
    across = asked.bias.of(memory, asked.batch) if asked.bias.first else None
    auxiliary = asked.auxiliary.of(memory, asked.batch) if asked.auxiliary.first else None
    if how & BIAS and across is not None:
        sums = sums + across.astype(sums.dtype)
    if how & GELU_GRADIENT and auxiliary is not None:
        sums = sums * _slope_of_gelu(auxiliary.astype(sums.dtype))
    elif how & AUXILIARY and auxiliary is not None:
        auxiliary[...] = sums
    for flag, gradient in _gradients(sums, a, b).items():
        if how & flag and across is not None:
            across[..., 0] = gradient()
    if how & GELU:
        return _gelu(sums)
    return np.maximum(sums, 0) if how & RELU else sums


def _gradients(sums: np.ndarray, a: np.ndarray, b: np.ndarray) -> dict[int, Callable[[], np.ndarray]]:
    """Gradients of a bias: sums of the result's rows, of rows of ``a``, of columns of ``b``."""
    return {
        BIAS_GRADIENT: lambda: sums.sum(axis=2),
        A_GRADIENT: lambda: a.sum(axis=2),
        B_GRADIENT: lambda: b.sum(axis=1),
    }


_STEEP, _CUBIC = float(np.sqrt(2 / np.pi)), 0.044715


def _gelu(x: np.ndarray) -> np.ndarray:
    """GELU by its tanh (Hendrycks and Gimpel 2016, section 2)."""
    return np.asarray(0.5 * x * (1 + np.tanh(_STEEP * (x + _CUBIC * x**3))))


def _slope_of_gelu(x: np.ndarray) -> np.ndarray:
    bend = np.tanh(_STEEP * (x + _CUBIC * x**3))
    return np.asarray(0.5 * (1 + bend) + 0.5 * x * (1 - bend**2) * _STEEP * (1 + 3 * _CUBIC * x**2))
