"""C++ names from symbols, as far as names of kernels go.

Source: Itanium C++ ABI, chapter 5.1 "Mangling", https://itanium-cxx-abi.github.io/cxx-abi/abi.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_BUILTIN = {
    "v": "void", "w": "wchar_t", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char",
    "s": "short", "t": "unsigned short", "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long",
    "x": "long long", "y": "unsigned long long", "n": "__int128", "o": "unsigned __int128", "f": "float",
    "d": "double", "e": "long double", "g": "__float128", "z": "...", "Dn": "decltype(nullptr)", "Di": "char32_t",
    "Ds": "char16_t", "Du": "char8_t", "Dh": "half", "Da": "auto", "DF16_": "_Float16", "DF16b": "std::bfloat16_t",
}  # fmt: skip
_STANDARD = {"St": "std", "Sa": "std::allocator", "Ss": "std::string"}
_SUFFIX = {"i": "", "j": "u", "l": "l", "m": "ul", "x": "ll", "y": "ull"}
_POINTERS = {"P": "*", "R": "&", "O": "&&"}


@dataclass(frozen=True)
class Name:
    """A function's name, taken apart.

    Attributes
    ----------
    name : str
        Qualified name without template arguments: ``ns::sgemm``.
    arguments : str
        Template arguments, ``"<128, 8>"``; empty where it is no template instance.
    parameters : tuple of str or None
        Types of its parameters; None where the symbol does not say (``extern "C"``).
    """

    name: str
    arguments: str = ""
    parameters: tuple[str, ...] | None = None

    @property
    def full(self) -> str:
        """Name with template arguments."""
        return self.name + self.arguments

    def __str__(self) -> str:
        if self.parameters is None:
            return self.full
        return f"{self.full}({', '.join(self.parameters)})"


def demangle(symbol: str) -> Name:
    """Take a symbol apart.

    Parameters
    ----------
    symbol : str
        As in the symbol table.

    Returns
    -------
    Name
        Where the symbol is not mangled, or in a way that kernels' names seldom are, the symbol itself.

    Examples
    --------
    >>> print(demangle("_Z5sgemmILi128ELi8EEvPKfi"))
    sgemm<128, 8>(const float*, int)
    >>> print(demangle("saxpy"))
    saxpy
    """
    if not symbol.startswith("_Z"):
        return Name(symbol)
    try:
        return _Reader(symbol[2:]).function()
    except (_Unknown, RecursionError):
        return Name(symbol)


class _Unknown(Exception):
    """A piece of a symbol that is not understood."""


@dataclass
class _Reader:
    """Reads a symbol from left to right, remembering what may be referred back to."""

    text: str
    at: int = 0
    seen: list[str] = field(default_factory=list)
    own: list[list[str]] = field(default_factory=list)  # template arguments of the function; packs have many
    named: bool = False  # whether its name is behind us, and so what T_ stands for is known
    element: int = 0  # of packs, which one is being expanded

    # ---------------------------------------------------------------- characters

    def peek(self, *starts: str) -> str:
        """Which of `starts` comes next, or nothing."""
        return next((start for start in starts if self.text.startswith(start, self.at)), "")

    def take(self, *starts: str) -> str:
        """Step over whichever of `starts` comes next."""
        found = self.peek(*starts)
        self.at += len(found)
        return found

    def match(self, pattern: str) -> str:
        """Step over a regular expression, which must match."""
        found = re.compile(pattern).match(self.text, self.at)
        if found is None:
            raise _Unknown
        self.at = found.end()
        return found[0]

    def remember(self, piece: str) -> str:
        """Let later pieces refer to this one."""
        self.seen.append(piece)
        return piece

    # ---------------------------------------------------------------- names

    def function(self) -> Name:
        """A whole symbol."""
        name, arguments = self.name()
        self.named = True
        if arguments:
            self.type()  # an instance says what it returns
        parameters = []
        while self.at < len(self.text) and not self.peek(".", "$"):
            parameters.extend(self.types())
        return Name(name, arguments, () if parameters == ["void"] else tuple(parameters))

    def name(self) -> tuple[str, str]:
        """A name and its template arguments."""
        if self.take("N"):
            return self.nested()
        if self.take("Z"):
            return self.local()
        self.take("L")
        if self.peek("S") and not self.peek("St"):
            name = self.standard() or self.substitution()
        else:
            prefix = "std::" if self.take("St") else ""
            name = prefix + self.identifier()
            if self.peek("I"):
                self.remember(name)
        return name, self.template_arguments() if self.peek("I") else ""

    def nested(self) -> tuple[str, str]:
        """``N ... E``: a name within namespaces or classes."""
        self.match("[rVK]*[RO]?")
        pieces: list[str] = []
        arguments = ""
        while not self.take("E"):
            if self.peek("I"):
                arguments = self.template_arguments()
            elif self.peek("S"):
                pieces, arguments = [self.standard() or self.substitution()], ""
                continue
            else:
                self.take("L")
                piece = self.template_parameter() if self.peek("T") else self.identifier()
                pieces, arguments = [*pieces, *([arguments] if arguments else []), piece], ""
            if not self.peek("E"):
                self.remember(_qualified(pieces) + arguments)
        return _qualified(pieces), arguments

    def local(self) -> tuple[str, str]:
        """``Z ... E``: a name within a function, such as that of a lambda."""
        own, named, self.own, self.named = self.own, self.named, [], False
        name, arguments = self.name()
        self.named = True
        if arguments:
            self.type()
        parameters = []
        while not self.take("E"):
            parameters.extend(self.types())
        self.own, self.named = own, named
        inner, inside = self.name()
        self.match(r"(_\d|__\d+_)?")
        taken = f"({', '.join([] if parameters == ['void'] else parameters)})" if parameters else ""
        return f"{name}{arguments}{taken}::{inner}", inside

    def unnamed(self) -> str:
        """``Ul ... E_`` and ``Ut_``: a lambda, or a type without a name."""
        parameters = []
        what = self.match("U[lt]")
        while what == "Ul" and not self.take("E"):
            parameters.extend(self.types())
        number = int(self.match(r"\d*_")[:-1] or -1) + 2
        inside = ", ".join([] if parameters == ["void"] else parameters)
        return f"{{lambda({inside})#{number}}}" if what == "Ul" else f"{{unnamed type#{number}}}"

    def standard(self) -> str:
        """``St`` and the other abbreviations."""
        return _STANDARD.get(self.take(*_STANDARD), "")

    def identifier(self) -> str:
        """A length and so many characters, or what has no name."""
        if self.peek("U"):
            return self.unnamed()
        length = int(self.match(r"[1-9]\d*"))
        name = self.text[self.at : self.at + length]
        if len(name) != length:
            raise _Unknown
        self.at += length
        return "(anonymous namespace)" if name.startswith("_GLOBAL__N") else name

    def template_arguments(self) -> str:
        """``I ... E``."""
        self.take("I")
        own: list[list[str]] = []
        while not self.take("E"):
            own.append(self.template_argument())
        if not self.named:
            self.own = own
        return f"<{', '.join(text for argument in own for text in argument)}>"

    def template_argument(self) -> list[str]:
        """A type, a literal, an expression, or a pack of them."""
        if self.take("J"):
            pack: list[str] = []
            while not self.take("E"):
                pack.extend(self.template_argument())
            return pack
        if self.peek("L"):
            return [self.literal()]
        if self.take("X"):
            return [self.expression()]
        return self.types()

    def expression(self) -> str:
        """``X ... E``: the address of a function, or a template parameter."""
        prefix = "&" if self.take("ad") else ""
        if self.peek("T"):
            text = self.template_parameter()
        else:
            text = self.literal()
        if not self.take("E"):
            raise _Unknown
        return prefix + text

    def literal(self) -> str:
        """``L <type> <value> E``."""
        self.take("L")
        if self.take("_Z"):
            name = _Reader(self.text, self.at, self.seen)
            words = name.name()
            while not name.peek("E"):
                name.types()
            self.at = name.at + 1
            return "".join(words)
        code = self.peek(*_BUILTIN)
        kind = self.type()
        negative, digits = self.take("n"), self.match(r"[0-9a-f]*")
        if not self.take("E"):
            raise _Unknown
        number = f"-{digits}" if negative else digits
        if code == "b":
            return "true" if number == "1" else "false"
        return f"{number}{_SUFFIX[code]}" if code in _SUFFIX else f"({kind}){number}"

    # ---------------------------------------------------------------- types

    def types(self) -> list[str]:
        """A type; any number where it is the expansion of a pack."""
        if not self.take("Dp"):
            return [self.type()]
        start, seen = self.at, list(self.seen)
        length = next((len(argument) for argument in reversed(self.own) if len(argument) != 1), 1)
        expanded = []
        for self.element in range(max(length, 1)):
            self.at, self.seen = start, list(seen)
            expanded.append(self.type())
        self.element = 0
        self.remember(expanded[0])
        return expanded[:length]

    def type(self) -> str:
        """One type."""
        if qualifiers := self.match("[rVK]*"):
            words = [word for code, word in (("K", "const"), ("V", "volatile")) if code in qualifiers]
            return self.remember(_qualify(self.type(), " ".join(words)))
        if pointer := self.take(*_POINTERS):
            return self.remember(_point(self.type(), _POINTERS[pointer]))
        if self.peek("F"):
            return self.remember(self.function_type())
        if self.take("A"):
            size = self.match(r"\d*_")[:-1]
            return self.remember(f"{self.type()} [{size}]")
        if self.peek("T"):
            return self.parameter_type()
        if builtin := self.take(*sorted(_BUILTIN, key=len, reverse=True)):
            return _BUILTIN[builtin]
        return self.class_type()

    def parameter_type(self) -> str:
        """A template parameter, perhaps a template itself."""
        text = self.remember(self.template_parameter())
        return self.remember(text + self.template_arguments()) if self.peek("I") else text

    def class_type(self) -> str:
        """A class, an enumeration, or what was seen before."""
        if self.peek("S") and not self.peek(*_STANDARD):
            text = self.substitution()
            return self.remember(text + self.template_arguments()) if self.peek("I") else text
        name, arguments = self.name()
        return self.remember(name + arguments)

    def function_type(self) -> str:
        """``F <result> <parameters> E``."""
        self.take("F")
        self.take("Y")
        result, parameters = self.type(), []
        while not self.take("E"):
            parameters.extend(self.types())
        return f"{result} ({', '.join([] if parameters == ['void'] else parameters)})"

    def template_parameter(self) -> str:
        """``T_``, ``T0_``, ...: an argument of the function's template."""
        number = self.match(r"T[0-9A-Z]*_")[1:-1]
        index = int(number, 36) + 1 if number else 0
        if index >= len(self.own):
            raise _Unknown
        argument = self.own[index]
        if not argument:
            return ""
        return argument[self.element if len(argument) > 1 else 0]

    def substitution(self) -> str:
        """``S_``, ``S0_``, ...: what was seen before."""
        number = self.match(r"S[0-9A-Z]*_")[1:-1]
        index = int(number, 36) + 1 if number else 0
        if index >= len(self.seen):
            raise _Unknown
        return self.seen[index]


def _qualified(pieces: list[str]) -> str:
    """Pieces of a nested name joined; template arguments stand right behind theirs."""
    joined = "::".join(pieces)
    return joined.replace("::<", "<")


def _qualify(kind: str, words: str) -> str:
    """``const float``, but ``float* const``."""
    return f"{kind} {words}" if kind.endswith(("*", "&")) else f"{words} {kind}"


def _point(kind: str, mark: str) -> str:
    """``float*``, ``int (*)(int)``, ``float (*)[4]``."""
    shaped = re.fullmatch(r"(.*?) (\(.*\)|\[.*\])", kind)
    if not shaped or kind.startswith("("):
        return kind + mark
    result, rest = shaped.groups()
    inner = re.match(r"\((\*+)\)(.*)", rest)
    if inner:
        return f"{result} ({inner[1]}{mark}){inner[2]}"
    return f"{result} ({mark}){rest}"
