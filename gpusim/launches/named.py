"""Arguments and variables by name: ``N=1024``, ``A=normal:N*N``, ``p.n=3``, ``coef=[1,2,3]``.

What is not told is the parameter's to say: the type of a number, the elements of an array.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpusim.cuda.layout import UnknownTypeError, vector
from gpusim.cuda.scalars import numpy_name
from gpusim.expressions import Number
from gpusim.launches import arguments, elements, plain, shaped
from gpusim.launches.arguments import Argument
from gpusim.launches.elements import ArgumentError
from gpusim.launches.plain import Filled, Given, Raw, Scalar
from gpusim.names import suggest

if TYPE_CHECKING:
    from gpusim.cuda import Kernel
    from gpusim.cuda.layout import Declared, Type
    from gpusim.cuda.signature import Parameter

_NAMED = re.compile(r"\s*([A-Za-z_][\w.\[\]]*(?:(?:::|<[^=]*>)[\w.\[\]]*)*)\s*=(?!=)\s*(.*)", re.DOTALL)
_LIST = re.compile(r"\[(.*)\]", re.DOTALL)
NULL = "null"
_POINTER_BYTES = 8


@dataclass(frozen=True, slots=True)
class Untyped:
    """What is told of an argument without its type.

    Attributes
    ----------
    numbers : tuple of int or float
        One of a scalar, several of an array that is told element by element.
    init : str
        How an array is filled; empty: it is not.
    count : int or None
        Its elements; None: as many as what it fills has.
    dtype : str
        Element type, where it is told all the same.
    is_null : bool
        The null pointer.
    is_list : bool
        Whether the numbers are an array's.
    """

    numbers: tuple[Number, ...] = ()
    init: str = ""
    count: int | None = None
    dtype: str = ""
    is_null: bool = False
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Named:
    """An argument, or the value of a variable, by name.

    Attributes
    ----------
    name : str
        Of a parameter, or of a field of one: ``p.n``.
    told : Argument or Untyped
    text : str
        As it was written, with numbers in the place of names.
    """

    name: str
    told: Argument | Untyped
    text: str

    def to_json(self) -> str:
        """The argument as a launch file has it."""
        return self.text

    def __str__(self) -> str:
        return self.text


def is_named(text: str) -> bool:
    """Whether a text of the command line says a name.

    Examples
    --------
    >>> is_named("N=1024"), is_named("tensormap:float16:zeros:64x128:box=16x64")
    (True, False)
    """
    return _NAMED.fullmatch(text) is not None


def read(
    texts: Sequence[str], known: Mapping[str, Number], option: str = "--arg"
) -> tuple[tuple[Argument | Named, ...], dict[str, Number]]:
    """Read arguments as the command line has them; sizes are expressions of the scalars among them.

    Parameters
    ----------
    texts : sequence of str
        ``NAME=VALUE``, ``NAME=FILL:COUNT``, ``NAME=[V,V]``, ``NAME=null``, ``NAME=`` before an argument of
        :func:`gpusim.launches.arguments.from_text`, or such an argument.
    known : mapping of str to int or float
        What names mean besides.
    option : str
        What messages call the option.

    Returns
    -------
    tuple of Argument or Named
    dict
        Values of the scalars by name, and what was known.

    Raises
    ------
    GpusimError
        One line that says what was wrong.

    Examples
    --------
    >>> read(["A=normal:N*N", "N=32"], {})[0][0].told.count
    1024
    """
    numbers = _Scalars(texts, known, option)
    values = {name: numbers[name] for name in numbers}
    return tuple(_one(text, values, option) for text in texts), values


class _Scalars(Mapping[str, Number]):
    """Values of the scalars among some texts, each worked out when it is asked for."""

    def __init__(self, texts: Sequence[str], known: Mapping[str, Number], option: str) -> None:
        split = [found for text in texts if (found := _NAMED.fullmatch(text))]
        self._texts = {found[1]: found[2] for found in split if _is_number(found[2])}
        self._known, self._option = known, option
        self._asked: list[str] = []
        names = [found[1] for found in split]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ArgumentError(f"{option}: {twice} is told twice")

    def __getitem__(self, name: str) -> Number:
        if name not in self._texts:
            return self._known[name]
        where = f"{self._option} {name}={self._texts[name]}"
        if name in self._asked:
            raise ArgumentError(f"{where}: {name} is told by itself")
        self._asked.append(name)
        text = self._texts[name].rpartition(":")[2]
        found = elements.number(text, where, self)
        self._asked.pop()
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._texts or name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter({**self._known, **self._texts})

    def __len__(self) -> int:
        return len({**self._known, **self._texts})


def _is_number(text: str) -> bool:
    """Whether what is told is a number or an expression: ``3``, ``2*N``, ``int32:3``."""
    first, _, rest = text.partition(":")
    if first in elements.DTYPES:
        return bool(rest) and ":" not in rest and rest not in elements.FILLS
    return ":" not in text and text != NULL and text not in elements.FILLS and not _LIST.fullmatch(text)


def _one(text: str, known: Mapping[str, Number], option: str) -> Argument | Named:
    found = _NAMED.fullmatch(text)
    if found is None:
        return arguments.from_text(text, known, option)
    name, rest = found[1], found[2].strip()
    where = f"{option} {text[: arguments.LONGEST]}"
    told = _told(rest, where, known, option)
    return Named(name, told, f"{name}={_shown(told)}")


def _told(rest: str, where: str, known: Mapping[str, Number], option: str) -> Argument | Untyped:
    """What stands behind a name."""
    if rest == NULL:
        return Untyped(is_null=True)
    if inside := _LIST.fullmatch(rest):
        parts = [part for part in inside[1].split(",") if part.strip()]
        return Untyped(tuple(elements.number(part, where, known) for part in parts), is_list=True)
    first, _, more = rest.partition(":")
    if first in elements.DTYPES and more.partition(":")[0] in elements.FILLS and not _has_count(more):
        return Untyped(init=_init(more, where, known), dtype=first)
    if first in (*elements.DTYPES, plain.RAW, shaped.MAP, shaped.TEXTURE):
        return arguments.from_text(rest, known, where.removesuffix(rest).removesuffix(" "))
    if first in elements.FILLS:
        if not _has_count(rest):
            return Untyped(init=_init(rest, where, known))
        init, _, count = rest.rpartition(":")
        return Untyped(init=_init(init, where, known), count=elements.whole_number(count, where, known))
    if ":" in rest:
        raise ArgumentError(
            f"{where}: {suggest(first, (*elements.FILLS, *elements.DTYPES))}; it is NAME=VALUE (N=1024), "
            "NAME=FILL:COUNT (A=normal:N*N) or NAME=DTYPE:FILL:COUNT"
        )
    return Untyped((elements.number(rest, where, known),))


def _init(text: str, where: str, known: Mapping[str, Number]) -> str:
    """A fill, with a number in the place of an expression."""
    name, colon, bound = text.partition(":")
    return f"{name}:{elements.whole_number(bound, where, known)}" if colon else name


def _has_count(text: str) -> bool:
    """Whether a fill says how many elements there are; ``randint`` has a bound before."""
    return text.count(":") > (text.partition(":")[0] == "randint")


def _shown(told: Argument | Untyped) -> str:
    if not isinstance(told, Untyped):
        return str(told)
    if told.is_null:
        return NULL
    if told.init:
        return ":".join(str(part) for part in (told.dtype, told.init, told.count) if part not in ("", None))
    numbers = ",".join(map(str, told.numbers))
    return f"[{numbers}]" if told.is_list else numbers


# ------------------------------------------------------------------ which parameter, and what of it


def in_order(given: Sequence[Argument | Named], kernel: Kernel) -> tuple[Argument, ...]:
    """The arguments in the order of a kernel's parameters; those without a name take the places that are left.

    Parameters
    ----------
    given : sequence of Argument or Named
    kernel : Kernel
        Its structs that are told field by field opened: :func:`opened`.

    Raises
    ------
    ArgumentError
        A name that no parameter has, a parameter that nothing is told of, what does not fit its type.
    """
    named = {one.name: one for one in given if isinstance(one, Named)}
    rest = [one for one in given if not isinstance(one, Named)]
    if not named:
        return tuple(rest)
    names = kernel.parameter_names
    if unknown := next((name for name in named if name not in names), None):
        raise ArgumentError(
            f"--arg {named[unknown]}: {kernel.name.full} has no such parameter: {suggest(unknown, names)}"
        )
    open_ones = [name for name in names if name not in named]
    if len(open_ones) != len(rest):
        lacking = ", ".join(open_ones[len(rest) :]) or "none is left for those without a name"
        raise ArgumentError(f"{kernel.name.full}: nothing is told of {lacking} (--arg NAME=...): it is {kernel}")
    left = iter(rest)
    return tuple(
        typed(named[name], parameter, kernel.declared) if name in named else next(left)
        for name, parameter in zip(names, kernel.parameters, strict=True)
    )


def opened(given: Sequence[Argument | Named], kernel: Kernel) -> Kernel:
    """A kernel with the fields of those structs as parameters of which a field is told by name."""
    structs = {
        one.name.partition(".")[0].partition("[")[0] for one in given if isinstance(one, Named) and "." in one.name
    }
    return kernel.with_fields(structs)


def typed(named: Named, parameter: Parameter, declared: Declared | None) -> Argument:
    """An argument of the type that its parameter has.

    Parameters
    ----------
    named : Named
    parameter : Parameter
    declared : Declared or None
        What the source declares.

    Raises
    ------
    ArgumentError
        It does not fit, or the type is not known.
    """
    told, where = named.told, f"--arg {named}"
    if not isinstance(told, Untyped):
        return told
    if told.is_null:
        return Raw(bytes(parameter.nbytes))
    if parameter.is_array:
        return Raw(_array_bytes(told, parameter.type.partition("[")[0], parameter.nbytes, where))
    if told.init or told.is_list:
        return _array(told, parameter, declared, where)
    return _scalar(told.numbers[0], parameter, declared, where)


def _array(told: Untyped, parameter: Parameter, declared: Declared | None, where: str) -> Filled | Given:
    if parameter.is_pointer is False:
        raise ArgumentError(f"{where}: {parameter} is no pointer: give a number (NAME=VALUE)")
    target = re.sub(r"(\*( const)?|&)$", "", parameter.type)
    dtype, each = (told.dtype, 1) if told.dtype else _elements(target, declared)
    if not dtype:
        raise ArgumentError(f"{where}: {parameter} points to no type of numbers: say one, such as uint8:zeros:COUNT")
    if told.is_list:
        return plain.given(dtype, told.numbers, where)
    if told.count is None:
        raise ArgumentError(f"{where}: how many elements? NAME=FILL:COUNT, such as {named_count(where)}")
    return plain.filled(dtype, told.init, told.count * each, where)


def named_count(where: str) -> str:
    """The same text with a number of elements."""
    return f"{where.removeprefix('--arg ')}:4096"


def _elements(target: str, declared: Declared | None) -> tuple[str, int]:
    """Element type of what is pointed to, and how many of it a vector has; empty where there is none."""
    name = target.replace("const", " ").replace("volatile", " ").strip()
    if pair := vector(name):
        return numpy_name(pair.fields[0].type.name), len(pair.fields)
    return _number_type(target, declared), 1


def _number_type(name: str, declared: Declared | None) -> str:
    """What NumPy calls a type, an alias of the source's, or an enumeration; empty where it is no number."""
    if found := numpy_name(name):
        return found
    if declared is None or not name:
        return ""
    try:
        return numpy_name(declared.type(name).name)
    except UnknownTypeError:
        return ""


