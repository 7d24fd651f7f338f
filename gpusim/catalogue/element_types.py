"""One algorithm for several types of elements: made by one function of the type, named after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gpusim.lang.tree import DType

A = TypeVar("A")

TYPES = (DType.F32, DType.F16)


def each_type(make: Callable[[DType], A], types: tuple[DType, ...] = TYPES) -> tuple[A, ...]:
    """Make an algorithm or a chain for each type of elements.

    Parameters
    ----------
    make : callable
        Makes one for a type.
    types : tuple of DType
        fp32 and fp16 unless given.

    Returns
    -------
    tuple
        At a kernel file's top level all of them belong to the catalog.
    """
    return tuple(make(element) for element in types)


def named(base: str, element: DType) -> str:
    """Append the type of elements to a name, unless it is fp32.

    Examples
    --------
    >>> named("relu", DType.F32), named("relu", DType.F16)
    ('relu', 'relu-f16')
    """
    return base if element is DType.F32 else f"{base}-{element.value}"
