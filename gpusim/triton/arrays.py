"""What a program hands to a kernel as an array: tensors of PyTorch, NumPy's arrays, what gives itself as either."""

from __future__ import annotations

import sys
from typing import Any

import ml_dtypes  # noqa: F401 (NumPy knows its types by name from then on)
import numpy as np

from gpusim.errors import ParameterError, shown
from gpusim.frontends.addresses import Located, Memory, raw_bytes
from gpusim.frontends.addresses import locate as of_numpy
from gpusim.frontends.foreign.arrays import host_array


class OfStorage:
    """The storage behind tensors of PyTorch."""

    def __init__(self, storage: Any) -> None:
        from torch.multiprocessing.reductions import StorageWeakRef

        self._storage = StorageWeakRef(storage)
        self.key = "torch", self._storage.cdata

    def bytes(self) -> np.ndarray | None:
        """All of it; None where it lives no more."""
        import torch

        if self._storage.expired():
            return None
        return _of_storage(torch.UntypedStorage._new_with_weak_ptr(self._storage.cdata))


def _of_storage(storage: Any) -> np.ndarray:
    return raw_bytes(storage.data_ptr(), storage.nbytes(), storage)


class Array:
    """A NumPy array as Triton takes one.

    Attributes
    ----------
    array : ndarray
    dtype : numpy.dtype
    """

    def __init__(self, array: np.ndarray, memory: Memory) -> None:
        self.array, self.dtype = array, array.dtype
        self.shape = array.shape
        self._memory = memory

    def data_ptr(self) -> int:
        """Its address."""
        found = locate(self.array)
        return self._memory.place(found.owner, len(found.memory)).first + found.offset

    def stride(self) -> tuple[int, ...]:
        """Elements from one to the next along each dimension."""
        return tuple(step // self.array.itemsize for step in self.array.strides)


def taken(position: int, value: Any, memory: Memory) -> Any:
    """An argument as Triton takes it: arrays that it does not know in a wrapper.

    Parameters
    ----------
    position : int
        From 1 on.
    value : object
    memory : Memory
        Where they lie.
    """
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(taken(position, one, memory) for one in value)
    if hasattr(value, "data_ptr") or isinstance(value, int | float | str | np.generic) or value is None:
        return value
    found = host_array(position, value)
    return Array(found, memory) if isinstance(found, np.ndarray) else value


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor of PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def locate(value: Any) -> Located:
    """Find an array in the host's memory.

    Parameters
    ----------
    value : Tensor, ndarray, Array, or what is around one of these as ``base``

    Raises
    ------
    ParameterError
        If it is none of these.
    """
    if isinstance(value, Array):
        value = value.array
    if is_tensor(value):
        storage = value.untyped_storage()
        return Located(OfStorage(storage), _of_storage(storage), value.storage_offset() * value.element_size())
    if isinstance(value, np.ndarray):
        return of_numpy(value)
    if hasattr(value, "base"):  # triton.runtime.jit.TensorWrapper
        return locate(value.base)
    raise ParameterError(f"a tensor or an array is an argument of a kernel of Triton's, not {shown(value)}")


def numpy_type(value: Any) -> np.dtype:
    """Type of an array's elements, NumPy's or that of ml_dtypes."""
    return np.dtype(str(value.dtype).removeprefix("torch."))