def _scalar(value: Number, parameter: Parameter, declared: Declared | None, where: str) -> Scalar:
    if parameter.is_pointer:
        raise ArgumentError(f"{where}: {parameter} is a pointer: give NAME=FILL:COUNT, such as normal:4096, or null")
    dtype = _number_type(parameter.type, declared)
    if not dtype:
        what = "a pointer, or a number of a type that" if parameter.nbytes == _POINTER_BYTES else "of a type that"
        raise ArgumentError(f"{where}: {parameter} is {what} the code does not name: say it, such as int32:{value}")
    return plain.scalar(dtype, value, where)


def _array_bytes(told: Untyped, name: str, nbytes: int, where: str) -> bytes:
    """Bytes of an array that is passed by value."""
    import numpy as np

    dtype = told.dtype or numpy_name(name)
    if not dtype:
        raise ArgumentError(f"{where}: its elements are {name}: say of which type, such as uint8:zeros")
    count = nbytes // elements.numpy_dtype(dtype).itemsize
    if told.init and told.count in (None, count):
        found = plain.filled(dtype, told.init, count, where).make(np.random.default_rng(0))
    elif told.is_list and len(told.numbers) == count:
        found = plain.given(dtype, told.numbers, where).make(np.random.default_rng(0))
    else:
        raise ArgumentError(f"{where}: it has {count} elements: give NAME=FILL or NAME=[...] of so many")
    data: bytes = found.tobytes()
    return data


