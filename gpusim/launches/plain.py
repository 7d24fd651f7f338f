"""Arguments that are a number, an array, or bytes as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.errors import UnknownNameError, shown
from gpusim.host_memory import enough_memory, in_parts
from gpusim.launches.elements import (
    FILLS,
    MAX_BYTES,
    OF_FLOATS,
    UNWRITTEN,
    ArgumentError,
    Number,
    cast,
    demand_known,
    is_whole,
    numpy_dtype,
)

if TYPE_CHECKING:
    import numpy as np

RAW = "bytes"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number passed by value."""

    dtype: str
    value: int | float

    def make(self, rng: np.random.Generator) -> np.generic:
        """The number as a NumPy scalar."""
        return cast(self.dtype, self.value)

    def to_json(self) -> dict[str, Any]:
        """The argument as a launch file has it."""
        return {self.dtype: self.value}

    def __str__(self) -> str:
        return f"{self.dtype}:{self.value}"


@dataclass(frozen=True, slots=True)
class Filled:
    """An array of its own, ``count`` elements, filled by ``init``."""

    dtype: str
    init: str
    count: int

    def make(self, rng: np.random.Generator) -> np.ndarray:
        """The array; ``rng`` draws what is random.

        Raises
        ------
        NotEnoughMemoryError
        """
        import numpy as np

        name, _, rest = self.init.partition(":")
        dtype = numpy_dtype(self.dtype)
        with enough_memory(self.count * dtype.itemsize):
            found = np.zeros(self.count, dtype)
        for part in in_parts(0 if name in ("zeros", UNWRITTEN) else self.count):
            found[part] = FILLS[name](rng, part.start, part.stop - part.start, rest).astype(dtype)
        return found

    def blank(self) -> np.ndarray:
        """Zeros that cannot be written to and take no memory, for where only type and size matter."""
        import numpy as np

        return np.broadcast_to(np.zeros(1, numpy_dtype(self.dtype)), self.count)

    def to_json(self) -> dict[str, Any]:
        """The argument as a launch file has it."""
        return {"buffer": self.dtype, "count": self.count, "init": self.init}

    def __str__(self) -> str:
        return f"{self.dtype}:{self.init}:{self.count}"


@dataclass(frozen=True, slots=True)
class Given:
    """An array whose elements are told one by one."""

    dtype: str
    values: tuple[int | float, ...]

    def make(self, rng: np.random.Generator) -> np.ndarray:
        """The array."""
        import numpy as np

        return np.array(self.values, numpy_dtype(self.dtype))

    def to_json(self) -> dict[str, Any]:
        """The argument as a launch file has it."""
        return {"buffer": self.dtype, "values": list(self.values)}


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes passed as they are: a struct by value, a pointer that is null."""

    data: bytes

    def make(self, rng: np.random.Generator) -> bytes:
        """The bytes."""
        return self.data

    def to_json(self) -> dict[str, Any]:
        """The argument as a launch file has it."""
        return {RAW: self.data.hex()}

    def __str__(self) -> str:
        return f"{RAW}:{self.data.hex()}"


def _largest(filled: Filled) -> int | float:
    """The number of greatest magnitude that an array may hold whose fill is not one of floats."""
    name, _, bound = filled.init.partition(":")
    known = {"randint": int(bound or 1) - 1, "arange": filled.count - 1, "zeros": 0, UNWRITTEN: 0, "ones": 1}
    return known[name] if name in known else float(name)


def filled(dtype: str, init: str, count: Any, where: str) -> Filled:
    """An array that is filled, if its type, its fill and its size go together."""
    demand_known(dtype, where)
    name, colon, rest = init.partition(":")
    if name not in FILLS:
        raise UnknownNameError(f"way to fill an array in {where}", name, FILLS)
    if (name == "randint") != bool(colon) or (colon and not _is_bound(rest)):
        raise ArgumentError(
            f"{where}: init is {', '.join(k for k in FILLS if k != 'randint')} or randint:K with K > 0, at most 2**64"
        )
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ArgumentError(f"{where}: the number of elements must be a positive integer, not {shown(count)}")
    if count * numpy_dtype(dtype).itemsize > MAX_BYTES:
        raise ArgumentError(f"{where}: {count} elements of {dtype} are more than {MAX_BYTES >> 40} TiB")
    found = Filled(dtype, init, count)
    _check_fill(found, where)
    return found


def _is_bound(text: str) -> bool:
    """Whether random integers can be drawn below this number."""
    return text.isdecimal() and len(text) <= 20 and 1 <= int(text) <= 1 << 64


def _check_fill(filled: Filled, where: str) -> None:
    """Refuse a fill with numbers that are no elements of its type."""
    dtype, init = filled.dtype, filled.init
    if init in OF_FLOATS:
        if is_whole(numpy_dtype(dtype)):
            raise ArgumentError(
                f"{where}: {init} fills arrays of floats, not of {dtype}: zeros, ones, arange or randint:K"
            )
        return
    try:
        cast(dtype, _largest(filled))
    except ArgumentError as error:
        raise ArgumentError(f"{where}: of its numbers {error}") from None


def given(dtype: str, values: Sequence[Any], where: str) -> Given:
    """An array of these elements, if they are of its type."""
    demand_known(dtype, where)
    for one in values:
        if isinstance(one, bool) or not isinstance(one, int | float):
            raise ArgumentError(f"{where}: {shown(one)} is no number")
        scalar(dtype, one, where)
    if not values:
        raise ArgumentError(f"{where}: an array has one element at least")
    return Given(dtype, tuple(values))


def given_of_json(value: Mapping[str, Any], where: str) -> Given:
    """Check an array that is told element by element."""
    unknown = set(value) - {"buffer", "values"}
    if unknown:
        raise UnknownNameError(f"key in {where}", sorted(unknown)[0], ("buffer", "values"))
    dtype, values = value.get("buffer"), value["values"]
    if not isinstance(dtype, str) or not isinstance(values, list) or not values:
        raise ArgumentError(f'{where}: an array is told as {{"buffer": "int32", "values": [1, 2, 3]}}')
    return given(dtype, values, where)


def raw(text: Any, where: str) -> Raw:
    """Bytes, told as hexadecimal digits."""
    try:
        return Raw(bytes.fromhex(text))
    except (TypeError, ValueError):
        raise ArgumentError(f"{where}: bytes are pairs of hexadecimal digits, not {shown(text)}") from None


def scalar(dtype: str, value: Number, where: str) -> Scalar:
    """A number of a type, if it is one."""
    found = Scalar(dtype, value)
    demand_known(dtype, where)
    try:
        cast(dtype, value)
    except ArgumentError as error:
        raise ArgumentError(f"{where}: {error}") from None
    return found
