"""Device code out of any file: host code, and what only it needs, are left out.

A tolerant parser (tree-sitter with its CUDA grammar) tells the definitions of a file.  Kept are those that are marked
for the device and, from them on, every type, constant, alias and constexpr function whose name they use.  A host
function cannot be called by device code, so it is never kept.  Lines keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from gpusim.cuda import macros
from gpusim.cuda.edits import beside_directives, blanks, blanks_for, edited
from gpusim.cuda.syntax import parse, walk

_MARKS = frozenset(("__global__", "__device__", "__constant__", "__managed__"))
_CONDITIONS = ("preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif")
_SCOPES = ("declaration_list", *_CONDITIONS, "translation_unit")
_LINKAGE = "linkage_specification"
_OUTER = ("namespace_definition", _LINKAGE, *_SCOPES)
_DIRECTIVE = re.compile(r"preproc_(include|def|function_def|call)")
_CLASSES = ("struct_specifier", "class_specifier", "union_specifier")
_NAMES = ("identifier", "type_identifier", "namespace_identifier", "field_identifier")


_LONGEST = 200
"""Bytes before a definition in which words may stand that say how it is linked."""


@dataclass
class _Item:
    """One definition at namespace scope: where it is, which names it declares and uses."""

    file: str
    node: Any
    text: bytes
    declares: frozenset[str]
    is_device: bool
    is_host: bool
    members: list[tuple[int, int, bytes]]
    uses: frozenset[str] = field(default=frozenset())


def device_code(files: Mapping[str, str], wanted: Iterable[str] = ()) -> dict[str, str]:
    """Leave host code out of a source and its headers.

    Parameters
    ----------
    files : mapping
        Text of each file by the name it goes by; names used in one may be declared in another.
    wanted : iterable of str
        Instances of templates, whose arguments are kept, too.

    Returns
    -------
    dict
        The same files without host code.
    """
    data = {name: text.encode(errors="replace") for name, text in files.items()}
    said = macros.device_specifiers(data.values())
    data = {name: macros.replaced(text, said) for name, text in data.items()}
    meant = macros.macro_words(data.values())
    marks = _MARKS | {name for name in meant if macros.reached({name}, meant) & _MARKS}
    texts = list(data.values())
    unknown = macros.storage(texts)
    members = macros.member_macros(texts, marks) | macros.frames(macros.WITHOUT_ARGUMENTS, texts)
    calls, tabled = macros.host_calls(texts, marks), macros.table_forms(texts, marks)
    data = {name: macros.without_calls(text, calls) for name, text in data.items()}
    tables = {name: macros.tables(text, tabled) for name, text in data.items()}
    parsed = {
        name: edited(text, [(*span, blanks_for(text[slice(*span)])) for span in tables[name]])
        for name, text in data.items()
    }
    items = [item for name, text in parsed.items() for item in _items(name, text, marks, unknown | members)]
    besides = [data[name][slice(*span)] for name in data for span in tables[name]]
    besides += [text.encode(errors="replace") for text in wanted]
    kept = _needed(items, meant, macros.words_of(b" ".join(besides)))
    return {
        name: _blanked(text, [item for item in items if item.file == name], kept, marks, unknown).decode()
        for name, text in data.items()
    }


def _items(file: str, data: bytes, marks: frozenset[str] | set[str], unknown: frozenset[bytes]) -> Iterator[_Item]:
    """Definitions at namespace scope, in namespaces and behind conditions too."""
    todo = [parse(data, unknown=unknown)]
    while todo:
        node = todo.pop()
        for child in node.children:
            if child.type in _OUTER and not _is_one_with_linkage(child):
                todo.append(child)
            elif child.is_named and child.text != b"}" and child.type not in _NO_ITEMS and not _is_part(node, child):
                yield _item(file, child, marks, data)


_NO_ITEMS = ("comment", "string_literal")


def _is_one_with_linkage(node: Any) -> bool:
    """Whether a node is ``extern "C"`` before a single definition."""
    body = node.child_by_field_name("body") if node.type == _LINKAGE else None
    return body is not None and body.type != "declaration_list"


def _is_part(node: Any, child: Any) -> bool:
    """Whether a node belongs to a directive of the preprocessor or is one, or is a namespace's name."""
    if _DIRECTIVE.fullmatch(child.type):
        return True
    return node.type.startswith(("preproc", "namespace")) and child in (
        node.child_by_field_name("condition"),
        node.child_by_field_name("name"),
    )


