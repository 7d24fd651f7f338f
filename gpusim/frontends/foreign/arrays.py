"""Arrays of other packages in the host's memory, as NumPy's: by ``__array_interface__`` or by DLPack."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from gpusim.errors import ParameterError

HOST = 1
"""Kind of device of the host's memory.  Source: DLPack, ``kDLCPU`` of ``DLDeviceType``."""


def host_array(position: int, value: Any) -> Any:
    """An argument, as NumPy's array where it is an array of another package; the same memory.

    Parameters
    ----------
    position : int
        From 1 on.
    value : object

    Raises
    ------
    ParameterError
        An array on a GPU, or one that cannot be given.
    """
    if isinstance(value, np.ndarray | np.generic):
        return value
    if hasattr(value, "__array_interface__"):
        return np.asarray(value)
    if hasattr(type(value), "__cuda_array_interface__") and not hasattr(value, "__dlpack_device__"):
        raise ParameterError(f"argument {position} lies on a GPU: give it in the host's memory")
    return _by_dlpack(position, value) if hasattr(value, "__dlpack__") else value


def _by_dlpack(position: int, value: Any) -> np.ndarray:
    """An array that gives itself by DLPack, a tensor of PyTorch without its gradient."""
    kind, _ = value.__dlpack_device__()
    if int(kind) != HOST:
        raise ParameterError(f"argument {position} lies on a GPU: give it in the host's memory")
    value = value.detach() if hasattr(value, "detach") else value
    try:
        if str(getattr(value, "dtype", "")) == "torch.bfloat16":
            import torch

            return np.from_dlpack(value.view(torch.int16)).view(ml_dtypes.bfloat16)
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError) as error:
        raise ParameterError(f"argument {position} cannot be given as an array of NumPy: {error}") from None


def spanned(name: str, array: np.ndarray) -> np.ndarray:
    """All memory from an array's first element to its last, for a kernel that is told its strides.

    Parameters
    ----------
    name : str
        What messages call it.
    array : ndarray

    Raises
    ------
    ParameterError
        If it runs backwards.
    """
    if array.flags.c_contiguous:
        return array
    if min(array.strides, default=0) < 0:
        raise ParameterError(f"array {name} runs backwards in memory: pass a copy of it")
    first, end = np.lib.array_utils.byte_bounds(array)
    one = array[(slice(0, 1),) * array.ndim].reshape(1).view(np.uint8)
    return np.lib.stride_tricks.as_strided(one, (end - first,), (1,), writeable=array.flags.writeable)
