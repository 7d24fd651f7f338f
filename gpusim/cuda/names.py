"""Which kernel a name means."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from gpusim.cuda.cuda_errors import KernelNameError
from gpusim.cuda.demangle import Name
from gpusim.names import nearest, some

_LIBRARIES = frozenset(("cub", "thrust", "cuda", "at", "c10"))
"""Namespaces of libraries whose kernels a file has by way of headers."""


def ordered(names: Mapping[str, Name]) -> list[str]:
    """Symbols of a file's kernels, those of libraries last; a kernel's number is its place here, from 1.

    Parameters
    ----------
    names : mapping
        Demangled name of each symbol.
    """
    return sorted(names, key=lambda symbol: is_library(names[symbol]))


def own(names: Mapping[str, Name]) -> list[str]:
    """Symbols of the kernels of which one is meant where none is named: a library's do not count beside others."""
    order = ordered(names)
    return [symbol for symbol in order if not is_library(names[symbol])] or order


def is_library(name: Name) -> bool:
    """Whether a kernel is a library's, such as CUB's."""
    return name.name.partition("::")[0] in _LIBRARIES


def short(name: Name) -> str:
    """Name without what only a library's author needs: inner namespaces and long template arguments.

    Examples
    --------
    >>> short(Name("cub::CUB_300001_SM_900::detail::EmptyKernel", "<void>", ()))
    'cub::EmptyKernel<void>'
    """
    parts = name.name.split("::")
    called = "::".join([parts[0], parts[-1]]) if is_library(name) else name.name
    return called + (name.arguments if len(name.arguments) <= LONGEST_ARGUMENTS else "<...>")


def short_type(kind: str) -> str:
    """A parameter's type without what only a library's author needs.

    Examples
    --------
    >>> short_type("const cub::CUB_300001_SM_900::detail::Op<float>*")
    'const cub::Op<float>*'
    >>> short_type("const float*")
    'const float*'
    """
    for words in _QUALIFIED.findall(kind):
        first, last = words.split("::")[0], words.split("::")[-1]
        if first in _LIBRARIES:
            kind = kind.replace(words, f"{first}::{last}")
    outer, _, rest = kind.partition("<")
    end = rest[rest.rfind(">") + 1 :]
    return kind if len(rest) <= LONGEST_ARGUMENTS else f"{outer}<...>{end}"


_QUALIFIED = re.compile(r"\b\w+(?:::\w+)+")
LONGEST_ARGUMENTS = 40
"""Characters of template arguments that a short name still shows."""


def choose(wanted: str | None, names: Mapping[str, Name], filename: str, describe: Callable[[str], str]) -> str:
    """Find the kernel that a name means.

    Parameters
    ----------
    wanted : str or None
        A symbol, a name as C++ writes it, more or less in full, or the number of :func:`ordered`; None where the
        file has but one kernel, a library's not counted.
    names : mapping
        Demangled name of each symbol.
    filename : str
        What messages call the file.
    describe : callable
        What to list of a kernel by its symbol.

    Returns
    -------
    str
        Symbol.

    Raises
    ------
    KernelNameError
        Where no kernel is meant, or more than one.
    """
    order = ordered(names)
    if wanted is None:
        found = own(names)
    elif wanted.isdecimal() and wanted.isascii() and 0 < int(wanted) <= len(order):
        found = [order[int(wanted) - 1]]
    else:
        found = _meant(wanted, names)
    if len(found) == 1:
        return found[0]
    chosen = [symbol for symbol in order if not found or symbol in found]
    listed = some([_numbered(symbol, order, names, describe) for symbol in chosen], "; ")
    if not names:
        raise KernelNameError(f"{filename} has no kernel")
    if wanted is None:
        raise KernelNameError(f"{filename} has {len(names)} kernels, name one: {listed}")
    if found:
        raise KernelNameError(f"kernel {wanted!r} of {filename} may be any of: {listed}")
    near = nearest(wanted, [name.full for name in names.values()])
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {listed}"
    raise KernelNameError(f"{filename} has no kernel {wanted!r}: {hint}")


def _numbered(symbol: str, order: list[str], names: Mapping[str, Name], describe: Callable[[str], str]) -> str:
    name = names[symbol]
    return f"{order.index(symbol) + 1} {short(name) if is_library(name) else describe(symbol)}"


def _meant(wanted: str, names: Mapping[str, Name]) -> list[str]:
    """Symbols that a name fits, by the most exact reading that fits any."""
    if wanted in names:
        return [wanted]
    text = normal(wanted)
    readings: tuple[Callable[[Name], str], ...] = (
        str,
        lambda name: name.full,
        lambda name: name.name,
        lambda name: _last(name.name) + name.arguments,
        lambda name: _last(name.name),
    )
    for reading in readings:
        found = [symbol for symbol, name in names.items() if normal(reading(name)) == text]
        if found:
            return found
    return []


def _last(name: str) -> str:
    return name.rpartition("::")[2]


_NAMED_ARGUMENT = re.compile(r"(?<=[<,])(\s*)(?!(?:true|false)\b)([A-Za-z_][\w:]*)(?=\s*[,>])")


def with_values(name: str, number: Callable[[str], int | None]) -> str:
    """A kernel's name with numbers for template arguments that are constants.

    Parameters
    ----------
    name : str
    number : callable
        Value of a constant or an enumerator by name; None for what is none.

    Examples
    --------
    >>> with_values("update<float, ADAM>", {"ADAM": 3}.get)
    'update<float, 3>'
    """

    def value(argument: re.Match[str]) -> str:
        found = number(_last(argument[2]))
        return argument[0] if found is None else f"{argument[1]}{found}"

    return _NAMED_ARGUMENT.sub(value, name)


_ALIASES = {
    "half": "__half", "half2": "__half2", "nv_bfloat16": "__nv_bfloat16", "nv_bfloat162": "__nv_bfloat162",
    "int8_t": "signed char", "int16_t": "short", "int32_t": "int", "int64_t": "long",
    "uint8_t": "unsigned char", "uint16_t": "unsigned short", "uint32_t": "unsigned", "uint64_t": "unsigned long",
    "uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned", "ulong": "unsigned long",
    "size_t": "unsigned long",
}  # fmt: skip
"""Types by the names that sources have for them, which mangled names have not."""


def normal(name: str) -> str:
    """A name as it is compared: without spaces, suffixes and types of numbers, and what need not be written.

    Examples
    --------
    >>> normal("void ns::f< 3u, unsigned int, A<int> >(float const*)")
    'ns::f<3,unsigned,A<int>>(constfloat*)'
    """
    text = re.sub(r"^\s*(&|void\s)\s*", "", name)
    text = re.sub(r"\([A-Za-z_][\w:]*\)(?=-?\d)", "", text)
    text = re.sub(r"\b(\d+)(u|ul|ull|l|ll)\b", r"\1", text, flags=re.IGNORECASE)
    text = re.sub(r"\b(unsigned|short|long)\s+int\b", r"\1", text)
    text = re.sub(r"\b(\w+)\s+const\b(?=\s*[*&])", r"const \1", text)
    text = re.sub(r"\b(?:std::)?([a-z]\w*)\b", lambda word: _ALIASES.get(word[1], word[0]), text)
    return re.sub(r"\s+", "", text)