def _item(file: str, node: Any, marks: frozenset[str] | set[str], data: bytes) -> _Item:
    inner = _inner(node)
    first, text = node.start_byte, data[node.start_byte : node.end_byte]
    members = [*_members(node, marks, data)]
    words = macros.words_of(edited(text, [(begin - first, end - first, new) for begin, end, new in members]))
    is_type = inner.type in _CLASSES or inner.type == "enum_specifier"
    own = macros.words_of(node.text[: _body_start(inner, node)])
    is_function = inner.type == "function_definition" or _declares_function(inner)
    using = inner.type == "using_declaration" and b"namespace" in node.text.split()
    is_host = (is_function and not own & {"constexpr", "consteval"}) or node.type == "static_assert_declaration"
    is_device = using or (not is_type and bool(own & marks)) or (inner.type == "ERROR" and bool(words & marks))
    declares = words if inner.type in ("ERROR", "alias_declaration") else _declared(inner)
    if inner.type == "template_instantiation":
        is_device = bool(words & marks)
        is_host = not is_device
    return _Item(file, node, text, frozenset(declares), is_device, is_host, members, words)


def _inner(node: Any) -> Any:
    """What a template is of, or ``extern "C"`` or ``friend`` stands before."""
    while node.type in ("template_declaration", "friend_declaration", _LINKAGE):
        node = node.named_children[-1]
    return node


def _body_start(inner: Any, node: Any) -> int:
    body = inner.child_by_field_name("body")
    end: int = body.start_byte if body is not None else inner.end_byte
    return end - int(node.start_byte)


def _declares_function(inner: Any) -> bool:
    declarator = inner.child_by_field_name("declarator") if inner.type == "declaration" else None
    while declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator"):
        declarator = declarator.child_by_field_name("declarator") or (declarator.named_children or [None])[-1]
    return declarator is not None and declarator.type == "function_declarator"


def _declared(inner: Any) -> frozenset[str]:
    """Names that a definition may declare: all that stand outside braces; of an enumeration all."""
    found, todo = set(), [inner]
    while todo:
        node = todo.pop()
        if node.type in _NAMES:
            found.add(node.text.decode())
        if node.type not in _BODIES or node.id == inner.id:
            todo.extend(node.children)
    return frozenset(found)


_BODIES = ("compound_statement", "field_declaration_list", "parameter_list", "base_class_clause")
"""Where names stand that a definition only uses."""


def _needed(items: list[_Item], meant: Mapping[str, frozenset[str]], words: frozenset[str]) -> set[int]:
    """Positions of the items that device code is or uses; ``words`` are used besides."""
    kept = {n for n, item in enumerate(items) if item.is_device}
    by_name: dict[str, list[int]] = {}
    for n, item in enumerate(items):
        if not item.is_host:
            for name in item.declares:
                by_name.setdefault(name, []).append(n)
    uses = [items[n].uses for n in kept] + [words]
    done: set[str] = set()
    while uses:
        new = macros.reached(uses.pop() - done, meant) - done
        done |= new
        for word in new:
            for n in by_name.get(word, ()):
                if n not in kept:
                    kept.add(n)
                    uses.append(items[n].uses)
    return {id(items[n]) for n in kept}


