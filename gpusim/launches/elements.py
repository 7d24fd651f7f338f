"""Elements of arrays and numbers: their types, ways to fill arrays, and numbers as text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from gpusim.errors import GpusimError, UnknownNameError, shown
from gpusim.expressions import ExpressionError, evaluate

if TYPE_CHECKING:
    import numpy as np

DTYPES = (
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float32", "float64", "bool",
)  # fmt: skip
Number = int | float
MAX_BYTES = 1 << 46  # of an array: a launch has no more addresses


class ArgumentError(GpusimError):
    """A kernel argument that cannot be understood, or does not fit the kernel."""


UNWRITTEN = "empty"
"""Fill of an array that nobody has written: zeros, of which checks say so where they are read."""

Fill = Callable[["np.random.Generator", int, int, str], "np.ndarray"]


def _randint(rng: np.random.Generator, first: int, count: int, bound: str) -> np.ndarray:
    import numpy as np

    return rng.integers(0, int(bound), count, np.int64 if int(bound) <= 1 << 63 else np.uint64)


def _constant(value: float) -> Fill:
    def fill(rng: np.random.Generator, first: int, count: int, rest: str) -> np.ndarray:
        import numpy as np

        return np.full(count, value, np.float32)

    return fill


def _arange(rng: np.random.Generator, first: int, count: int, rest: str) -> np.ndarray:
    import numpy as np

    return np.arange(first, first + count)


FILLS: dict[str, Fill] = {
    "zeros": _constant(0),
    UNWRITTEN: _constant(0),
    "ones": _constant(1),
    "inf": _constant(float("inf")),
    "-inf": _constant(float("-inf")),
    "normal": lambda rng, first, count, rest: rng.standard_normal(count),
    "uniform": lambda rng, first, count, rest: rng.random(count),
    "arange": _arange,
    "randint": _randint,
}
"""Ways to fill ``count`` elements of an array from the ``first`` on. ``randint:K`` draws integers in [0, K), ``normal``
from a standard normal."""
OF_FLOATS = ("normal", "uniform")


def numpy_dtype(name: str) -> np.dtype:
    """The NumPy type of an element type's name; bf16 and fp8 come from ml_dtypes.

    Raises
    ------
    UnknownNameError
        A type that there is not.
    """
    import ml_dtypes
    import numpy as np

    if name not in DTYPES:
        raise UnknownNameError("element type", name, DTYPES)
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def cast(dtype: str, value: int | float) -> np.generic:
    """``value`` as a NumPy scalar, refused where it does not fit."""
    import numpy as np

    kind = numpy_dtype(dtype)
    with np.errstate(over="ignore"):
        if not (_is_whole_number_of if is_whole(kind) else _is_kept)(value, kind):
            least, most = (str(n) if isinstance(n, int) else f"{n:.6g}" for n in _limits(kind))
            raise ArgumentError(f"{shown(value)} is no {dtype} ({least} to {most})")
        scalar: np.generic = kind.type((int if is_whole(kind) else float)(value))
    return scalar


def is_whole(kind: np.dtype) -> bool:
    """Whether a type is one of integers or bool."""
    return kind.kind in "iub"


def _is_whole_number_of(value: int | float, kind: np.dtype) -> bool:
    least, most = _limits(kind)
    return least <= value <= most and value == int(value)


def _is_kept(value: int | float, kind: np.dtype) -> bool:
    """Whether a number stays finite, infinite or none at all as an element of a type of floats."""
    try:
        given = float(value)
        kept = float(kind.type(given))
    except OverflowError:  # an integer beyond all floats
        return False
    return (math.isfinite(given), math.isnan(given)) == (math.isfinite(kept), math.isnan(kept))


def _limits(kind: np.dtype) -> tuple[int, int] | tuple[float, float]:
    """The least and the greatest finite number of a type."""
    import ml_dtypes
    import numpy as np

    if kind.kind == "b":
        return 0, 1
    if is_whole(kind):
        whole = np.iinfo(kind)
        return int(whole.min), int(whole.max)
    real = ml_dtypes.finfo(kind)  # type: ignore[no-untyped-call]
    return float(real.min), float(real.max)


def demand_known(dtype: str, where: str) -> None:
    """Refuse an element type that there is not."""
    if dtype not in DTYPES:
        raise UnknownNameError(f"element type in {where}", dtype, DTYPES)


def plain_number(text: str, where: str) -> Number:
    """A number as it is written, no expression."""
    for kind in (int, float):
        try:
            found = kind(text)
        except ValueError:
            continue
        if isinstance(found, int) or math.isfinite(found) or text.strip().lower().lstrip("+-")[:3] in ("inf", "nan"):
            return found
        raise ArgumentError(f"{where}: {shown(text)} is larger than any number")
    raise ArgumentError(f"{where}: {shown(text)} is no number")


def number(text: str, where: str, known: Mapping[str, Number]) -> Number:
    """A number, or the value of an expression.

    Parameters
    ----------
    text, where : str
    known : mapping of str to int or float
        What names in it mean.

    Raises
    ------
    ArgumentError
    """
    try:
        return plain_number(text, where)
    except ArgumentError as error:
        if not known and not re.search(r"[-+*/%(<>]", text.strip().lstrip("+-")):
            raise
        plain = error
    try:
        return evaluate(text, known)
    except ExpressionError as error:
        raise (plain if text.isidentifier() and not known else ArgumentError(f"{where}: {error}")) from None


def whole_number(text: str, where: str, known: Mapping[str, Number]) -> int:
    """The same of a number of elements, which is whole: 4096.0 is, too."""
    found = number(text, where, known)
    if isinstance(found, float) and not found.is_integer():
        raise ArgumentError(f"{where}: the number of elements must be a positive integer, not {shown(found)}")
    return int(found)
