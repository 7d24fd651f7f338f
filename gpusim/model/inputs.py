"""What the models are given, checked: a GPU by name, a number above zero, the bytes of a type."""

from __future__ import annotations

import math

from gpusim import hardware
from gpusim.errors import ParameterError, UnknownNameError, shown

BYTES = {
    "fp64": 8,
    "fp32": 4,
    "tf32": 4,
    "bf16": 2,
    "fp16": 2,
    "fp8": 1,
    "int8": 1,
    "fp4": 0.5,
}
"""Bytes of an element in memory, by type (TF32 is a way to multiply: in memory it is FP32)."""


def gpu_of(gpu: hardware.Gpu | str) -> hardware.Gpu:
    """Give the specification of a GPU that is named, or is one already."""
    return hardware.load(gpu) if isinstance(gpu, str) else gpu


def bytes_of(dtype: str) -> float:
    """Give the bytes of an element.

    Parameters
    ----------
    dtype : str
        One of :data:`BYTES`.

    Returns
    -------
    float
        Bytes.

    Raises
    ------
    UnknownNameError
        If there is no such type.
    """
    if dtype not in BYTES:
        raise UnknownNameError("type", dtype, BYTES)
    return BYTES[dtype]


def at_least(least: float, **given: float) -> None:
    """Refuse numbers below `least`, infinite ones and NaN.

    Raises
    ------
    ParameterError
        Names the first such number.
    """
    for name, value in given.items():
        if not (math.isfinite(value) and value >= least):
            raise ParameterError(f"{name} must be {least} or more, not {shown(value)}")


def above_zero(**given: float) -> None:
    """Refuse numbers that are not above zero, infinite ones and NaN.

    Raises
    ------
    ParameterError
        Names the first such number.
    """
    for name, value in given.items():
        if not (math.isfinite(value) and value > 0):
            raise ParameterError(f"{name} must be above 0, not {shown(value)}")
