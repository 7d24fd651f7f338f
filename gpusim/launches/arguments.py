"""Kernel arguments as text or JSON: scalars, arrays filled in one of a few ways, and tensor maps of such arrays.

A launch file says ``{"int32": 512}`` and ``{"buffer": "float32", "count": 262144, "init": "normal"}``;
the command line says the same as ``int32:512`` and ``float32:normal:262144``.  A map of a tensor
is ``{"tensormap": "float16", "shape": [64, 128], "box": [16, 64]}`` and ``tensormap:float16:zeros:64x128:box=16x64``.
A texture is ``{"texture": "float32", "shape": [64, 128], "filter": "linear"}`` and
``texture:float32:zeros:64x128:filter=linear``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.errors import GpusimError, UnknownNameError, shown
from gpusim.expressions import ExpressionError, evaluate
from gpusim.host_memory import enough_memory, in_parts

if TYPE_CHECKING:
    import numpy as np

    from gpusim.simulate.tensor_maps import TensorMap
    from gpusim.simulate.textures import Texture

MAP_SIZES, MAP_NUMBERS = ("shape", "box", "strides", "element_strides"), ("swizzle", "l2_promotion")
"""Keys of a tensor map that are sizes, and that are numbers."""
DTYPES = (
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float32", "float64", "bool",
)  # fmt: skip
RAW, MAP, TEXTURE = "bytes", "tensormap", "texture"
TEXTURE_WORDS, TEXTURE_NUMBERS = ("filter", "read"), ("channels", "normalized")
"""Keys of a texture that are words, and that are numbers, besides ``shape``, ``init``, ``address`` and ``border``."""
Number = int | float
MAX_BYTES = 1 << 46  # of an array: a launch has no more addresses
LONGEST = 80  # characters of an argument that a message repeats


class ArgumentError(GpusimError):
    """A kernel argument that cannot be understood, or does not fit the kernel."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number passed by value."""

    dtype: str
    value: int | float

    def make(self, rng: np.random.Generator) -> np.generic:
        """The number as a NumPy scalar."""
        return _cast(self.dtype, self.value)

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
        for part in in_parts(self.count if name != "zeros" else 0):
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


@dataclass(frozen=True, slots=True)
class Mapped:
    """A tensor map: an array of its own, and the box of it that a copy moves.

    Attributes
    ----------
    array : Filled
        Of as many elements as ``shape`` has.
    shape, box : tuple of int
        The outermost dimension first.
    more : tuple of (str, object)
        What else :class:`gpusim.TensorMap` is told.
    """

    array: Filled
    shape: tuple[int, ...]
    box: tuple[int, ...]
    more: tuple[tuple[str, Any], ...] = ()

    def make(self, rng: np.random.Generator) -> TensorMap:
        """The map, of an array that ``rng`` fills."""
        return self._of(self.array.make(rng))

    def blank(self) -> TensorMap:
        """The map of an array of zeros, for where only sizes matter."""
        import numpy as np

        with enough_memory(self.array.count * numpy_dtype(self.array.dtype).itemsize):
            return self._of(np.zeros(self.array.count, numpy_dtype(self.array.dtype)))

    def _of(self, array: np.ndarray) -> TensorMap:
        from gpusim.simulate.tensor_maps import TensorMap

        return TensorMap(array.reshape(self.shape), self.box, **dict(self.more))

    def to_json(self) -> dict[str, Any]:
        """The argument as a launch file has it."""
        told = {name: list(value) if isinstance(value, tuple) else value for name, value in self.more}
        named = {"tensormap": self.array.dtype, "shape": list(self.shape), "box": list(self.box)}
        return {**named, "init": self.array.init, **told}

    def __str__(self) -> str:
        told = (f":{name}={_crossed(value)}" for name, value in self.more)
        shape, box = _crossed(self.shape), _crossed(self.box)
        return f"{MAP}:{self.array.dtype}:{self.array.init}:{shape}:box={box}{''.join(told)}"


