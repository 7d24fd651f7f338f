"""From what a program calls a kernel of Triton's with to the parameters that its machine code has.

Source: Triton 3.9, ``triton/backends/nvidia/driver.py`` and ``triton/backends/driver.py``: constants are no parameters,
tuples are their members, a tensor descriptor is a tensor map with its shape and strides, or a pointer and what it says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from gpusim.errors import GpusimError, ParameterError
from gpusim.frontends.addresses import Memory, Places
from gpusim.simulate.tensor_maps import TensorMap
from gpusim.triton.arrays import locate, numpy_type

CONSTANT = "constexpr"
NUMBERS = {
    "i1": np.int8, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u1": np.uint8, "u8": np.uint8,
    "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "fp16": np.float16, "bf16": ml_dtypes.bfloat16,
    "fp32": np.float32, "f32": np.float32, "fp64": np.float64,
}  # fmt: skip
"""Types of numbers by their names in Triton."""

SWIZZLES = (None, 32, 64, 128)
"""Bytes within which pieces are mixed, by the number that Triton notes."""

TF32 = "it rounds fp32 to tf32 as it copies, which is not simulated"


class Passed(NamedTuple):
    """A parameter of machine code.

    Attributes
    ----------
    name : str
    value : ndarray, TensorMap, NumPy scalar or None
    address : int or None
        Of what it points to.
    owner : tuple or None
        Key of the allocation in which that lies.
    before : ndarray or None
        What of the allocation lies before it.
    """

    name: str
    value: Any
    address: int | None = None
    owner: tuple[str, int] | None = None
    before: np.ndarray | None = None


def passed(
    signature: Mapping[str, Any], maps: Sequence[Mapping[str, Any]] | None, values: Sequence[Any], memory: Memory
) -> list[Passed]:
    """Parameters, in order, without those that Triton adds.

    Parameters
    ----------
    signature : mapping of str to str or tuple
        Type of each argument, ``"constexpr"`` for constants.
    maps : sequence of mapping, optional
        What is noted of each tensor descriptor that becomes a tensor map.
    values : sequence
        An argument each, or each but constants.
    memory : Memory
        Where arrays lie.
    """
    if len(values) != len(signature):
        signature = {name: kind for name, kind in signature.items() if kind != CONSTANT}
    noted = iter(maps or ())
    found: list[Passed] = []
    for (name, kind), value in zip(signature.items(), values, strict=True):
        found.extend(_flat(name, kind, value, noted, memory))
    return found


def _flat(name: str, kind: Any, value: Any, noted: Iterator[Mapping[str, Any]], memory: Memory) -> Iterator[Passed]:
    """Parameters of one argument."""
    if isinstance(kind, tuple | list):
        for position, (part, own) in enumerate(zip(value, kind, strict=True)):
            yield from _flat(f"{name}.{position}", own, part, noted, memory)
    elif kind == CONSTANT:
        return
    elif kind.startswith("tensordesc"):
        yield from _descriptor(name, value, next(noted, None), memory)
    elif kind.startswith("*"):
        yield pointer(name, value, memory)
    else:
        yield Passed(name, number(name, kind, value))


def pointer(name: str, value: Any, memory: Memory) -> Passed:
    """A pointer: to an array, to no memory, or an address that a program was told.

    Parameters
    ----------
    name : str
    value : Tensor, Array, int or None
    memory : Memory
    """
    if value is None:
        return Passed(name, None)
    if isinstance(value, int):
        return Passed(name, np.uint64(value))
    found = locate(value)
    first = memory.place(found.owner, len(found.memory)).first
    if found.offset == len(found.memory):
        return Passed(name, np.uint64(first + found.offset))
    before = found.memory[: found.offset] if found.offset else None
    return Passed(name, found.memory[found.offset :], first + found.offset, found.owner.key, before)


def number(name: str, kind: str, value: Any) -> Any:
    """A number of its type.

    Parameters
    ----------
    name, kind : str
    value : int or float
    """
    try:
        if kind == "i1":
            return np.int8(bool(value))
        with np.errstate(over="ignore"):
            return NUMBERS[kind](value)
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise ParameterError(f"argument {name} of type {kind} cannot be {value!r}: {error}") from None


def _descriptor(name: str, value: Any, noted: Mapping[str, Any] | None, memory: Memory) -> Iterator[Passed]:
    """A tensor descriptor that the host makes: the tensor map, or the pointer and what it says; shape and strides."""
    if noted is None:
        yield pointer(name, value.base, memory)
        yield from _numbers(name, "shape", "i64", value.shape)
        yield from _numbers(name, "stride", "i64", value.strides)
        yield Passed(f"{name}.nan", np.int8(value.padding == "nan"))
        yield Passed(f"{name}.tf32", np.int8(getattr(value, "round_f32_to_tf32", False)))
    else:
        yield _map(name, value, noted, memory)
    yield from _numbers(name, "size", "i32", value.shape)
    yield from _numbers(name, "step", "i64", value.strides)


def _numbers(name: str, what: str, kind: str, values: Iterable[int]) -> Iterator[Passed]:
    for position, value in enumerate(values):
        yield Passed(f"{name}.{what}{position}", number(name, kind, value))


def _map(name: str, value: Any, noted: Mapping[str, Any], memory: Memory) -> Passed:
    """A tensor map of a descriptor."""
    for word, why in {"fp4_padded": "fp4 is not simulated", "is_im2col": "im2col is not simulated"}.items():
        if noted.get(word):
            raise ParameterError(f"tensor descriptor {name}: {why}")
    if getattr(value, "round_f32_to_tf32", False):
        raise ParameterError(f"tensor descriptor {name}: {TF32}")
    found, dtype = locate(value.base), numpy_type(value.base)
    first = memory.place(found.owner, len(found.memory)).first
    strides = [step * dtype.itemsize for step in value.strides]
    reach = 1 + sum((size - 1) * step for size, step in zip(value.shape, value.strides, strict=True))
    inside = found.memory[found.offset :][: reach * dtype.itemsize]
    if len(inside) < reach * dtype.itemsize:
        raise ParameterError(f"tensor descriptor {name}: shape and strides reach beyond the memory of its tensor")
    tensor = np.lib.stride_tricks.as_strided(inside.view(dtype), tuple(value.shape), strides)
    fill = "nan" if value.padding == "nan" else "zeros"
    try:
        described = TensorMap(tensor, tuple(noted["block_size"]), swizzle=SWIZZLES[noted["swizzle"]], fill=fill)
    except GpusimError as error:
        raise ParameterError(f"tensor descriptor {name}: {error}") from None
    return Passed(name, described, first + found.offset, found.owner.key)


def places(parameters: Sequence[Passed], memory: Memory) -> Places:
    """Where arrays of a launch lie, and what else lies in memory that its kernel may come to.

    Parameters
    ----------
    parameters : sequence of Passed
    memory : Memory
    """
    besides: dict[str, tuple[int, np.ndarray]] = {}
    whole = {one.owner for one in parameters if one.owner is not None and isinstance(one.value, np.ndarray)}
    for one in parameters:
        if one.before is not None and one.address is not None:
            besides[f"before {one.name}"] = one.address - len(one.before), one.before
    for allocation, held in memory.told():
        if allocation.owner.key not in whole and allocation.nbytes:
            besides[f"memory at {allocation.first:#x}"] = allocation.first, held
    return Places([one.address for one in parameters], besides)