# ------------------------------------------------------------------ variables


def values(given: Sequence[Named], kernel: Kernel, seed: int) -> dict[str, Any]:
    """Values of variables as :func:`gpusim.profile` takes them: a mapping by field for a struct.

    Parameters
    ----------
    given : sequence of Named
    kernel : Kernel
    seed : int

    Raises
    ------
    GpusimError
        A name that no variable has, a value that does not fit.
    """
    from gpusim.cuda import symbols
    from gpusim.frontends.symbols import type_of

    found: dict[str, Any] = {}
    for number, one in enumerate(given):
        name, *path = one.name.split(".")
        symbol = symbols.find(name, kernel.cubin, kernel.filename)
        kind, nbytes = type_of(symbol, kernel), symbol.nbytes
        for part in path:
            kind = _field(kind, part, one)
            nbytes = kind.nbytes
        _put(found, [name, *path], _value(one, kind, nbytes, seed + number))
    return found


def _field(kind: Type | None, name: str, one: Named) -> Type:
    known = {field.name: field.type for field in kind.fields} if kind else {}
    if name not in known:
        why = suggest(name, known) if known else "its fields are not known"
        raise ArgumentError(f"--set {one}: there is no field {name}: {why}")
    return known[name]


def _put(found: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for name in path[:-1]:
        found = found.setdefault(name, {})
    found[path[-1]] = value


def _value(one: Named, kind: Type | None, nbytes: int, seed: int) -> Any:
    """A value of a variable, or of a field of one."""
    import numpy as np

    told, where = one.told, f"--set {one}"
    if not isinstance(told, Untyped):
        return told.make(np.random.default_rng(seed))
    if told.is_null:
        return bytes(nbytes)
    if not (told.init or told.is_list):
        return told.numbers[0]
    name = (kind.name if kind else "").partition("[")[0]
    dtype = told.dtype or numpy_name(name)
    if not dtype:
        raise ArgumentError(f"{where}: its elements are not known: say of which type, such as float32:normal")
    if told.is_list:
        return plain.given(dtype, told.numbers, where).make(np.random.default_rng(seed))
    count = told.count or nbytes // elements.numpy_dtype(dtype).itemsize
    return plain.filled(dtype, told.init, count, where).make(np.random.default_rng(seed))