@dataclass(frozen=True, slots=True)
class Textured:
    """A texture: an array of its own, and how it is read.

    Attributes
    ----------
    array : Filled
        Of as many elements as ``shape`` has.
    shape : tuple of int
        The outermost dimension first; the last one is the channels, where there are several.
    more : tuple of (str, object)
        What else :class:`gpusim.Texture` is told.
    """

    array: Filled
    shape: tuple[int, ...]
    more: tuple[tuple[str, Any], ...] = ()

    def make(self, rng: np.random.Generator) -> Texture:
        """The texture, of an array that ``rng`` fills."""
        return self._of(self.array.make(rng))

    def blank(self) -> Texture:
        """The texture of an array of zeros, for where only sizes matter."""
        import numpy as np

        with enough_memory(self.array.count * numpy_dtype(self.array.dtype).itemsize):
            return self._of(np.zeros(self.array.count, numpy_dtype(self.array.dtype)))

    def _of(self, array: np.ndarray) -> Texture:
        from gpusim.simulate.textures import Texture

        return Texture(array.reshape(self.shape), **dict(self.more))

    def to_json(self) -> dict[str, Any]:
        """The argument as a launch file has it."""
        told = {name: list(value) if isinstance(value, tuple) else value for name, value in self.more}
        return {TEXTURE: self.array.dtype, "shape": list(self.shape), "init": self.array.init, **told}

    def __str__(self) -> str:
        told = (f":{name}={_listed(value)}" for name, value in self.more)
        return f"{TEXTURE}:{self.array.dtype}:{self.array.init}:{_crossed(self.shape)}{''.join(told)}"


