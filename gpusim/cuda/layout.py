"""How structs of a source lie in memory, and of what types its variables are: by C's rules, from the text alone.

A parser (tree-sitter) reads the declarations.  What it cannot tell (virtual functions, bit-fields, conditions of the
preprocessor, a name declared twice, partial specialisations) is not known, rather than guessed.

Source: Itanium C++ ABI, chapter 2.4; CUDA C++ Programming Guide 13.0, 10.3 "Built-in Vector Types", table 7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from gpusim.cuda import macros, pytorch, syntax
from gpusim.cuda.included import quoted
from gpusim.cuda.names import normal
from gpusim.cuda.scalars import SCALARS, plain
from gpusim.cuda.template_arguments import arguments, bind, parts, replaced
from gpusim.expressions import ExpressionError, Number, evaluate

POINTER_BYTES = 8
_VECTOR = re.compile(r"(char|uchar|short|ushort|int|uint|long|ulong|longlong|ulonglong|float|double)([1-4])")
_OF_VECTOR = {
    "uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int", "ulong": "unsigned long",
    "longlong": "long long", "ulonglong": "unsigned long long",
}  # fmt: skip
_PAIRS = {"half2": "half", "__half2": "__half", "__nv_bfloat162": "__nv_bfloat16", "nv_bfloat162": "__nv_bfloat16"}
_NAMES = {"cudaTextureObject_t": "unsigned long long", "cudaSurfaceObject_t": "unsigned long long"}
_WIDEST_VECTOR = 16
_ALIGN = re.compile(rb"\b(?:__align__|__builtin_align__|__CUDA_ALIGN__)(?=\s*\()")
_REFUSED = re.compile(rb"__attribute__|\bpacked\b|\bvirtual\b|__declspec")
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]+)", re.MULTILINE)
_PACKS = re.compile(
    rb'^[ \t]*#[ \t]*pragma[ \t]+pack\b|^(?![ \t]*(?:#|//|/?\*))[^\n]*\b_{1,2}[Pp]ragma\s*\(\s*"?pack\b', re.MULTILINE
)
"""That structs are packed, said by a directive of the source itself, not by a macro's definition or a comment."""
_SIZE = re.compile(r"\bsizeof\s*\(([^()]+)\)")
_UNDECLARED = "is not declared in the source"
_SUFFIX = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU]?)\b")


class Field(NamedTuple):
    """A member of a struct, and its first byte there."""

    name: str
    type: Type
    offset: int


@dataclass(frozen=True)
class Type:
    """A type and how it lies in memory.

    Attributes
    ----------
    name : str
        In C++.
    nbytes, alignment : int
    fields : tuple of Field
        Of a struct; none of anything else, or where they are not told apart (a union).
    element : Type or None
        Of an array.
    """

    name: str
    nbytes: int
    alignment: int
    fields: tuple[Field, ...] = ()
    element: Type | None = None

    @property
    def is_pointer(self) -> bool:
        """Whether it is an address."""
        return self.name.endswith("*")

    @property
    def is_scalar(self) -> bool:
        """Whether it is a number."""
        return plain(self.name) in SCALARS

    @property
    def count(self) -> int:
        """Elements of an array, 1 of anything else."""
        return self.nbytes // self.element.nbytes if self.element else 1


class UnknownTypeError(Exception):
    """What keeps a type from being known."""


class _Scope(NamedTuple):
    """Where a name stands: in types that are being worked out, in a class, whose template has arguments."""

    within: tuple[str, ...] = ()
    bound: Mapping[str, str] = MappingProxyType({})
    inside: Any = None

    def at(self, name: str, node: Any) -> _Scope:
        """In the declaration of a type: arguments are known in the class alone."""
        scope = self if _is_inside(node, self.inside) else _Scope(self.within)
        return scope._replace(within=(*self.within, name))


