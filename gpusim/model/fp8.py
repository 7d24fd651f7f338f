"""FP8 tensors: bytes with their scales, and quantisation tile by tile.

An FP8 number spans few powers of two, so a tensor is stored as x = q s: q in
E4M3, and a scale s for each tile.  The smaller the tile, the fewer values an
outlier pushes towards zero, and the more scales there are.

========== ========= ======= =================================================================
scaling    tile      scale   source
========== ========= ======= =================================================================
PER_TENSOR all       4 bytes Micikevicius et al. 2022, "FP8 formats", arXiv 2209.05433
TILE       1 x 128   4 bytes activations; DeepSeek-AI 2024, arXiv 2412.19437, section 3.3.2
BLOCK      128 x 128 4 bytes weights; the same
MX_ROWS    1 x 32    1 byte  OCP Microscaling formats (MX) specification v1.0, table 1
MX_COLUMNS 32 x 1    1 byte  the same, along the other axis
========== ========= ======= =================================================================

A 4-byte scale is amax / 448 in FP32, which takes the largest magnitude of the tile
to E4M3's largest number.  A 1-byte scale is a power of two (E8M0), 2^(floor(log2 amax) - 8)
after the MX specification, section 6.3; what is beyond 448 then is clamped.

Error: E4M3 has three bits after the point, so rounding a number of its normal range
changes it by 2^-4 of itself at most, and one below 2^-6 by 2^-10.  Clamping takes up to
1/8 off a tile's largest magnitudes (512 to 448) with 1-byte scales.

A product along rows reads its operand's tiles along rows, the backward pass's
product reads it transposed.  Tiles that are not square do not fit both: MX tensors
are kept twice, quantised along rows and along columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.errors import ParameterError
from gpusim.hardware.occupancy import ceil_div
from gpusim.model.inputs import at_least

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

LARGEST = 448.0
"""E4M3's largest number.  Source: Micikevicius et al. 2022, arXiv 2209.05433, table 1."""

LARGEST_EXPONENT = 8
"""That of :data:`LARGEST`, 448 = 1.75 x 2^8 (the MX specification's emax)."""


@dataclass(frozen=True, slots=True)
class Scaling:
    """Which elements share a scale, and what it is.

    Parameters
    ----------
    rows, columns : int or None
        Of a tile; None: all there are.
    scale_bytes : int
        4: any FP32 number; 1: a power of two, E8M0.
    """

    rows: int | None
    columns: int | None
    scale_bytes: int = 4

    def __post_init__(self) -> None:
        if self.scale_bytes not in (1, 4):
            raise ParameterError(f"scale_bytes must be 1 (E8M0) or 4 (FP32), not {self.scale_bytes}")
        for name, extent in (("rows", self.rows), ("columns", self.columns)):
            if extent is not None:
                at_least(1, **{name: extent})

    def tile(self, shape: tuple[int, int]) -> tuple[int, int]:
        """Give rows and columns of a tile of a tensor."""
        return self.rows or shape[0], self.columns or shape[1]

    def tiles(self, shape: tuple[int, int]) -> tuple[int, int]:
        """Give the tiles along rows and columns of a tensor; those at the edge may be smaller."""
        at_least(1, rows=shape[0], columns=shape[1])
        rows, columns = self.tile(shape)
        return ceil_div(shape[0], rows), ceil_div(shape[1], columns)


PER_TENSOR = Scaling(None, None)
TILE = Scaling(1, 128)
BLOCK = Scaling(128, 128)
MX_ROWS = Scaling(1, 32, scale_bytes=1)
MX_COLUMNS = Scaling(32, 1, scale_bytes=1)


def scale_bytes(shape: tuple[int, int], scaling: Scaling) -> int:
    """Give the bytes of a tensor's scales.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    scaling : Scaling

    Returns
    -------
    int
        Bytes: tiles times the bytes of a scale.
    """
    down, across = scaling.tiles(shape)
    return down * across * scaling.scale_bytes


