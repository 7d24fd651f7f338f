"""PyTorch's ``cuda`` while a session is active: tensors in the host's memory that say they are on the GPU.

What a program puts on ``cuda`` is computed by PyTorch on the host, and marked.  What is computed of marked tensors is
marked, too.  A marked tensor gives ``cuda:0`` as its device, and the simulated address as its ``data_ptr()``.
"""

from __future__ import annotations

from collections.abc import Iterator, ValuesView
from typing import TYPE_CHECKING, Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors

from gpusim.triton.arrays import locate

if TYPE_CHECKING:
    from gpusim.triton.session import Session

CUDA = torch.device("cuda", 0)
CPU = torch.device("cpu")
UNMARKED = {"size", "stride", "numel", "dim", "element_size", "storage_offset", "is_contiguous", "untyped_storage"}
"""What asks a tensor about itself, and makes none."""

NARROW = (torch.float16, torch.bfloat16)
WIDENED = {
    "layer_norm", "rms_norm", "group_norm", "softmax", "log_softmax", "sum", "mean", "matmul", "__matmul__", "mm",
    "bmm", "addmm", "baddbmm", "linear", "scaled_dot_product_attention",
}  # fmt: skip
"""What PyTorch adds up in fp32 on a GPU where values have 16 bits, and in fewer bits on some hosts."""

SWEEP = 4096  # marks after which those of dead tensors are taken away


class Device(TorchFunctionMode):
    """Carries out on the host what a program does on ``cuda``.

    Parameters
    ----------
    session : Session
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._marks: dict[int, StorageWeakRef] = {}
        self._sweep_at = SWEEP

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """One call of PyTorch's."""
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name == "__get__":
            return self._attribute(func, func.__self__.__name__, args)
        if name in UNMARKED or func is torch.device:
            return func(*args, **kwargs)
        if name == "data_ptr":
            return self._address(args[0])
        if name == "get_device":
            return 0 if self.marked(args[0]) else func(*args)
        return self._carried_out(func, name, args, kwargs)

    def _attribute(self, func: Any, name: str, args: Any) -> Any:
        """An attribute of a tensor."""
        if name == "device":
            return CUDA if self.marked(args[0]) else func(*args)
        if name == "is_cuda":
            return self.marked(args[0])
        if name == "is_cpu":
            return not self.marked(args[0])
        found = func(*args)
        if isinstance(found, torch.Tensor) and self.marked(args[0]):
            self.mark(found)
        return found

    def _address(self, tensor: torch.Tensor) -> int:
        """Where a tensor lies; where a program reads that, its kernels may come to it by it."""
        if not tensor.numel() or not self.marked(tensor):
            return int(tensor.data_ptr())
        found, memory = locate(tensor), self._session.memory
        place = memory.place if self._session.specialising else memory.tell
        return place(found.owner, len(found.memory)).first + found.offset

    def _carried_out(self, func: Any, name: str, args: Any, kwargs: Any) -> Any:
        """What makes tensors, or changes them."""
        given = list(_tensors((args, kwargs.values())))
        self._session.uses(("torch", _key(one)) for one in given)
        asked = _device(args, kwargs, name)
        if asked is None and func in _device_constructors() and (default := _device_of_context()) is not None:
            asked, kwargs = default, {**kwargs, "device": default}
        if name == "to" and asked is None and len(given) > 1:
            asked = CUDA if self.marked(given[1]) else CPU
        if name in ("cuda", "cpu"):
            asked, func, args, kwargs = torch.device(name), torch.Tensor.to, (args[0], CPU), {}
        elif asked is not None and asked.type == CUDA.type:
            args, kwargs = _on_host(args, kwargs, name)
        kwargs.pop("pin_memory", None)
        marked = any(map(self.marked, given)) if asked is None else asked.type == CUDA.type
        narrow = name in WIDENED and marked and "dtype" not in kwargs and given and given[0].dtype in NARROW
        found = _widened(func, args, kwargs, given[0].dtype) if narrow else func(*args, **kwargs)
        if name in ("to", "cuda", "cpu") and found is given[0] and self.marked(found) != marked:
            found = found.clone()
        own = {_key(one) for one in given}
        for tensor in _tensors(found):
            if _key(tensor) not in own:
                self.mark(tensor, marked)
        return found

    def empty_strided(self, size: Any, stride: Any, dtype: Any) -> torch.Tensor:
        """A tensor as what PyTorch compiles makes it, past what others see of its calls."""
        found = torch.empty_strided(size, stride, dtype=dtype, device=CPU)
        self.mark(found)
        return found

    def marked(self, tensor: Any) -> bool:
        """Whether a tensor is on the GPU: as marked, or anything that takes part in a backward pass."""
        key = _key(tensor)
        found = self._marks.get(key)
        return (found is not None and not found.expired()) or torch._C._current_graph_task_id() >= 0

    def mark(self, tensor: Any, marked: bool = True) -> None:
        """Put a tensor on the GPU, or take it off."""
        key = _key(tensor)
        if not marked:
            self._marks.pop(key, None)
        elif key:
            self._marks[key] = StorageWeakRef(tensor.untyped_storage())
        if len(self._marks) > self._sweep_at:
            self._marks = {key: ref for key, ref in self._marks.items() if not ref.expired()}
            self._sweep_at = max(SWEEP, 2 * len(self._marks))


def _key(tensor: Any) -> int:
    """Which storage a tensor has; 0 where it has none."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (AttributeError, NotImplementedError, RuntimeError):
        return 0


def _tensors(values: Any) -> Iterator[Any]:
    """Tensors among values and in lists of them."""
    if isinstance(values, torch.Tensor):
        yield values
    elif isinstance(values, dict):
        yield from _tensors(values.values())
    elif isinstance(values, list | tuple | ValuesView):
        for value in values:
            yield from _tensors(value)


def _widened(func: Any, args: Any, kwargs: Any, dtype: torch.dtype) -> Any:
    """What a call gives with its values in fp32, rounded once."""

    def wide(value: Any) -> Any:
        return value.float() if isinstance(value, torch.Tensor) and value.dtype in NARROW else value

    found = func(*map(wide, args), **{key: wide(value) for key, value in kwargs.items()})
    return found.to(dtype) if isinstance(found, torch.Tensor) and found.dtype == torch.float32 else found


def _device_of_context() -> torch.device | None:
    """The device that is set for what names none."""
    from torch.utils import _device

    return _device.CURRENT_DEVICE


def _is_device(value: Any, name: str) -> bool:
    """Whether an argument names a device."""
    return isinstance(value, torch.device) or (name == "to" and isinstance(value, str))


def _device(args: Any, kwargs: Any, name: str) -> torch.device | None:
    """The device that a call names."""
    named = kwargs.get("device")
    if named is None:
        named = next((value for value in args[1:] if _is_device(value, name)), None)
    if named is None:
        return None
    return torch.device("cuda", named) if isinstance(named, int) else torch.device(named)


def _on_host(args: Any, kwargs: Any, name: str) -> tuple[Any, Any]:
    """Arguments with the host's memory in the place of the device."""
    args = (*args[:1], *(CPU if _is_device(value, name) else value for value in args[1:]))
    return args, {key: CPU if key == "device" else value for key, value in kwargs.items()}
