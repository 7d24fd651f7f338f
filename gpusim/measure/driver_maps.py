"""Tensor maps as the driver of this machine encodes them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpusim.isa.tensor_map import ALIGNMENT, NBYTES, PROMOTIONS, SWIZZLES
from gpusim.measure.measurement_errors import DeviceError
from gpusim.simulate.tensor_maps import FILLS, TYPES

if TYPE_CHECKING:
    from gpusim.simulate.tensor_maps import TensorMap

LIBRARY = "libcuda.so.1"
KINDS = ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16")
"""Types of elements, as the driver numbers them.  Source: CUDA Driver API, ``CUtensorMapDataType``."""


def encoded(told: TensorMap, address: int) -> bytes:
    """Have the driver describe a tensor at an address, and a box of it.

    Parameters
    ----------
    told : TensorMap
    address : int
        Where the tensor lies on the device.

    Returns
    -------
    bytes
        128 of them: what a kernel's ``CUtensorMap`` parameter is.

    Raises
    ------
    DeviceError
        The driver has no such function, or refuses the map.
    """
    try:
        encode = ctypes.CDLL(LIBRARY).cuTensorMapEncodeTiled
    except (OSError, AttributeError):
        raise DeviceError(f"the driver ({LIBRARY}) cannot make tensor maps: CUDA 12 or later can") from None
    room = ctypes.create_string_buffer(NBYTES + ALIGNMENT)
    at = -(-ctypes.addressof(room) // ALIGNMENT) * ALIGNMENT
    status = encode(
        ctypes.c_void_p(at), KINDS.index(TYPES[told.array.dtype.name]), ctypes.c_uint32(told.array.ndim),
        ctypes.c_void_p(address), _numbers(ctypes.c_uint64, told.shape), _numbers(ctypes.c_uint64, told.strides or ()),
        _numbers(ctypes.c_uint32, told.box), _numbers(ctypes.c_uint32, told.element_strides or ()), 0,
        SWIZZLES[told.swizzle], PROMOTIONS.index(told.l2_promotion), FILLS.index(told.fill),
    )  # fmt: skip
    if status:
        raise DeviceError(f"the driver refuses a tensor map (cuTensorMapEncodeTiled: error {status})")
    return ctypes.string_at(at, NBYTES)


def _numbers(kind: type[ctypes.c_uint32 | ctypes.c_uint64], values: Sequence[int]) -> ctypes.Array[Any]:
    """Numbers of each dimension, the innermost first, as the driver has them."""
    return (kind * max(len(values), 1))(*reversed(values))
