"""Values told field by field: structs that are passed by value, and those in variables of a module."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpusim.cuda.cuda_errors import ArgumentError
from gpusim.cuda.layout import UnknownTypeError
from gpusim.cuda.scalars import numpy_name
from gpusim.cuda.signature import Parameter, is_array, pack
from gpusim.errors import shown
from gpusim.names import suggest

if TYPE_CHECKING:
    from gpusim.cuda.layout import Declared, Type


def type_of(parameter: Parameter, declared: Declared | None) -> Type:
    """The type of a parameter, if the source says how it lies in memory.

    Parameters
    ----------
    parameter : Parameter
    declared : Declared or None
        What the source declares; None where there is none.

    Raises
    ------
    ArgumentError
        It is not known; the line says why.
    """
    remedy = f"give its {parameter.nbytes} bytes (bytes:HEX to the command)"
    if declared is None or not parameter.type:
        raise ArgumentError(f"{parameter}: its fields are not known without the source: {remedy}")
    try:
        found = declared.type(parameter.type)
    except UnknownTypeError as error:
        raise ArgumentError(f"{parameter}: its fields are not known ({error}): {remedy}") from None
    if found.nbytes != parameter.nbytes:
        raise ArgumentError(
            f"{parameter}: its fields are not known (by the source it has {found.nbytes} bytes, "
            f"the code takes {parameter.nbytes}): {remedy}"
        )
    if not found.fields:
        raise ArgumentError(f"{parameter} has no fields: {remedy}")
    return found


def opened(
    parameters: Sequence[Parameter], given: Sequence[Any], declared: Declared | None
) -> tuple[tuple[Parameter, ...], list[Any]]:
    """Parameters and arguments, with those fields in the place of a struct that are given in a mapping.

    Parameters
    ----------
    parameters : sequence of Parameter
    given : sequence
        As many; a mapping by field for a struct.
    declared : Declared or None

    Returns
    -------
    tuple of Parameter, list

    Raises
    ------
    ArgumentError
        A struct whose fields are not known, a field that is missing, unknown, or cannot hold its value.
    """
    found: list[tuple[Parameter, Any]] = []
    for parameter, value in zip(parameters, given, strict=True):
        if isinstance(value, Mapping):
            name = parameter.name or "it"
            found.extend(_opened(name, type_of(parameter, declared), parameter.offset, value))
        else:
            found.append((parameter, value))
    return tuple(parameter for parameter, _ in found), [value for _, value in found]


def _opened(name: str, kind: Type, offset: int, value: Any) -> Iterator[tuple[Parameter, Any]]:
    """Parts of a value that are passed by themselves."""
    if kind.fields and isinstance(value, Mapping):
        _demand_all(name, kind, value)
        for field in kind.fields:
            yield from _opened(f"{name}.{field.name}", field.type, offset + field.offset, value[field.name])
    elif kind.element and not _is_plain(kind.element) and not isinstance(value, bytes | bytearray):
        for n, one in enumerate(_elements(name, kind, value)):
            yield from _opened(f"{name}[{n}]", kind.element, offset + n * kind.element.nbytes, one)
    elif kind.element:
        yield Parameter(name, kind.name, offset, kind.nbytes, is_array=True), packed(name, kind, value)
    else:
        yield Parameter(name, kind.name, offset, kind.nbytes), value


def leaves(
    parameters: Sequence[Parameter], structs: Collection[str], declared: Declared | None
) -> tuple[Parameter, ...]:
    """Parameters with the fields of some structs in their places, down to numbers, pointers and arrays of numbers.

    Parameters
    ----------
    parameters : sequence of Parameter
    structs : collection of str
        Names of parameters.
    declared : Declared or None

    Raises
    ------
    ArgumentError
        The fields of one are not known.
    """
    found: list[Parameter] = []
    for parameter in parameters:
        if parameter.name in structs:
            found.extend(_leaves(parameter.name, type_of(parameter, declared), parameter.offset))
        else:
            found.append(parameter)
    return tuple(found)


def _leaves(name: str, kind: Type, offset: int) -> Iterator[Parameter]:
    if kind.fields:
        for field in kind.fields:
            yield from _leaves(f"{name}.{field.name}", field.type, offset + field.offset)
    elif kind.element and not _is_plain(kind.element):
        for n in range(kind.count):
            yield from _leaves(f"{name}[{n}]", kind.element, offset + n * kind.element.nbytes)
    else:
        yield Parameter(name, kind.name, offset, kind.nbytes, is_array=kind.element is not None)


def _demand_all(name: str, kind: Type, value: Mapping[str, Any]) -> None:
    known = [field.name for field in kind.fields]
    for key in value:
        if key not in known:
            raise ArgumentError(f"{name} ({kind.name}) has no field {shown(key)}: {suggest(str(key), known)}")
    if missing := [field for field in known if field not in value]:
        raise ArgumentError(
            f"{name} ({kind.name}) lacks {', '.join(f'{name}.{one}' for one in missing)}: give every field a value"
        )


def _is_plain(kind: Type) -> bool:
    """Whether it is a number, or an array of such."""
    return _is_plain(kind.element) if kind.element else kind.is_scalar


def _elements(name: str, kind: Type, value: Any) -> Sequence[Any]:
    """Values of the elements of an array, as many as it has."""
    several = isinstance(value, Sequence) and not isinstance(value, str)
    if not several or len(value) != kind.count:
        raise ArgumentError(f"{name} ({kind.name}) takes a list of {kind.count} values, not {shown(value)}")
    found: Sequence[Any] = value
    return found


def packed(name: str, kind: Type, value: Any) -> bytes:
    """Bytes of a value of a type that holds no pointers to arrays.

    Parameters
    ----------
    name : str
        What messages call it.
    kind : Type
    value : object
        A number, a mapping by field, a list or an array, or bytes.

    Raises
    ------
    ArgumentError
        It does not fit.
    """
    if isinstance(value, bytes | bytearray):
        return _of_size(name, kind, bytes(value))
    if kind.fields and isinstance(value, Mapping):
        _demand_all(name, kind, value)
        whole = bytearray(kind.nbytes)
        for field in kind.fields:
            part = packed(f"{name}.{field.name}", field.type, value[field.name])
            whole[field.offset : field.offset + field.type.nbytes] = part
        return bytes(whole)
    if kind.element:
        return _packed_array(name, kind, value)
    if is_array(value):
        raise ArgumentError(f"{name} ({kind.name}) is no array, but one of {value.dtype} is given")
    try:
        return pack(Parameter(name, kind.name, 0, kind.nbytes), 0 if value is None else value)
    except ArgumentError as error:
        raise ArgumentError(f"{name} ({kind.name}) {error}") from None


def _of_size(name: str, kind: Type, data: bytes) -> bytes:
    if len(data) != kind.nbytes:
        raise ArgumentError(f"{name} ({kind.name}) has {kind.nbytes} bytes, not {len(data)}")
    return data


def _packed_array(name: str, kind: Type, value: Any) -> bytes:
    """The same of an array: one of NumPy's of the same bytes, or a list."""
    element = kind.element or kind
    if not is_array(value):
        parts = (packed(f"{name}[{n}]", element, one) for n, one in enumerate(_elements(name, kind, value)))
        return b"".join(parts)
    innermost = element
    while innermost.element:
        innermost = innermost.element
    wanted = numpy_name(innermost.name)
    raw = value.dtype.kind == "u" and value.dtype.itemsize in (1, innermost.nbytes)
    if wanted and value.dtype.name != wanted and not raw:
        raise ArgumentError(f"{name} ({kind.name}) holds {wanted}, but an array of {value.dtype} is given")
    if not value.dtype.isnative or value.dtype.hasobject:
        raise ArgumentError(f"{name} ({kind.name}) takes numbers in the byte order of the GPU, not {value.dtype}")
    return _of_size(name, kind, value.tobytes())
