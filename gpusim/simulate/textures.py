"""Textures as arguments: an array, and how it is read.

Source: CUDA C++ Programming Guide 13, "Texture Memory"; CUDA Runtime API, ``cudaTextureDesc``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gpusim.engine.state import columns as S
from gpusim.errors import ParameterError, UnknownNameError, shown

HANDLE_BYTES = 8
KINDS = {
    "float32": S.TEXTURE_F32, "float16": S.TEXTURE_F16, "int8": S.TEXTURE_S8, "uint8": S.TEXTURE_U8,
    "int16": S.TEXTURE_S16, "uint16": S.TEXTURE_U16, "int32": S.TEXTURE_S32, "uint32": S.TEXTURE_U32,
}  # fmt: skip
"""Types of channels by those of arrays."""
FLOATS, SHARES = ("float32", "float16"), ("int8", "uint8", "int16", "uint16")
FILTERS = ("point", "linear")
READINGS = ("element", "normalized")
MODES = {
    "wrap": S.TEXTURE_WRAP, "clamp": S.TEXTURE_CLAMP, "mirror": S.TEXTURE_MIRROR, "border": S.TEXTURE_BORDER,
}  # fmt: skip
OF_SHARES = ("wrap", "mirror")
CHANNELS = (1, 2, 4)
MOST_TEXELS = 1 << 27
"""Of a dimension.  Source: CUDA C++ Programming Guide 13, technical specifications, textures of linear memory."""
FULL = 0xFFFFFFFF


class Sampling(NamedTuple):
    """How texels are read: as :class:`Texture` says it, ``modes`` along x and y."""

    channels: int
    filter: str
    modes: tuple[str, str]
    normalized: bool
    read: str
    border: Sequence[float]


@dataclass(frozen=True, eq=False)
class Texture:
    """An array that a kernel reads by a ``cudaTextureObject_t`` parameter.

    Rows lie one after another, as in ``cudaResourceTypePitch2D`` and ``cudaResourceTypeLinear``.  How a CUDA array lies
    in memory is not known: its sectors are counted as of such rows.

    Parameters
    ----------
    array : ndarray
        Of shape (width) or (height, width), with another dimension for channels where there are several.  Of elements
        float32, float16, or integers of 8 to 32 bits.
    channels : {1, 2, 4}
        Of a texel.
    filter : {"point", "linear"}
        Whether the nearest texel is read, or what lies between the nearest ones.  Weights have 8 bits; the last bits of
        a sum may not be a GPU's.
    address : {"clamp", "border", "wrap", "mirror"} or a pair of them
        What is read beyond the array: along x and y, where these differ.  ``wrap`` and ``mirror`` are for coordinates
        that are normalised.
    normalized : bool
        Whether coordinates are from 0 to 1.
    read : {"element", "normalized"}
        Whether integers are read as they are, or as floats from 0 (or -1) to 1.
    border : sequence of float
        What ``border`` reads, a number for each channel.

    Raises
    ------
    ParameterError
        What CUDA would refuse.

    Examples
    --------
    >>> Texture(np.zeros((16, 32), np.float32), filter="linear", address="clamp").size
    (32, 16)
    >>> Texture(np.zeros(8, np.int32), filter="linear")
    Traceback (most recent call last):
    gpusim.errors.ParameterError: texture: linear filters floats, not int32 read as elements
    """

    array: np.ndarray
    channels: int = 1
    filter: str = "point"
    address: str | tuple[str, str] = "clamp"
    normalized: bool = False
    read: str = "element"
    border: Sequence[float] = (0, 0, 0, 0)
    size: tuple[int, int] = field(init=False)
    """Texels along x and y; 0 along y where it has one dimension."""

    def __post_init__(self) -> None:
        if not isinstance(self.array, np.ndarray):
            raise _error(f"an array is needed, not {type(self.array).__name__}")
        if self.array.dtype.name not in KINDS:
            raise UnknownNameError("element type of a texture", self.array.dtype.name, KINDS)
        for problem in self._problems():
            raise _error(problem)
        height, width = (0, *self.array.shape[: self._dimensions])[-2:]
        object.__setattr__(self, "size", (width, height))

    @property
    def memory(self) -> np.ndarray:
        """The array."""
        return self.array

    @property
    def passed_bytes(self) -> int:
        """Bytes of the parameter."""
        return HANDLE_BYTES

    @property
    def modes(self) -> tuple[str, str]:
        """What is read beyond the array, along x and y."""
        return (self.address, self.address) if isinstance(self.address, str) else self.address

    @property
    def _dimensions(self) -> int:
        return self.array.ndim - (self.channels > 1)

    def _problems(self) -> Iterator[str]:
        """What CUDA would refuse."""
        name = self.array.dtype.name
        if self.channels not in CHANNELS:
            yield f"channels is 1, 2 or 4, not {shown(self.channels)}"
        if self._dimensions not in (1, 2):
            yield f"an array of {self._dimensions} dimensions without channels: 1 or 2 are needed"
        if self.channels > 1 and self.array.shape[-1] != self.channels:
            yield f"the last dimension of the array has {self.array.shape[-1]} elements, not {self.channels} channels"
        if not self.array.flags.c_contiguous or not self.array.size:
            yield "the array is empty, or its elements are no neighbours: give a copy of it"
        if max(self.array.shape) > MOST_TEXELS:
            yield f"a dimension of {max(self.array.shape)} texels: there are {MOST_TEXELS} at most"
        if self.filter not in FILTERS:
            yield f"filter is point or linear, not {shown(self.filter)}"
        if self.read not in READINGS:
            yield f"read is element or normalized, not {shown(self.read)}"
        if self.read == "normalized" and name not in SHARES:
            yield f"integers of 8 or 16 bits are read as normalized, not {name}"
        if self.filter == "linear" and name not in FLOATS and self.read != "normalized":
            yield f"linear filters floats, not {name} read as elements"
        if len(self.modes) != 2 or any(mode not in MODES for mode in self.modes):
            yield f"address is {', '.join(MODES)}, or a pair of these, not {shown(self.address)}"
        if not self.normalized and any(mode in OF_SHARES for mode in self.modes):
            yield "wrap and mirror are for coordinates that are normalized"
        if len(self.border) > max(CHANNELS):
            yield f"border has {len(self.border)} numbers: {max(CHANNELS)} at most"

    def row(self, address: int) -> list[int]:
        """What the engine is told of it, at an address of memory."""
        pitch = self.size[0] * self.array.itemsize * self.channels
        how = Sampling(self.channels, self.filter, self.modes, self.normalized, self.read, self.border)
        return row_of(address, self.size, pitch, self.array.dtype.name, how)


def row_of(address: int, size: tuple[int, int], pitch: int, dtype: str, how: Sampling, tiles: int = 0) -> list[int]:
    """What the engine is told of a texture.

    Parameters
    ----------
    address : int
        Of its first texel.
    size : (int, int)
        Texels along x and y; 0 along y where it has one dimension.
    pitch : int
        Bytes from one row to the next.
    dtype : str
        Of a channel, as NumPy names it.
    how : Sampling
    tiles : int
        Bytes of a row of tiles, as CUDA arrays of two dimensions lie in them; 0: rows lie one after another.
    """
    texel = np.dtype(dtype).itemsize * how.channels
    whole = dtype not in FLOATS and how.read == "element"
    colour = [*how.border, *(0,) * (max(CHANNELS) - len(how.border))]
    bits = [int(n) & FULL if whole else int(np.float32(n).view(np.uint32)) for n in colour]
    mode_x, mode_y = (MODES[mode] for mode in how.modes)
    return [
        address, *size, pitch, texel, how.channels, KINDS[dtype],
        how.normalized, how.filter == "linear", how.read == "normalized", mode_x, mode_y, tiles, *bits,
    ]  # fmt: skip


def table(rows: Sequence[Sequence[int]]) -> np.ndarray:
    """Textures as the engine has them, by what :func:`row_of` tells of each.

    Returns
    -------
    int64 array, shape (1 + textures, N_TEXTURE)
        The first row is none: handles count from 1 on.
    """
    found = np.zeros((1 + len(rows), S.N_TEXTURE), np.int64)
    for number, row in enumerate(rows, 1):
        found[number, : len(row)] = row
    return found


def _error(problem: str) -> ParameterError:
    return ParameterError(f"texture: {problem}")
