"""What a kernel takes: names, types and sizes of its parameters, and whether arguments fit.

Sizes come from the cubin.  Types come from the symbol, where it is mangled; names, and the types of
``extern "C"`` kernels, from the text of the source, by a tolerant reader: what it does not understand stays
unknown.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpusim.cuda.attributes import Parameter as Place
from gpusim.cuda.cuda_errors import ArgumentError
from gpusim.cuda.demangle import Name
from gpusim.cuda.scalars import BFLOAT16, SCALARS, is_unsigned, plain
from gpusim.cuda.template_arguments import divided
from gpusim.errors import shown
from gpusim.isa.tensor_map import NBYTES as TENSOR_MAP_BYTES

_REAL = {"float": "<f", "double": "<d", "half": "<e", "__half": "<e"}
_REAL_OF_SIZE = {2: "<e", 4: "<f", 8: "<d"}
_NO_NAME = {*SCALARS, "unsigned", "signed", "const", "volatile", "void"}
_DROPPED = re.compile(r"\b(__restrict__|__restrict|restrict|__grid_constant__|register|struct|class|enum)\b")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel.

    Attributes
    ----------
    name, type : str
        As in C++; empty where unknown.
    offset : int
        Bytes from the first parameter.
    nbytes : int
    is_array : bool
        Whether it is an array that is passed by value, a member of a struct.
    """

    name: str
    type: str
    offset: int
    nbytes: int
    is_array: bool = False

    @property
    def is_pointer(self) -> bool | None:
        """Whether it is an address; None where its type is not known."""
        if self.nbytes != 8 or self.is_array:
            return False
        if not self.type:
            return None
        if self.type.endswith(("*", "&", "]", "* const")) or "(*" in self.type:
            return True
        return False if plain(self.type) in SCALARS else None

    def __str__(self) -> str:
        return " ".join(word for word in (self.type or f"{self.nbytes} bytes", self.name) if word)


def parameters(name: Name, symbol: str, places: Sequence[Place], source: str = "") -> tuple[Parameter, ...]:
    """Put together what is known of a kernel's parameters.

    Parameters
    ----------
    name : Name
        The demangled symbol.
    symbol : str
    places : sequence of Place
        Offsets and sizes.
    source : str
        Text of the file; empty where there is none.

    Returns
    -------
    tuple of Parameter
    """
    found = declarations(source, name.name.rpartition("::")[2])
    texts = next((one for one in found if len(one) == len(places)), [("", "")] * len(places))
    types = name.parameters if name.parameters is not None else tuple(kind for kind, _ in texts)
    if len(types) != len(places) or not all(map(_may_be, types, places)):
        types = ("",) * len(places)
    rows = zip(texts, types, places, strict=True)
    return tuple(Parameter(text[1], kind, place.offset, place.nbytes) for text, kind, place in rows)


def _may_be(kind: str, place: Place) -> bool:
    """Whether a type may have this size."""
    if kind.endswith(("*", "&")):
        return place.nbytes == 8
    return SCALARS.get(plain(kind), place.nbytes) == place.nbytes


def declarations(source: str, name: str) -> list[list[tuple[str, str]]]:
    """Read type and name of each parameter wherever a source declares a kernel of this name.

    Parameters
    ----------
    source : str
    name : str
        Without namespace and template arguments.

    Returns
    -------
    list of list of (str, str)

    Examples
    --------
    >>> declarations("__global__ void f(const float *__restrict__ a, int n = 3) {}", "f")
    [[('const float*', 'a'), ('int', 'n')]]
    """
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", source, flags=re.DOTALL)
    found = []
    for head in re.finditer(rf"__global__[^;{{}}]*?\b{re.escape(name)}\s*\(", text):
        inside = _expanded(_until_closed(text[head.end() :]), text)
        found.append([_parameter(piece) for piece in divided(inside, ",") if piece.strip() not in ("", "void")])
    return found


def _until_closed(text: str) -> str:
    """Text up to the bracket that closes one already open."""
    depth = 1
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            return text[:at]
    return ""