def _blanked(
    text: bytes, items: list[_Item], kept: set[int], marks: frozenset[str] | set[str], storage: frozenset[bytes]
) -> bytes:
    """The text with blanks for what is left out, host members of kept classes too."""
    edits: list[tuple[int, int, bytes]] = []
    for item in items:
        if id(item) not in kept:
            edits.append(_blank(item.node, text))
            continue
        edits.extend(item.members)
        inner = _inner(item.node)
        if inner.type == "function_definition" and not item.is_device:
            edits.append((inner.start_byte, inner.start_byte, b"__host__ __device__ "))
    said = re.compile(rb"(?:\b(?:%s)\b\s*)+\Z" % b"|".join(sorted(storage) or [rb"\0"]))
    left_out = [begin for begin, end, _ in edits if end > begin]
    before = [said.search(text, max(0, begin - _LONGEST), begin) for begin in left_out]
    edits += [(*found.span(), blanks(found)) for found in before if found]
    return _REFUSAL.sub(blanks, edited(text, edits))


_COMMENT_OR_DIRECTIVE = re.compile(
    rb"(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<line>^[ \t]*#(?:\\\r?\n|[^\n])*)|[^\n/]+|/", re.DOTALL | re.MULTILINE
)


_REFUSAL = re.compile(rb"^[ \t]*#[ \t]*error\b(?:\\\r?\n|[^\n])*", re.MULTILINE)
"""What refuses to be compiled where host code lacks something."""
_REST_OF_LINE = re.compile(rb"(?:\\\r?\n|[^\n])*")


def _blank(node: Any, data: bytes) -> tuple[int, int, bytes]:
    """Blanks for all but the ends of its lines, and directives: the preprocessor knows no scopes."""
    begin = node.start_byte
    if data[data.rfind(b"\n", 0, begin) + 1 : begin].lstrip().startswith(b"#"):  # what parsers take for code
        begin = min(node.end_byte, _REST_OF_LINE.match(data, begin).end())  # type: ignore[union-attr]
    return begin, node.end_byte, beside_directives(_COMMENT_OR_DIRECTIVE, data[begin : node.end_byte], blanks)


def _members(node: Any, marks: frozenset[str] | set[str], data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Host functions among the members of a class are left out; of those that make it polymorphic the bodies are."""
    for member in _of_classes(node, data):
        said = macros.words_of(member.text)
        if member.type == "field_declaration" and "__host__" in said and not said & marks:
            yield _blank(member, data)
        if member.type not in ("function_definition", "template_declaration", "friend_declaration"):
            continue
        inner = _inner(member)
        own = macros.words_of(member.text[: _body_start(inner, member)])
        if not _is_function(inner) or own & marks or b"=default" in _tight(member.text):
            continue
        if "virtual" in own:
            yield from _body(inner, data)
        elif own & {"constexpr", "consteval"}:
            yield inner.start_byte, inner.start_byte, b"__host__ __device__ "
        else:
            yield _blank(member, data)


def _body(function: Any, data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """What a function does is left out: it may call what is."""
    body = function.child_by_field_name("body")
    if body is not None and body.type == "compound_statement":
        begin, end, empty = _blank(body, data)
        yield begin, end, b"{%s}" % empty[1:-1]


_CLASS = re.compile(rb"\b(?:struct|class|union)\b")


def _of_classes(node: Any, data: bytes) -> Iterator[Any]:
    """Members of the classes in a node, local ones too; few functions have any."""
    todo = [node]
    while todo:
        one = todo.pop()
        if one.type == "field_declaration_list":
            yield from _behind_conditions(one)
        if _CLASS.search(data, one.start_byte, one.end_byte):
            todo.extend(reversed(one.children))


def _behind_conditions(members: Any) -> Iterator[Any]:
    """Members, those behind conditions of the preprocessor too."""
    for one in members.children:
        if one.type in _CONDITIONS:
            yield from _behind_conditions(one)
        else:
            yield one


def _is_function(inner: Any) -> bool:
    """Whether a node is the definition of a function; a member behind an unknown macro only looks like one."""
    declarator = inner.child_by_field_name("declarator") if inner.type == "function_definition" else None
    return declarator is not None and any(
        node.type in ("function_declarator", "operator_cast") for node in walk(declarator)
    )


def _tight(text: bytes) -> bytes:
    return b"".join(text.split())
