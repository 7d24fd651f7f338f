"""A text that tells a value from every other one that differs, the same in every process."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from pathlib import PurePath
from typing import Any

PLAIN = frozenset({bool, bytes, float, int, str, type(None)})
"""Types whose ``repr`` tells their values apart."""


class NoFingerprintError(Exception):
    """A value of a kind that nobody said how to tell apart, such as a function."""


def fingerprint(value: object) -> str:
    """Digest of a value and of all that is in it.

    Parameters
    ----------
    value : object
        Numbers, text, bytes, tuples, lists, mappings, sets, dataclasses, enumerations, paths, arrays, and such of such.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    NoFingerprintError
        Something else is among them.

    Examples
    --------
    >>> fingerprint((1, 2)) == fingerprint((1, 2)), fingerprint((1, 2)) == fingerprint((1.0, 2))
    (True, False)
    """
    return hashlib.sha256(told(value).encode("utf-8", "surrogatepass")).hexdigest()


def told(value: Any) -> str:
    """Text of a value; of an array a digest of its contents.

    Parameters
    ----------
    value : object

    Raises
    ------
    NoFingerprintError
        As :func:`fingerprint`.
    """
    kind = type(value)
    if kind in PLAIN:
        return repr(value)
    if isinstance(value, Enum):
        return f"{kind.__qualname__}.{value.name}"
    if isinstance(value, tuple | list):
        return f"{kind.__qualname__}({','.join(map(told, value))})"
    if is_dataclass(kind):
        return f"{kind.__qualname__}({','.join(map(told, _parts(kind)(value)))})"
    return _told_of_others(value)


def _told_of_others(value: Any) -> str:
    """Text of what is seldom met."""
    if isinstance(value, Mapping):
        return f"{{{','.join(f'{told(key)}:{told(item)}' for key, item in value.items())}}}"
    if isinstance(value, frozenset | set):
        return f"set({','.join(sorted(map(told, value)))})"
    if isinstance(value, PurePath):
        return f"path({str(value)!r})"
    return _told_of_numpy(value)


def _told_of_numpy(value: Any) -> str:
    import numpy as np

    if isinstance(value, np.generic):
        return f"{_type(value.dtype)}({value.tobytes()!r})"
    if not isinstance(value, np.ndarray) or value.dtype.hasobject:
        raise NoFingerprintError(type(value).__qualname__)
    repeated = tuple(not stride for stride in value.strides)
    one_each = value[tuple(slice(0, 1) if again else slice(None) for again in repeated)]
    digest = hashlib.sha256(np.ascontiguousarray(one_each).reshape(-1).view(np.uint8).data).hexdigest()
    return f"{_type(value.dtype)}({value.shape},{repeated},{digest})"


def _type(dtype: Any) -> str:
    """An element type: those of ml_dtypes have names alone, structured ones no other text."""
    return f"{dtype.str}/{dtype.name}/{dtype.descr if dtype.names else ''}"


@cache
def _parts(kind: type) -> Any:
    """What gives all fields of a dataclass."""
    names = [field.name for field in fields(kind)]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)
