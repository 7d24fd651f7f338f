"""Tensor maps as arguments: an array, and the box of it that one copy moves, as the driver describes them to a GPU.

Source: NVIDIA, *CUDA Driver API*, ``cuTensorMapEncodeTiled``, for what may be; :mod:`gpusim.isa.tensor_map` for
where it lies.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpusim.errors import ParameterError, UnknownNameError, shown
from gpusim.isa import tensor_map as bits
from gpusim.isa.tensor_map import (
    MOST_BOX,
    MOST_DIMENSIONS,
    MOST_SIZE,
    MOST_STEP,
    MOST_STRIDE,
    PROMOTIONS,
    SWIZZLES,
    UNIT,
)

WORD, FULL = 4, 0xFFFFFFFF
FILLS = ("zeros", "nan")
TYPES = {
    "uint8": "u8", "int8": "u8", "bool": "u8", "float8_e4m3fn": "u8", "float8_e5m2": "u8", "uint16": "u16",
    "int16": "u16", "uint32": "u32", "int32": "s32", "uint64": "u64", "int64": "s64", "float16": "f16",
    "float32": "f32", "float64": "f64", "bfloat16": "bf16",
}  # fmt: skip
"""Types of elements by those of arrays; bytes and 16-bit integers have no sign there."""


@dataclass(frozen=True, eq=False)
class TensorMap:
    """A tensor in global memory and a box of it, for a kernel's ``__grid_constant__ const CUtensorMap`` parameter.

    Sizes and strides are in NumPy's order, the outermost dimension first; coordinates in a kernel begin with the
    innermost.

    Parameters
    ----------
    array : ndarray
        The tensor, of one to five dimensions, whose innermost elements are neighbours; a part of a larger array may be
        one.
    box : sequence of int
        Elements of a box along each dimension, 1 to 256.
    strides : sequence of int, optional
        Bytes from one element to the next along each dimension but the innermost; unless given, the array's.
    element_strides : sequence of int, optional
        Of how many elements a copy takes one, 1 to 8 along each dimension; the innermost is not looked at.
    swizzle : {None, 32, 64, 128}
        Bytes within which pieces of 16 bytes are mixed in shared memory, as address bits say.
    interleave : None
        Interleaved tensors are refused.
    fill : {"zeros", "nan"}
        What elements out of the tensor become in shared memory.
    l2_promotion : {0, 64, 128, 256}
        Bytes that L2 is to fetch at once; no count depends on it.

    Raises
    ------
    ParameterError
        What the driver would refuse.

    Examples
    --------
    >>> tensor = np.zeros((64, 128), np.float16)
    >>> TensorMap(tensor, box=(16, 64), swizzle=128).box_bytes
    2048
    >>> TensorMap(tensor, box=(16, 4))
    Traceback (most recent call last):
    gpusim.errors.ParameterError: tensor map: a row of the box has 8 bytes: a multiple of 16 is needed
    """

    array: np.ndarray
    box: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    element_strides: tuple[int, ...] | None = None
    swizzle: int | None = None
    interleave: Any = None
    fill: str = "zeros"
    l2_promotion: int = 0
    shape: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.array, np.ndarray) or not 1 <= self.array.ndim <= MOST_DIMENSIONS:
            raise _error(f"a tensor is a NumPy array of 1 to {MOST_DIMENSIONS} dimensions, not {_kind(self.array)}")
        if self.array.dtype.name not in TYPES:
            raise UnknownNameError("element type of a tensor map", self.array.dtype.name, TYPES)
        own = {"box": _whole("box", self.box), "shape": self.array.shape}
        own["strides"] = self.array.strides[:-1] if self.strides is None else _whole("strides", self.strides)
        steps = (1,) * self.array.ndim if self.element_strides is None else self.element_strides
        own["element_strides"] = _whole("element_strides", steps)
        for name, value in own.items():
            object.__setattr__(self, name, value)
        for problem in self._problems():
            raise _error(problem)

    @property
    def box_bytes(self) -> int:
        """Bytes of shared memory that a box takes, of which an mbarrier hears: those out of the tensor, too."""
        inner = self.box[-1]
        outer = (-(-n // step) for n, step in zip(self.box[:-1], self._steps[:-1], strict=True))
        return inner * math.prod(outer) * self.array.itemsize

    @property
    def passed_bytes(self) -> int:
        """Bytes of the parameter."""
        return bits.NBYTES

    @property
    def memory(self) -> np.ndarray:
        """All that lies between the tensor's first byte and its last, those in gaps between its elements included."""
        if self.array.flags.c_contiguous:
            return self.array
        first, end = np.lib.array_utils.byte_bounds(self.array)
        one = self.array[(slice(0, 1),) * self.array.ndim].reshape(1).view(np.uint8)
        return np.lib.stride_tricks.as_strided(one, (end - first,), (1,), writeable=self.array.flags.writeable)

    @property
    def _steps(self) -> tuple[int, ...]:
        return self.element_strides or (1,) * self.array.ndim

    @property
    def _own_strides(self) -> tuple[int, ...]:
        return self.strides or ()

    def _problems(self) -> Iterator[str]:
        """What the driver would refuse."""
        rank, size = self.array.ndim, self.array.itemsize
        if self.interleave is not None:
            yield "interleaved tensors are not simulated"
        for name, value, count in (
            ("box", self.box, rank), ("element_strides", self._steps, rank), ("strides", self._own_strides, rank - 1),
        ):  # fmt: skip
            if len(value) != count:
                yield f"{name} has {len(value)} numbers, the tensor {rank} dimensions: {count} are needed"
        if self.swizzle not in SWIZZLES:
            yield f"swizzle is {_either(SWIZZLES)}, not {shown(self.swizzle)}"
        if self.fill not in FILLS:
            yield f"fill is zeros or nan, not {shown(self.fill)}"
        if self.l2_promotion not in PROMOTIONS:
            yield f"l2_promotion is {_either(PROMOTIONS)}, not {shown(self.l2_promotion)}"
        if self.fill == "nan" and TYPES[self.array.dtype.name][0] not in "fb":
            yield f"NaN fills tensors of floats, not of {self.array.dtype}"
        if self.array.size and self.array.strides[-1] != size:
            yield f"elements of the innermost dimension are {self.array.strides[-1]} bytes apart, not neighbours"
        yield from self._out_of_range()
        row = self.box[-1] * size
        if row % UNIT:
            yield f"a row of the box has {row} bytes: a multiple of {UNIT} is needed"
        if self.swizzle is not None and row > self.swizzle:
            yield f"a row of the box has {row} bytes, more than are swizzled ({self.swizzle})"

    def _out_of_range(self) -> Iterator[str]:
        """Numbers that are too small or too large, or no multiples of what they must be."""
        for n in self.shape:
            if not 1 <= n <= MOST_SIZE:
                yield f"a dimension of the tensor has {n} elements: 1 to {MOST_SIZE} may be"
        for n in self.box:
            if not 1 <= n <= MOST_BOX:
                yield f"a dimension of the box has {n} elements: 1 to {MOST_BOX} may be"
        for n in self._steps:
            if not 1 <= n <= MOST_STEP:
                yield f"an element stride is {n}: 1 to {MOST_STEP} may be"
        for n in self._own_strides:
            if n % UNIT or not 0 <= n < MOST_STRIDE:
                yield f"a stride has {n} bytes: a multiple of {UNIT} below {MOST_STRIDE} is needed"

    def encode(self, address: int) -> bytes:
        """The 128 bytes, for a tensor at an address.

        Parameters
        ----------
        address : int
            A multiple of 16.

        Raises
        ------
        ParameterError
            An address that is none.
        """
        if address % UNIT:
            raise _error(f"the tensor's address {address:#x} is no multiple of {UNIT}")
        words = [0] * (bits.NBYTES // WORD)
        words[:2] = struct.unpack("<2I", struct.pack("<Q", address))
        kind = bits.NAMES.index(TYPES[self.array.dtype.name])
        words[bits.TYPE_WORD] = (
            (self.array.ndim - 1) << bits.RANK_AT | kind << bits.TYPE_AT
            | SWIZZLES[self.swizzle] << bits.SWIZZLE_AT | (self.fill == "nan") << bits.FILL_AT
        )  # fmt: skip
        for k, stride in enumerate(reversed(self._own_strides)):
            words[bits.STRIDE_WORD + k] = stride >> bits.STRIDE_SHIFT & FULL
            words[bits.HIGH_WORD] |= (stride >> bits.STRIDE_SHIFT >> 32) << bits.HIGH_BITS * k
        box = 0
        for k, (n, step, size) in enumerate(
            zip(reversed(self.box), reversed(self._steps), self.shape[::-1], strict=True)
        ):
            words[bits.SIZE_WORD + k] = size - 1
            words[bits.STEP_WORD] |= (step - 1) << bits.STEP_BITS * k
            box |= (n - 1) << bits.BOX_AT + bits.BOX_BITS * k
        words[bits.BOX_WORD] |= box & FULL
        words[bits.BOX_WORD + 1] |= box >> 32
        return struct.pack(f"<{len(words)}I", *words)


def _whole(name: str, value: Any) -> tuple[int, ...]:
    """Whole numbers, one a dimension."""
    several = isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes)
    numbers = list(value) if several else [value]
    if not all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in numbers):
        raise _error(f"{name} is a whole number for each dimension, not {shown(value)}")
    return tuple(int(n) for n in numbers)


def _either(choices: Iterable[object]) -> str:
    """Choices as a sentence names them."""
    *most, last = map(str, choices)
    return f"{', '.join(most)} or {last}"


def _kind(value: Any) -> str:
    return f"one of {value.ndim}" if isinstance(value, np.ndarray) else type(value).__name__


def _error(problem: str) -> ParameterError:
    return ParameterError(f"tensor map: {problem}")