class Declared:
    """Types, variables and constants that the texts of a source declare.

    Parameters
    ----------
    texts : iterable of str
        The source and the user's headers.
    defines : mapping of str to str
        Macros besides those in the texts.
    """

    def __init__(self, texts: Iterable[str], defines: Mapping[str, str] | None = None) -> None:
        self._types: dict[str, list[Any]] = {}
        self._variables: dict[str, list[tuple[Any, Any]]] = {}
        self._enumerators: dict[str, str] = {}
        self._macros = dict(defines or {})
        self._is_packed = False
        data = [text.encode(errors="replace") for text in texts]
        unknown = macros.specifiers(data)
        for text in data:
            for name, value in _DEFINE.findall(text.decode()):
                self._macros.setdefault(name, re.split(r"//|/\*", value)[0].strip())
            self._is_packed |= _PACKS.search(text) is not None
            self._read(syntax.parse(_ALIGN.sub(b"alignas", text), alignment=True, unknown=unknown))

    def type(self, name: str) -> Type:
        """The type of a name, of a pointer, or of a built-in type.

        Parameters
        ----------
        name : str

        Raises
        ------
        UnknownTypeError
        """
        return self._type(name, _Scope())

    def variable(self, name: str) -> Type | None:
        """The type of a ``__constant__`` or ``__device__`` variable; None where it is not known.

        Parameters
        ----------
        name : str
            With or without namespaces.
        """
        found = self._variables_of(name)
        if len(found) != 1:
            return None
        node, declarator = found[0]
        try:
            return self._declared(self._of_node(node, _Scope()), declarator, _Scope())[1]
        except UnknownTypeError:
            return None

    def number(self, text: str) -> int | None:
        """Value of a constant expression of integers; None where it has none."""
        try:
            found = self._evaluated(text, _Scope())
        except ExpressionError:
            return None
        return found if isinstance(found, int) else None

    def is_initialised(self, name: str) -> bool:
        """Whether a variable has an initialiser."""
        return any(declarator.type == "init_declarator" for _, declarator in self._variables_of(name))

    def _variables_of(self, name: str) -> list[tuple[Any, Any]]:
        """Declarations and declarators of a variable: of several of this name those in its namespace."""
        name = name.partition("<")[0]
        found = self._variables.get(name.rpartition("::")[2], [])
        own = [one for one in found if "::".join([*syntax.namespaces(one[0]), _innermost(one[1])]) == name]
        return own or found

    # -------------------------------------------------------------- reading

    def _read(self, root: Any) -> None:
        for node in syntax.walk(root):
            if node.type in ("struct_specifier", "class_specifier", "union_specifier", "enum_specifier"):
                name = node.child_by_field_name("name")
                if name is not None and node.child_by_field_name("body") is not None:
                    self._types.setdefault(_text(name), []).append(node)
            elif node.type == "type_definition":
                for declarator in node.children_by_field_name("declarator"):
                    self._types.setdefault(_innermost(declarator), []).append(node)
            elif node.type == "alias_declaration":
                self._types.setdefault(_text(node.child_by_field_name("name")), []).append(node)
            elif node.type == "enumerator_list":
                self._read_enumerators(node)
            elif node.type == "declaration" and _is_at_scope(node):
                self._read_variable(node)

    def _read_enumerators(self, node: Any) -> None:
        last, further = "-1", 0
        for one in (child for child in node.children if child.type == "enumerator"):
            value = _text(one.child_by_field_name("value"))
            last, further = (value, 0) if value else (last, further + 1)
            self._enumerators[_text(one.child_by_field_name("name"))] = f"({last}) + {further}" if further else last

    def _read_variable(self, node: Any) -> None:
        for declarator in node.children_by_field_name("declarator"):
            name = _innermost(declarator)
            self._variables.setdefault(name, []).append((node, declarator))
            value = declarator.child_by_field_name("value")
            if value is not None and re.search(rb"\bconst(expr)?\b", node.text):
                self._enumerators.setdefault(name, _text(value))

    # -------------------------------------------------------------- types

    def _type(self, name: str, scope: _Scope) -> Type:
        text = " ".join(re.sub(r"\b(const|volatile|struct|union|enum|class|typename)\b", " ", name).split())
        text = re.sub(r"\s*\*\s*", "*", re.sub(r"\b__restrict__\b|\b__restrict\b", "", text)).strip()
        if text.endswith("*"):
            return Type(replaced(text, scope.bound), POINTER_BYTES, POINTER_BYTES)
        if text in scope.bound:
            return self._type(scope.bound[text], _Scope(scope.within))
        text = _NAMES.get(text, text)
        if nbytes := SCALARS.get(plain(text)):
            return Type(text, nbytes, nbytes)
        if built_in := vector(text):
            return built_in
        *outer, last = parts(text)
        if outer and "<" in outer[-1]:
            inner = self._instance(outer[-1], scope)[1]
            if not any(_is_inside(node, inner.inside) for node in self._types.get(last, [])):
                raise UnknownTypeError(f"{text} {_UNDECLARED}")
            return self._own(last, inner)
        return self._instance_or_own(last, scope)

    def _instance_or_own(self, name: str, scope: _Scope) -> Type:
        if "<" not in name:
            return self._own(name, scope)
        node, inner = self._instance(name, scope)
        return self._of_class(node, inner.within[-1], inner)

    def _instance(self, name: str, scope: _Scope) -> tuple[Any, _Scope]:
        """The class that a template makes of arguments, and the scope of what is declared in it."""
        name = replaced(name, scope.bound)
        first, given = arguments(name)
        first, within = first.rpartition("::")[2], (*scope.within, name)
        if name in scope.within:
            raise UnknownTypeError(f"{name} is declared by itself")
        specialised = [node for key in self._types if key.startswith(first + "<") for node in self._types[key]]
        for node in specialised:
            if _is_whole(node.parent) and normal(_text(node.child_by_field_name("name"))) == normal(name):
                return node, _Scope(within, inside=node)
        found = [node for node in self._types.get(first, []) if _is_template(node.parent)]
        if len(found) != 1:
            raise UnknownTypeError(f"{first} {'is declared more than once' if found else _UNDECLARED}")
        if any(not _is_whole(node.parent) for node in specialised):
            raise UnknownTypeError(f"{first} has partial specialisations")
        bound = bind(found[0].parent, given)
        if bound is None:
            raise UnknownTypeError(f"the arguments of {name} are not understood")
        return found[0], _Scope(within, bound, found[0])

    def _own(self, name: str, scope: _Scope) -> Type:
        """A type that the source declares."""
        found = [node for node in self._types.get(name, []) if not _is_same_typedef(node, name)]
        found = (self._nearest(found, scope.inside) if scope.inside else []) or found
        if name in scope.within or len(found) != 1:
            raise UnknownTypeError(f"{name} {'is declared more than once' if found else _UNDECLARED}")
        node, scope = found[0], scope.at(name, found[0])
        if node.type == "type_definition":
            base = self._of_node(node, scope)
            one = next(d for d in node.children_by_field_name("declarator") if _innermost(d) == name)
            return self._renamed(self._declared(base, one, scope)[1], name)
        if node.type == "alias_declaration":
            return self._type(_text(node.child_by_field_name("type")), scope)
        return self._of_specifier(node, name, scope)

    def _nearest(self, found: Sequence[Any], inside: Any) -> list[Any]:
        """Those of some declarations that stand in a class, else in one of its base classes."""
        todo, seen = [inside], set[int]()
        while todo:
            node = todo.pop(0)
            if own := [one for one in found if _is_inside(one, node)]:
                return own
            seen.add(node.id)
            names = (_text(base).partition("<")[0].rpartition("::")[2] for base in _bases(node))
            bases = (base for name in names for base in self._types.get(name, []) if base.type in _CLASSES)
            todo += [base for base in bases if base.id not in seen]
        return []

    @staticmethod
    def _renamed(found: Type, name: str) -> Type:
        return Type(name, found.nbytes, found.alignment, found.fields, found.element) if found.fields else found

    def _of_node(self, node: Any, scope: _Scope) -> Type:
        """The type that a declaration begins with."""
        kind = node.child_by_field_name("type")
        if kind is None:
            raise UnknownTypeError(f"{_text(node)[:40]!r} is not understood")
        if kind.child_by_field_name("body") is not None:
            return self._of_specifier(kind, "struct", scope)
        return self._type(_text(kind), scope)

    def _of_specifier(self, node: Any, name: str, scope: _Scope) -> Type:
        if node.type == "enum_specifier":
            base = node.child_by_field_name("base")
            return self._type(_text(base) if base is not None else "int", scope)
        if _is_template(node.parent):
            raise UnknownTypeError(f"{name} is a template")
        return self._of_class(node, name, scope)

    def _of_class(self, node: Any, name: str, scope: _Scope) -> Type:
        if _REFUSED.search(node.text) or self._is_packed:
            raise UnknownTypeError(f"{name} is packed, has attributes or virtual functions")
        return self._struct(node, name, scope._replace(inside=node))

    def _struct(self, node: Any, name: str, scope: _Scope) -> Type:
        """Base classes, then members one after another, each at a multiple of its alignment."""
        is_union = node.type == "union_specifier"
        fields, end, padded = self._of_bases(node, name, scope)
        alignment = max(
            [
                *(field.type.alignment for field in fields), 1,
                *(self._aligned(child, scope) for child in node.children if child.type == "alignas_qualifier"),
            ]
        )  # fmt: skip
        for member, kind, own in self._members(node, name, scope):
            if -(-end // own) * own < padded:
                raise UnknownTypeError(f"{name} has a base class after which there may be a gap")
            alignment, start = max(alignment, own), 0 if is_union else -(-end // own) * own
            fields.append(Field(member, kind, start))
            end = max(end, start + kind.nbytes)
        nbytes = -(-max(end, 1) // alignment) * alignment
        return Type(name, nbytes, alignment, () if is_union else tuple(fields))

    def _of_bases(self, node: Any, name: str, scope: _Scope) -> tuple[list[Field], int, int]:
        """Fields of base classes, where the last of them ends, and where its class does.

        Whether a member may lie in between depends on what C++ says of the class, so none is known that would.
        """
        fields, end, padded = list[Field](), 0, 0
        for base in _bases(node):
            kind = self._type(_text(base), scope)
            if kind.fields:
                start = -(-end // kind.alignment) * kind.alignment
                if start < padded:
                    raise UnknownTypeError(f"{name} has base classes between which there may be a gap")
                fields += [field._replace(offset=start + field.offset) for field in kind.fields]
                end, padded = fields[-1].offset + fields[-1].type.nbytes, start + kind.nbytes
            elif kind.nbytes > 1:
                raise UnknownTypeError(f"{name} has a base class whose fields are not known")
        return fields, end, padded

    def _members(self, node: Any, name: str, scope: _Scope) -> Iterator[tuple[str, Type, int]]:
        """Name, type and alignment of each member."""
        for child in node.child_by_field_name("body").named_children:
            if child.type in _NO_MEMBERS or (child.type == "field_declaration" and _is_function_or_static(child)):
                continue
            if child.type != "field_declaration" or any(one.type == "bitfield_clause" for one in child.children):
                raise UnknownTypeError(f"a member of {name} is not understood: {_text(child).splitlines()[0][:60]}")
            declarators = child.children_by_field_name("declarator")
            if not declarators:
                if _declares_no_member(child.child_by_field_name("type")):
                    continue
                raise UnknownTypeError(f"{name} has a member without a name")
            base = self._base_of(child, declarators, scope)
            given = max([1, *(self._aligned(one, scope) for one in child.children if one.type == "alignas_qualifier")])
            for declarator in declarators:
                member, kind = self._declared(base, declarator, scope)
                yield member, kind, max(kind.alignment, given)

    def _base_of(self, node: Any, declarators: Sequence[Any], scope: _Scope) -> Type:
        """The type that a member's declaration begins with; where only pointers to it are declared it may be any."""
        try:
            return self._of_node(node, scope)
        except UnknownTypeError:
            kind = node.child_by_field_name("type")
            if kind is None or any(one.type != "pointer_declarator" for one in declarators):
                raise
            return Type(replaced(_text(kind), scope.bound), 0, 1)

    def _declared(self, base: Type, declarator: Any, scope: _Scope) -> tuple[str, Type]:
        """Name and type of a declarator of a type: a pointer to it, an array of it, or itself."""
        if declarator.type == "init_declarator":
            return self._declared(base, declarator.child_by_field_name("declarator"), scope)
        inner = declarator.child_by_field_name("declarator")
        if declarator.type == "array_declarator":
            count = self._number(declarator.child_by_field_name("size"), scope)
            return self._declared(
                Type(f"{base.name}[{count}]", base.nbytes * count, base.alignment, (), base), inner, scope
            )
        if declarator.type == "pointer_declarator":
            return self._declared(Type(f"{base.name}*", POINTER_BYTES, POINTER_BYTES), inner, scope)
        if declarator.type in ("function_declarator", "parenthesized_declarator", "reference_declarator"):
            if "*" in _text(declarator) or "&" in _text(declarator):
                return _innermost(declarator), Type("void*", POINTER_BYTES, POINTER_BYTES)
            raise UnknownTypeError(f"{_text(declarator)[:40]!r} is not understood")
        return _text(declarator), base

    def _aligned(self, node: Any, scope: _Scope) -> int:
        """What ``alignas`` asks for."""
        inside = node.named_children[0] if node.named_children else None
        with_type = inside is not None and inside.type in ("type_descriptor", "primitive_type")
        return self._type(_text(inside), scope).alignment if with_type else self._number(inside, scope)

    def _number(self, node: Any, scope: _Scope) -> int:
        """Value of a constant expression of integers."""
        if node is None:
            raise UnknownTypeError("an array has no size")
        try:
            found = self._evaluated(_text(node), scope)
        except ExpressionError as error:
            raise UnknownTypeError(f"a size is not known: {error}") from None
        if not isinstance(found, int) or found < 1:
            raise UnknownTypeError(f"{_text(node)} is no size")
        return found

    def _evaluated(self, text: str, scope: _Scope) -> Number:
        """Value of an expression of C's, with the constants of the source."""
        try:
            text = _SIZE.sub(lambda found: str(self._type(found[1], scope).nbytes), replaced(text, scope.bound))
        except UnknownTypeError as error:
            raise ExpressionError(str(error)) from None
        text = _SUFFIX.sub(lambda found: found[1], text).replace("/", "//") if "." not in text else text
        return evaluate(text, _Constants(self, scope))

    @cached_property
    def _values(self) -> dict[str, str]:
        return {**self._enumerators, **self._macros}


class _Constants(Mapping[str, Number]):
    """Constants of a source by name, each worked out when it is asked for."""

    def __init__(self, declared: Declared, scope: _Scope) -> None:
        self._declared, self._scope = declared, scope
        self._texts = declared._values

    def __getitem__(self, name: str) -> Number:
        if name in self._scope.within:
            raise ExpressionError(f"{name} is defined by itself")
        return self._declared._evaluated(self._texts[name], _Scope((*self._scope.within, name)))

    def __contains__(self, name: object) -> bool:
        return name in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


_CLASSES = ("struct_specifier", "class_specifier")
_NO_MEMBERS = ("comment", "access_specifier", "function_definition", "using_declaration", "friend_declaration",
               "alias_declaration", "type_definition", "static_assert_declaration", "template_declaration",
               "declaration")  # fmt: skip
"""Nodes in the body of a class that take no place there; constructors are declarations."""


def _bases(node: Any) -> list[Any]:
    """The base classes that a class names."""
    clause = next((child for child in node.children if child.type == "base_class_clause"), None)
    named = clause.named_children if clause is not None else ()
    return [child for child in named if child.type not in ("access_specifier", "comment")]


def _text(node: Any) -> str:
    return node.text.decode() if node is not None else ""


def _innermost(declarator: Any) -> str:
    """The name that a declarator declares."""
    while True:
        inner = declarator.child_by_field_name("declarator")
        if inner is None and declarator.type in ("parenthesized_declarator", "reference_declarator"):
            inner = declarator.named_children[0] if declarator.named_children else None
        if inner is None:
            return _text(declarator)
        declarator = inner


def _declares_no_member(kind: Any) -> bool:
    """Whether a type in a class, without a name behind it, only declares names there: an enum, a nested class."""
    return kind is not None and (kind.type == "enum_specifier" or kind.child_by_field_name("name") is not None)


def _is_template(node: Any) -> bool:
    return node is not None and node.type == "template_declaration"


def _is_whole(node: Any) -> bool:
    """Whether a template is a specialisation that has no parameters left."""
    return _is_template(node) and not node.child_by_field_name("parameters").named_children


def _is_inside(node: Any, outer: Any) -> bool:
    """Whether a node is part of a class; of none where there is none."""
    while node is not None and outer is not None:
        if node.id == outer.id:
            return True
        node = node.parent
    return False


def _is_function_or_static(node: Any) -> bool:
    """Whether a declaration in a class takes no place in its objects."""
    if any(child.type == "storage_class_specifier" and child.text == b"static" for child in node.children):
        return True
    return any(_is_function(one) for one in node.children_by_field_name("declarator"))


def _is_function(declarator: Any) -> bool:
    """Whether a member is a function, whatever it returns; a pointer to one is not."""
    while declarator.type in ("pointer_declarator", "reference_declarator"):
        declarator = declarator.named_children[-1]
    return declarator.type == "function_declarator" and b"(*" not in b"".join(declarator.text.split())


def _is_at_scope(node: Any) -> bool:
    """Whether a declaration stands in no function and no class."""
    while (node := node.parent) is not None:
        if node.type in ("compound_statement", "field_declaration_list", "parameter_list"):
            return False
    return True


def _is_same_typedef(node: Any, name: str) -> bool:
    """Whether it is C's ``typedef struct X X``, which declares nothing new."""
    if node.type != "type_definition":
        return False
    kind = node.child_by_field_name("type")
    return _text(kind.child_by_field_name("name")) == name if kind is not None else False


def vector(name: str) -> Type | None:
    """One of CUDA's vectors: of two or four elements it is aligned to its size, 16 bytes at most."""
    if name == "dim3":
        return _of_elements(name, "unsigned int", 3, 4)
    if name in _PAIRS:
        return _of_elements(name, _PAIRS[name], 2, 4)
    found = _VECTOR.fullmatch(name)
    if found is None:
        return None
    base, count = _OF_VECTOR.get(found[1], found[1]), int(found[2])
    own = SCALARS[plain(base)]
    return _of_elements(name, base, count, own if count in (1, 3) else min(own * count, _WIDEST_VECTOR))


def _of_elements(name: str, base: str, count: int, alignment: int) -> Type:
    own = SCALARS[plain(base)]
    fields = tuple(Field("xyzw"[n], Type(base, own, own), own * n) for n in range(count))
    return Type(name, own * count, alignment, fields)


@dataclass(frozen=True)
class Origin:
    """The text that a module was compiled from, and where its headers are searched.

    Attributes
    ----------
    text : str
    folders : tuple of Path
    defines : tuple of str
        ``NAME`` or ``NAME=value``.
    """

    text: str
    folders: tuple[Path, ...]
    defines: tuple[str, ...] = ()

    def declared(self) -> Declared:
        """What it declares."""
        return _declared(self)


@lru_cache(maxsize=8)
def _declared(origin: Origin) -> Declared:
    texts = [origin.text, *(text for _, text in quoted(origin.text, origin.folders))]
    if pytorch.asked_for(texts):
        texts.append(pytorch.declared())
    split = (define.partition("=") for define in origin.defines)
    return Declared(texts, {name: value if equals else "1" for name, equals, value in split})