def _expanded(inside: str, text: str) -> str:
    """Parameters with the macros replaced that stand for some of them."""
    macros = dict(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+((?:[^\n\\]|\\\n)+)", text, flags=re.MULTILINE))
    for _ in range(8):
        replaced = re.sub(r"\b\w+\b", lambda word: macros.get(word[0], word[0]).replace("\\\n", " "), inside)
        if replaced == inside:
            break
        inside = replaced
    return inside


def _parameter(piece: str) -> tuple[str, str]:
    """Type and name of one parameter."""
    text = _DROPPED.sub(" ", piece.partition("=")[0]).strip()
    array = re.search(r"\[[^\]]*\]\s*$", text)
    text = text[: array.start()].strip() if array else text
    last = re.search(r"\b([A-Za-z_]\w*)$", text)
    name = last[1] if last and last[1] not in _NO_NAME and last.start() > 0 else ""
    kind = " ".join(text[: len(text) - len(name)].split()) + ("*" if array else "")
    return re.sub(r"\s*([*&])\s*", r"\1", kind).replace("*const", "* const").strip(), name


def check(kernel: str, wanted: Sequence[Parameter], arguments: Sequence[Any], advice: str = "") -> None:
    """Refuse arguments that do not fit a kernel's parameters.

    Arrays (whatever has ``nbytes`` and at least one dimension) and None go to pointers, where the elements are
    known to be what is pointed to, or unsigned integers of that size or single bytes, which may stand for anything;
    numbers to numbers of the same kind; ``bytes`` of the right length to anything.  Elements are in the byte order of
    the GPU, and no Python objects.

    Parameters
    ----------
    kernel : str
        What messages call it.
    wanted : sequence of Parameter
    arguments : sequence
    advice : str
        What to do where they are too few.

    Raises
    ------
    ArgumentError
        Where their number, kind or size does not fit.
    """
    listed = ", ".join(map(str, wanted))
    if len(arguments) != len(wanted):
        raise ArgumentError(f"{kernel} takes {len(wanted)} arguments ({listed}), not {len(arguments)}{advice}")
    for position, (parameter, argument) in enumerate(zip(wanted, arguments, strict=True), 1):
        problem = _problem(parameter, argument)
        if problem:
            raise ArgumentError(f"argument {position} of {kernel} ({parameter}) {problem}; it is {kernel}({listed})")


def _problem(parameter: Parameter, argument: Any) -> str:
    """What keeps an argument from being this parameter; empty where nothing does."""
    if isinstance(argument, (bytes, bytearray)):
        fits = len(argument) == parameter.nbytes
        return "" if fits else f"has {parameter.nbytes} bytes, not {len(argument)}"
    if is_array(argument) or argument is None:
        return _no_pointer(parameter, argument) if parameter.is_pointer is False else _misfit(parameter, argument)
    if parameter.is_pointer:
        return f"is a pointer: give an array or None, not {shown(argument)}"
    kind = plain(parameter.type)
    if _is_real(kind) and getattr(argument, "dtype", None) is not None and argument.dtype.kind in "iub":
        return f"is no integer, but {argument.dtype} {argument} is given"
    try:
        pack(parameter, argument)
    except ArgumentError as error:
        return str(error)
    return ""


def _no_pointer(parameter: Parameter, argument: Any) -> str:
    """Say that an array or None is given to what is no pointer, and what a tensor map is given as."""
    given = "None" if argument is None else "an array"
    maps = " (a tensor map is a gpusim.TensorMap, tensormap:... to the command)"
    return f"is no pointer, but {given} is given{maps if parameter.nbytes == TENSOR_MAP_BYTES else ''}"


def _is_real(kind: str) -> bool:
    return kind in _REAL or kind in BFLOAT16


def _misfit(parameter: Parameter, argument: Any) -> str:
    """What keeps an array's elements from being what a pointer points to; empty where either is not known."""
    target = plain(re.sub(r"(\*( const)?|&)$", "", parameter.type))
    dtype: Any = getattr(argument, "dtype", None)
    if not hasattr(dtype, "isnative"):  # nothing, or no type of NumPy's
        return ""
    if problem := _no_bytes_of_a_gpu(dtype):
        return problem
    if target not in SCALARS or dtype.itemsize == 1 or dtype.names:
        return ""
    raw = dtype.kind == "u"
    bfloat = dtype.name == "bfloat16"
    alike = raw or ((bfloat or dtype.kind in "fc") == _is_real(target) and bfloat == (target in BFLOAT16))
    if alike and dtype.itemsize == SCALARS[target]:
        return ""
    return f"points to {target}, but an array of {dtype} is given"


def _no_bytes_of_a_gpu(dtype: Any) -> str:
    """What keeps elements of a NumPy type from being passed to a GPU whatever a pointer points to; empty if nothing."""
    if dtype.hasobject:
        return f"holds Python objects ({dtype}), which a GPU cannot read: give an array of numbers"
    if not dtype.isnative:
        return f"holds {dtype}, whose byte order is not the GPU's: give an array of {dtype.newbyteorder('=')}"
    return ""


def is_array(argument: Any) -> bool:
    """Whether an argument is memory rather than a value."""
    return hasattr(argument, "nbytes") and getattr(argument, "ndim", 1) > 0


def pack(parameter: Parameter, value: Any) -> bytes:
    """Bytes of a value that is passed itself.

    Parameters
    ----------
    parameter : Parameter
    value : bytes, bool, int, float, or a NumPy scalar

    Returns
    -------
    bytes
        As many as the parameter has.

    Raises
    ------
    ArgumentError
        Where the value does not fit.
    """
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    number = value.item() if hasattr(value, "item") else value
    kind = plain(parameter.type)
    if isinstance(number, float) and kind in SCALARS and not _is_real(kind):
        raise ArgumentError(f"is an integer, not {shown(number)}")
    if kind in SCALARS and not isinstance(number, (bool, int, float)):
        raise ArgumentError(f"is a number, not {shown(value)}")
    if not isinstance(number, (bool, int, float)) or parameter.nbytes not in (1, 2, 4, 8):
        raise ArgumentError(
            f"has {parameter.nbytes} bytes: give bytes of that length (bytes:HEX to the command), not {shown(value)}"
        )
    if kind in BFLOAT16:
        return _pack_bfloat16(number)
    if kind in _REAL or isinstance(number, float):
        return _pack_real(_REAL.get(kind) or _REAL_OF_SIZE.get(parameter.nbytes, ""), number)
    of_its_size = getattr(value, "nbytes", 0) == parameter.nbytes  # NumPy's, whose bits are meant
    return _pack_integer(parameter, int(number), "" if of_its_size and kind != "bool" else parameter.type)


def _pack_real(layout: str, number: float) -> bytes:
    try:
        return struct.pack(layout, float(number))
    except (OverflowError, struct.error):
        raise ArgumentError(f"cannot hold {shown(number)}") from None


def _pack_bfloat16(number: float) -> bytes:
    """The upper half of a float, rounded to nearest even."""
    bits = int.from_bytes(_pack_real("<f", number), "little")
    if number == number:  # not for NaN
        bits += 0x7FFF + (bits >> 16 & 1)
    return (bits >> 16).to_bytes(2, "little")


def _range(kind: str, bits: int) -> tuple[int, int]:
    """What an integer type holds; where the type is not known, so many bits with a sign or without."""
    short = plain(kind)
    if short == "bool":
        return 0, 1
    known = short in SCALARS
    unsigned = is_unsigned(kind)
    return 0 if known and unsigned else -(1 << bits - 1), (1 << bits - (known and not unsigned)) - 1


def _pack_integer(parameter: Parameter, number: int, kind: str) -> bytes:
    bits = 8 * parameter.nbytes
    if not -(1 << bits - 1) <= number < 1 << bits:
        raise ArgumentError(f"has {bits} bits, too few for {shown(number)}")
    least, most = _range(kind, bits)
    if not least <= number <= most:
        raise ArgumentError(f"holds {least} to {most}, not {shown(number)}")
    return (number & (1 << bits) - 1).to_bytes(parameter.nbytes, "little")