def tensor_bytes(shape: tuple[int, int], *scalings: Scaling) -> int:
    """Give the bytes of a tensor in FP8 with its scales.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns.
    *scalings : Scaling
        One for each copy that is kept.

    Returns
    -------
    int
        Bytes, a byte an element and the scales, for each copy.

    Examples
    --------
    >>> [tensor_bytes((4096, 4096), scaling) - 4096 * 4096 for scaling in (PER_TENSOR, TILE, BLOCK, MX_ROWS)]
    [4, 524288, 4096, 524288]
    >>> tensor_bytes((4096, 4096), MX_ROWS, MX_COLUMNS) / 4096**2
    2.0625
    """
    if not scalings:
        raise ParameterError("scalings must name a copy at least")
    return sum(shape[0] * shape[1] + scale_bytes(shape, scaling) for scaling in scalings)


@dataclass(frozen=True, slots=True, eq=False)
class Quantised:
    """A tensor in FP8.

    Attributes
    ----------
    values : ndarray
        E4M3 (``ml_dtypes.float8_e4m3fn``), the tensor's shape.
    scales : ndarray
        One for each tile: FP32, or E8M0 (``ml_dtypes.float8_e8m0fnu``).
    scaling : Scaling
    """

    values: NDArray[Any]
    scales: NDArray[Any]
    scaling: Scaling

    @property
    def nbytes(self) -> int:
        """Bytes of values and scales."""
        return int(self.values.nbytes + self.scales.nbytes)


def quantise(x: ArrayLike, scaling: Scaling) -> Quantised:
    """Quantise a matrix tile by tile.

    Parameters
    ----------
    x : array_like
        Two axes, finite.
    scaling : Scaling

    Returns
    -------
    Quantised
        Values are rounded to nearest, ties to even, and clamped to ±448.  A tile of zeros has the scale 1.

    Raises
    ------
    ParameterError
        If `x` is not a matrix of finite numbers.

    Examples
    --------
    >>> dequantise(quantise([[1.0, 100.0, 448.0, -3.3]], PER_TENSOR))
    array([[  1.  ,  96.  , 448.  ,  -3.25]], dtype=float32)
    """
    import ml_dtypes
    import numpy as np

    matrix = np.asarray(x, np.float32)
    if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
        raise ParameterError("x must be a matrix of finite numbers")
    scales = _scales(_largest(matrix, scaling), scaling.scale_bytes)
    scaled = matrix / _spread(scales, matrix.shape, scaling)
    values = np.clip(scaled, -LARGEST, LARGEST).astype(ml_dtypes.float8_e4m3fn)
    return Quantised(values, scales, scaling)


def dequantise(quantised: Quantised) -> NDArray[np.float32]:
    """Give q s for every element.

    Parameters
    ----------
    quantised : Quantised

    Returns
    -------
    ndarray of float32
    """
    import numpy as np

    values = quantised.values.astype(np.float32)
    return values * _spread(quantised.scales, values.shape, quantised.scaling)


def _largest(matrix: NDArray[np.float32], scaling: Scaling) -> NDArray[np.float32]:
    """Largest magnitude of each tile."""
    import numpy as np

    rows, columns = scaling.tile(matrix.shape)
    down = np.maximum.reduceat(np.abs(matrix), np.arange(0, matrix.shape[0], rows), axis=0)
    return np.asarray(np.maximum.reduceat(down, np.arange(0, matrix.shape[1], columns), axis=1))


def _scales(largest: NDArray[np.float32], nbytes: int) -> NDArray[Any]:
    """Scale of each tile."""
    import ml_dtypes
    import numpy as np

    if nbytes == 4:
        least = np.finfo(np.float32).tiny  # a scale of zero would divide by zero
        return np.where(largest > 0, np.maximum(largest / np.float32(LARGEST), least), np.float32(1))
    _, above = np.frexp(largest)  # largest = m 2^above with 0.5 <= m < 1
    exponents = np.clip(above - 1 - LARGEST_EXPONENT, -127, 127)
    powers = np.ldexp(np.float32(1), np.where(largest > 0, exponents, 0))
    return np.asarray(powers.astype(ml_dtypes.float8_e8m0fnu))


def _spread(scales: NDArray[Any], shape: tuple[int, ...], scaling: Scaling) -> NDArray[np.float32]:
    """Scale of each element."""
    import numpy as np

    rows, columns = scaling.tile((shape[0], shape[1]))
    wide = scales.astype(np.float32).repeat(rows, axis=0).repeat(columns, axis=1)
    return np.asarray(wide[: shape[0], : shape[1]])