def _listed(value: Any) -> str:
    """Several words or numbers as the command line has them."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(int(value) if value is True else value)


def _crossed(value: Any) -> str:
    """Sizes as the command line has them."""
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)


Drawn = Filled | Mapped | Textured
"""Arguments whose arrays are filled when they are made."""
Argument = Scalar | Given | Raw | Drawn
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

_OF_FLOATS = ("normal", "uniform")


def _largest(filled: Filled) -> int | float:
    """The number of greatest magnitude that an array may hold whose fill is not one of floats."""
    name, _, bound = filled.init.partition(":")
    known = {"randint": int(bound or 1) - 1, "arange": filled.count - 1, "zeros": 0, "ones": 1}
    return known[name] if name in known else float(name)


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


def _cast(dtype: str, value: int | float) -> np.generic:
    """``value`` as a NumPy scalar, refused where it does not fit."""
    import numpy as np

    kind = numpy_dtype(dtype)
    with np.errstate(over="ignore"):
        if not (_is_whole_number_of if _is_whole(kind) else _is_kept)(value, kind):
            least, most = (str(n) if isinstance(n, int) else f"{n:.6g}" for n in _limits(kind))
            raise ArgumentError(f"{shown(value)} is no {dtype} ({least} to {most})")
        scalar: np.generic = kind.type((int if _is_whole(kind) else float)(value))
    return scalar


def _is_whole(kind: np.dtype) -> bool:
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
    if _is_whole(kind):
        whole = np.iinfo(kind)
        return int(whole.min), int(whole.max)
    real = ml_dtypes.finfo(kind)  # type: ignore[no-untyped-call]
    return float(real.min), float(real.max)


def filled(dtype: str, init: str, count: Any, where: str) -> Filled:
    """An array that is filled, if its type, its fill and its size go together."""
    _known(dtype, where)
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
    if init in _OF_FLOATS:
        if _is_whole(numpy_dtype(dtype)):
            raise ArgumentError(
                f"{where}: {init} fills arrays of floats, not of {dtype}: zeros, ones, arange or randint:K"
            )
        return
    try:
        _cast(dtype, _largest(filled))
    except ArgumentError as error:
        raise ArgumentError(f"{where}: of its numbers {error}") from None


def from_text(text: str, known: Mapping[str, Number] | None = None, option: str = "--arg") -> Argument:
    """Read an argument as the command line has it.

    Parameters
    ----------
    text : str
        ``DTYPE:VALUE`` for a scalar, ``DTYPE:INIT:COUNT`` for an array, ``tensormap:DTYPE:INIT:SHAPE:box=BOX`` for the
        map of one, ``texture:DTYPE:INIT:SHAPE`` for a texture, ``bytes:HEX`` for
        anything else.  ``VALUE`` and ``COUNT`` may be expressions.
    known : mapping of str to int or float
        What names in expressions mean.
    option : str
        What messages call the option.

    Raises
    ------
    GpusimError
        One line that says what was wrong.

    Examples
    --------
    >>> from_text("int32:512")
    Scalar(dtype='int32', value=512)
    >>> from_text("int32:randint:100:4096")
    Filled(dtype='int32', init='randint:100', count=4096)
    """
    parts = text.split(":")
    known, where = known or {}, f"{option} {text if len(text) <= LONGEST else text[:LONGEST] + '...'}"
    if len(parts) < 2:
        raise ArgumentError(
            f"{where}: an argument is DTYPE:VALUE (int32:512) or DTYPE:INIT:COUNT (float32:normal:4096)"
        )
    if parts[0] == RAW:
        return _raw(":".join(parts[1:]), where)
    if parts[0] == MAP:
        return mapped(_map_of_text(parts[1:], where), where)
    if parts[0] == TEXTURE:
        return textured(_texture_of_text(parts[1:], where), where)
    _known(parts[0], where)
    if len(parts) == 2:
        return scalar(parts[0], number(parts[1], where, known), where)
    count = whole_number(parts[-1], where, known)
    return filled(parts[0], ":".join(parts[1:-1]), count, where)


def from_json(value: Any, where: str) -> Argument:
    """Read an argument as a launch file has it.

    Parameters
    ----------
    value : object
        ``{DTYPE: VALUE}``, ``{"buffer": DTYPE, "count": N, "init": INIT}``, ``{"buffer": DTYPE, "values": [...]}``,
        ``{"tensormap": DTYPE, "shape": [...], "box": [...]}``, ``{"texture": DTYPE, "shape": [...]}`` or
        ``{"bytes": HEX}``.
    where : str
        Path of the value in its file, for messages.

    Raises
    ------
    GpusimError
        One line that says what was wrong.

    Examples
    --------
    >>> from_json({"buffer": "float32", "count": 8, "init": "zeros"}, "args[0]")
    Filled(dtype='float32', init='zeros', count=8)
    """
    if not isinstance(value, Mapping) or not value:
        raise ArgumentError(f'{where}: an argument is {{"int32": 512}} or {{"buffer": "float32", "count": 4096}}')
    if "values" in value:
        return _given(value, where)
    if MAP in value:
        return mapped(value, where)
    if TEXTURE in value:
        return textured(value, where)
    if "buffer" in value:
        unknown = set(value) - {"buffer", "count", "init"}
        if unknown:
            raise UnknownNameError(f"key in {where}", sorted(unknown)[0], ("buffer", "count", "init"))
        dtype, init = value["buffer"], value.get("init", "zeros")
        if not isinstance(dtype, str) or not isinstance(init, str):
            raise ArgumentError(f"{where}: buffer and init are names")
        return filled(dtype, init, value.get("count"), where)
    ((dtype, told),) = list(value.items())[:1]
    if dtype == RAW and len(value) == 1:
        return _raw(told, where)
    if len(value) > 1 or isinstance(told, bool) or not isinstance(told, int | float):
        raise ArgumentError(f'{where}: a scalar is one element type with its value, such as {{"int32": 512}}')
    return scalar(dtype, told, where)


def _map_of_text(parts: Sequence[str], where: str) -> dict[str, Any]:
    """What a launch file would say of ``DTYPE:INIT:SHAPE:NAME=VALUE:...``."""
    plain = [part for part in parts if "=" not in part]
    if len(plain) < 3 or parts[: len(plain)] != plain:
        raise ArgumentError(
            f"{where}: a tensor map is tensormap:DTYPE:INIT:SHAPE:box=BOX (...:normal:64x128:box=16x64)"
        )
    told = {"shape": plain[-1], **dict(part.split("=", 1) for part in parts[len(plain) :])}
    sizes = {name: _sizes_of_text(text, where) for name, text in told.items() if name in MAP_SIZES}
    numbers = {name: _number(text, where) for name, text in told.items() if name in MAP_NUMBERS}
    return {MAP: plain[0], "init": ":".join(plain[1:-1]), **told, **sizes, **numbers}


def _sizes_of_text(text: str, where: str) -> list[int | float]:
    return [_number(part, where) for part in text.split("x")]


def mapped(value: Mapping[str, Any], where: str) -> Mapped:
    """Check a tensor map as a launch file has it."""
    if unknown := set(value) - {MAP, "init", *MAP_SIZES, *MAP_NUMBERS, "fill"}:
        raise UnknownNameError(f"key in {where}", sorted(unknown)[0], (MAP, "init", *MAP_SIZES, *MAP_NUMBERS, "fill"))
    dtype, init = value[MAP], value.get("init", "zeros")
    if not isinstance(dtype, str) or not isinstance(init, str):
        raise ArgumentError(f"{where}: tensormap and init are names")
    sizes = {name: _sizes(value[name], f"{where}: {name}") for name in MAP_SIZES if name in value}
    if "shape" not in sizes or "box" not in sizes:
        raise ArgumentError(f"{where}: a tensor map needs the shape of its array and a box")
    array = filled(dtype, init, math.prod(sizes["shape"]), where)
    more = {**sizes, **{name: value[name] for name in (*MAP_NUMBERS, "fill") if name in value}}
    found = Mapped(array, more.pop("shape"), more.pop("box"), tuple(more.items()))
    try:
        found.blank()
    except GpusimError as error:
        raise ArgumentError(f"{where}: {error}") from None
    return found


def _texture_of_text(parts: Sequence[str], where: str) -> dict[str, Any]:
    """What a launch file would say of ``DTYPE:INIT:SHAPE:NAME=VALUE:...``."""
    plain = [part for part in parts if "=" not in part]
    if len(plain) < 3 or parts[: len(plain)] != plain:
        raise ArgumentError(
            f"{where}: a texture is texture:DTYPE:INIT:SHAPE (texture:float32:normal:64x128:filter=linear)"
        )
    told: dict[str, Any] = dict(part.split("=", 1) for part in parts[len(plain) :])
    told |= {name: _number(told[name], where) for name in TEXTURE_NUMBERS if name in told}
    if "address" in told and "," in told["address"]:
        told["address"] = told["address"].split(",")
    if "border" in told:
        told["border"] = [_number(part, where) for part in told["border"].split(",")]
    return {TEXTURE: plain[0], "init": ":".join(plain[1:-1]), "shape": _sizes_of_text(plain[-1], where), **told}


def textured(value: Mapping[str, Any], where: str) -> Textured:
    """Check a texture as a launch file has it."""
    keys = (TEXTURE, "init", "shape", *TEXTURE_WORDS, *TEXTURE_NUMBERS, "address", "border")
    if unknown := set(value) - {*keys}:
        raise UnknownNameError(f"key in {where}", sorted(unknown)[0], keys)
    dtype, init = value[TEXTURE], value.get("init", "zeros")
    if not isinstance(dtype, str) or not isinstance(init, str) or "shape" not in value:
        raise ArgumentError(f"{where}: a texture needs an element type and the shape of its array")
    shape = _sizes(value["shape"], f"{where}: shape")
    more = {name: value[name] for name in keys[3:] if name in value}
    more |= {name: tuple(more[name]) for name in ("address", "border") if isinstance(more.get(name), list)}
    if "normalized" in more:
        more["normalized"] = bool(more["normalized"])
    found = Textured(filled(dtype, init, math.prod(shape), where), shape, tuple(more.items()))
    try:
        found.blank()
    except (GpusimError, TypeError, ValueError) as error:
        raise ArgumentError(f"{where}: {error}") from None
    return found


def _sizes(value: Any, where: str) -> tuple[int, ...]:
    """Whole numbers, one a dimension."""
    if not isinstance(value, list) or not value or not all(type(n) is int and n > 0 for n in value):
        raise ArgumentError(f"{where} is a positive whole number for each dimension, not {shown(value)}")
    return tuple(value)


def given(dtype: str, values: Sequence[Any], where: str) -> Given:
    """An array of these elements, if they are of its type."""
    _known(dtype, where)
    for one in values:
        if isinstance(one, bool) or not isinstance(one, int | float):
            raise ArgumentError(f"{where}: {shown(one)} is no number")
        scalar(dtype, one, where)
    if not values:
        raise ArgumentError(f"{where}: an array has one element at least")
    return Given(dtype, tuple(values))


def _given(value: Mapping[str, Any], where: str) -> Given:
    """Check an array that is told element by element."""
    unknown = set(value) - {"buffer", "values"}
    if unknown:
        raise UnknownNameError(f"key in {where}", sorted(unknown)[0], ("buffer", "values"))
    dtype, values = value.get("buffer"), value["values"]
    if not isinstance(dtype, str) or not isinstance(values, list) or not values:
        raise ArgumentError(f'{where}: an array is told as {{"buffer": "int32", "values": [1, 2, 3]}}')
    return given(dtype, values, where)


def _raw(text: Any, where: str) -> Raw:
    try:
        return Raw(bytes.fromhex(text))
    except (TypeError, ValueError):
        raise ArgumentError(f"{where}: bytes are pairs of hexadecimal digits, not {shown(text)}") from None


def _known(dtype: str, where: str) -> None:
    """Refuse an element type that there is not."""
    if dtype not in DTYPES:
        raise UnknownNameError(f"element type in {where}", dtype, DTYPES)


def scalar(dtype: str, value: Number, where: str) -> Scalar:
    """A number of a type, if it is one."""
    found = Scalar(dtype, value)
    _known(dtype, where)
    try:
        _cast(dtype, value)
    except ArgumentError as error:
        raise ArgumentError(f"{where}: {error}") from None
    return found


def _number(text: str, where: str) -> Number:
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
        return _number(text, where)
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


def make(arguments: Sequence[Argument], seed: int = 0, *, contents: Collection[int] | None = None) -> list[Any]:
    """Draw every argument, each from a generator of its own.

    Parameters
    ----------
    arguments : sequence
    seed : int
    contents : collection of int, optional
        Positions of the arrays to fill; the others are zeros that cannot be written to and take no memory.  Unless
        given, all.

    Returns
    -------
    list of ndarray, NumPy scalars, bytes, TensorMap and Texture
    """
    import numpy as np

    return [
        a.make(np.random.default_rng([seed, i]))
        if contents is None or i in contents or not isinstance(a, Drawn)
        else a.blank()
        for i, a in enumerate(arguments)
    ]
