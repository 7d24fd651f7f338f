"""Device code out of any file: host code, and what only it needs, are left out.

A tolerant parser (tree-sitter with its CUDA grammar) tells the definitions of a file.  Kept are those that are marked
for the device and, from them on, every type, constant, alias and constexpr function whose name they use.  A host
function cannot be called by device code, so it is never kept.  Lines keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from gpusim.cuda import toolchain
from gpusim.cuda.conditionals import flattened
from gpusim.cuda.cuda_errors import MissingToolError

_MARKS = frozenset(("__global__", "__device__", "__constant__", "__managed__"))
_WORD = re.compile(rb"[A-Za-z_]\w*")
_SCOPES = ("declaration_list", "preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "translation_unit")
_LINKAGE = "linkage_specification"
_OUTER = ("namespace_definition", _LINKAGE, *_SCOPES)
_DIRECTIVE = re.compile(r"preproc_(include|def|function_def|call)")
_CLASSES = ("struct_specifier", "class_specifier", "union_specifier")
_NAMES = ("identifier", "type_identifier", "namespace_identifier", "field_identifier")
_DEFINE = re.compile(rb"#[ \t]*define[ \t]+(\w+)((?:\\\r?\n|[^\n])*)")


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
    said = _device_specifiers(data.values())
    data = {name: _replaced(text, said) for name, text in data.items()}
    macros = _macros(data.values())
    marks = _MARKS | {name for name in macros if _reached({name}, macros) & _MARKS}
    texts = list(data.values())
    unknown = _storage(texts)
    members = _member_macros(texts, marks) | _frames(_WITHOUT_ARGUMENTS, texts)
    calls, tabled = _host_macros(texts, marks), _table_forms(texts, marks)
    data = {name: _without_calls(text, calls) for name, text in data.items()}
    tables = {name: _tables(text, tabled) for name, text in data.items()}
    parsed = {
        name: _edited(text, [(*span, _blanks_for(text[slice(*span)])) for span in tables[name]])
        for name, text in data.items()
    }
    items = [item for name, text in parsed.items() for item in _items(name, text, marks, unknown | members)]
    besides = [data[name][slice(*span)] for name in data for span in tables[name]]
    besides += [text.encode(errors="replace") for text in wanted]
    kept = _needed(items, macros, _words(b" ".join(besides)))
    return {
        name: _blanked(text, [item for item in items if item.file == name], kept, marks, unknown).decode()
        for name, text in data.items()
    }


@cache
def _parser() -> Any:
    try:
        import tree_sitter
        import tree_sitter_cuda
    except ImportError:
        raise MissingToolError(
            f"tree-sitter-cuda, which finds device code, is not installed: {toolchain.INSTALL}"
        ) from None
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))


_BOUNDS = rb"__launch_bounds__|__cluster_dims__|__block_size__|__maxnreg__"
_INSIDE = rb")\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_BOUND = re.compile(rb"\b(?:" + _BOUNDS + _INSIDE)
_ALIGNED = re.compile(rb"\b(?:__align__|__CUDA_ALIGN__|alignas|" + _BOUNDS + _INSIDE)
"""What may stand between a keyword and the name that it declares, which the grammar does not always know."""
_FRIEND = re.compile(rb"(?<=__)\s+friend\b(?=[^;{}()]*\()")
"""After a mark of the device and before a function, which is to the grammar sometimes a friend of its type."""


def parse(data: bytes, *, alignment: bool = False, unknown: frozenset[bytes] = frozenset()) -> Any:
    """Root of the tree of a text.

    Parameters
    ----------
    data : bytes
    alignment : bool
        Keep ``alignas`` in it.
    unknown : frozenset of bytes
        Macros that the tree is without.
    """
    flat = _LONG_DIRECTIVE.sub(_uncommented, (_BOUND if alignment else _ALIGNED).sub(_blanks, flattened(data)))
    flat = _FRIEND.sub(_blanks, flat)
    if unknown:
        named = re.compile(_DIRECTIVES + rb"|\b(?:%s)\b" % b"|".join(sorted(unknown)), re.MULTILINE)
        flat = named.sub(lambda found: found[0] if found["line"] else _blanks(found), flat)
    return _parser().parse(flat).root_node


_LONG_DIRECTIVE = re.compile(rb"^[ \t]*#(?:[^\n]*\\\r?\n)+[^\n]*", re.MULTILINE)
_INNER_COMMENT = re.compile(rb"/\*[^*]*\*+(?:[^/*][^*]*\*+)*/")


def _uncommented(directive: re.Match[bytes]) -> bytes:
    """A directive of several lines without comments in it, at which the grammar takes it to end."""
    return _INNER_COMMENT.sub(_blanks_of_comment, directive[0])


def _blanks_of_comment(found: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\n\\]", b" ", found[0])


def walk(node: Any) -> Iterator[Any]:
    """Nodes of a tree, a parent before its children."""
    todo = [node]
    while todo:
        one = todo.pop()
        yield one
        todo.extend(reversed(one.children))


def namespaces(node: Any) -> list[str]:
    """Named namespaces that a node stands in, the outermost first."""
    found: list[str] = []
    while (node := node.parent) is not None:
        name = node.child_by_field_name("name") if node.type == "namespace_definition" else None
        if name is not None:
            found.insert(0, name.text.decode())
    return found


def _macros(texts: Iterable[bytes]) -> dict[str, frozenset[str]]:
    """Words in each macro."""
    found: dict[str, frozenset[str]] = {}
    for text in texts:
        for name, body in _DEFINE.findall(text):
            found[name.decode()] = found.get(name.decode(), frozenset()) | _words(body)
    return found


_BODY = rb"((?:\\\r?\n|[^\n])*)"
_WITH_ARGUMENTS = re.compile(rb"#[ \t]*define[ \t]+(\w+)\([^)]*\)" + _BODY)
_WITHOUT_ARGUMENTS = re.compile(rb"#[ \t]*define[ \t]+(\w+)(?!\()\b" + _BODY)
_DEFINES_CODE = re.compile(rb"[\s\\]*template\b\s*[^<\s\\]|.*\{", re.DOTALL)
"""Body of a macro that stands for something with a body, or for the instance of a template."""
_WITH_BODY = re.compile(rb".*\{.*\}", re.DOTALL)
_ATTRIBUTE = re.compile(rb"\b(?:visibility|deprecated|format|noreturn|unused|dllexport|dllimport|warn_unused_result)\b")
"""Attributes of functions of the host that no device code heeds."""
_LINKED = (
    rb"\s|\\|extern|__extension__|\"C\"|inline|static|\[\[[\w:]*\]\]|__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|"
    rb"__declspec\(\w*\)|_Pragma\s*\([^()]*\)"
)
_STORAGE = re.compile(rb"(?:%s)*" % _LINKED)
"""Body of a macro that says no more than how a function is linked, or what is warned of."""
_SPECIFIERS = re.compile(rb"(?:\s|\\|constexpr|inline|__(?:inline|host|device|forceinline|noinline)__|\[\[[\w:]*\]\])*")
"""Body of a macro that may stand before any member function."""
_MARKED = re.compile(rb"(?:%s|__(?:global|host|device|forceinline|noinline)__|constexpr)*" % _LINKED)
"""Body of a macro that says where a function runs, too."""
_DIRECTIVES = rb"(?P<line>^[ \t]*#(?:\\\r?\n|[^\n])*)"
"""Directives, which stay as they are."""
_CALL = rb"^%s\b(?:%s)[ \t]*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)[ \t]*;?"
"""A call of one of some macros."""


def _host_macros(texts: Sequence[bytes], marks: frozenset[str] | set[str]) -> list[re.Pattern[bytes]]:
    """Calls, outside of any function, of macros that define host functions, which no parser knows.

    Such a call begins its line, and its macro has a body, names the instance of a template, or gives a function an
    attribute that device code does not heed.
    """
    found = {
        name
        for one in texts
        for name, body in _WITH_ARGUMENTS.findall(one)
        if name.decode() not in marks and (_ATTRIBUTE.search(body) or _DEFINES_CODE.match(body))
    } - _frames(_WITH_ARGUMENTS, texts)
    with_body = found - _attributes(texts)
    return [
        re.compile(_DIRECTIVES + b"|" + _CALL % (indent, b"|".join(sorted(names))), re.MULTILINE)
        for names, indent in ((with_body, rb""), (found - with_body, rb"[ \t]*"))
        if names
    ]


def _without_calls(text: bytes, calls: Iterable[re.Pattern[bytes]]) -> bytes:
    """Blanks for calls of some macros."""
    for form in calls:
        text = form.sub(lambda call: call[0] if call["line"] else _blanks(call), text)
    return text


_FRAME = re.compile(
    rb"(?:[\s\\;}]|(?:inline\b\s*)?namespace\b[\w:\s#\\]*\{|extern\s*\"C\"\s*\{|using\s+namespace\b[\w:\s]*;|/[/*][^\n]*)*"
)
"""Body of a macro that opens or closes namespaces."""


def _frames(form: re.Pattern[bytes], texts: Iterable[bytes]) -> frozenset[bytes]:
    """Macros that open or close namespaces: device code may stand between, and a tree is right without them."""
    defined = [found for one in texts for found in form.findall(one)]
    return frozenset(name for name, body in defined if body.count(b"{") != body.count(b"}") and _FRAME.fullmatch(body))


_ALIGNING = re.compile(
    rb"(?:[\s\\]|(?:__align__|alignas)\s*\([^()]*\)|__attribute__\s*\(\(\s*(?:__)?aligned(?:__)?\s*\([^()]*\)\s*\)\)|"
    rb"__declspec\s*\(\s*align\s*\([^()]*\)\s*\))+"
)
"""Body of a macro that says how a type is aligned."""


def _aligning(texts: Iterable[bytes]) -> set[bytes]:
    """Macros with arguments that stand between the keyword of a class and its name."""
    defined = [found for one in texts for found in _WITH_ARGUMENTS.findall(one)]
    return {name for name, body in defined if body.strip() and _ALIGNING.fullmatch(body)}


def _attributes(texts: Iterable[bytes]) -> set[bytes]:
    """Macros with arguments that give a function an attribute."""
    return {
        name
        for one in texts
        for name, body in _WITH_ARGUMENTS.findall(one)
        if _ATTRIBUTE.search(body) and not _DEFINES_CODE.match(body)
    }


def _storage(texts: Iterable[bytes]) -> frozenset[bytes]:
    """Macros that say no more than how a function is linked, however they are defined."""
    return _defined_as(_STORAGE, texts)


def specifiers(texts: Iterable[bytes]) -> frozenset[bytes]:
    """Macros that say no more than how a function is linked and where it runs, however they are defined.

    Parameters
    ----------
    texts : iterable of bytes
    """
    return _defined_as(_SPECIFIERS, texts)


def _device_specifiers(texts: Iterable[bytes]) -> dict[bytes, bytes]:
    """What macros stand for that say where a function runs: of several definitions the first for the device."""
    defined = [found for one in texts for found in _WITHOUT_ARGUMENTS.findall(one)]
    plain = {name: body for name, body in reversed(defined) if _says_where(body)}
    own = [(name, body) for name, body in reversed(defined) if b"__device__" in body or b"__global__" in body]
    spelt = [(name, _WORD.sub(lambda word: plain.get(word[0], word[0]), body)) for name, body in own]
    return {name: b" ".join(body.split()) for name, body in spelt if _says_where(body)}


def _says_where(body: bytes) -> bool:
    """Whether the body of a macro says no more than how a function is linked and where it runs."""
    return _MARKED.fullmatch(body) is not None and b"\\" not in body


def _replaced(text: bytes, macros: Mapping[bytes, bytes]) -> bytes:
    """A text with what some macros stand for in their places: a parser knows the words, and not the macros."""
    if not macros:
        return text
    named = re.compile(_DIRECTIVES + rb"|\b(?:%s)\b" % b"|".join(sorted(macros)), re.MULTILINE)
    return named.sub(lambda found: found[0] if found["line"] else macros[found[0]], text)


def _member_macros(texts: Iterable[bytes], marks: frozenset[str] | set[str]) -> frozenset[bytes]:
    """Macros without arguments that stand for functions of the device, as for members that several classes have."""
    defined = [found for one in texts for found in _WITHOUT_ARGUMENTS.findall(one)]
    return frozenset(name for name, body in defined if _WITH_BODY.match(body) and _words(body) & marks)


def _defined_as(form: re.Pattern[bytes], texts: Iterable[bytes]) -> frozenset[bytes]:
    """Macros of which every definition has a form, and one is not empty."""
    defined = [found for one in texts for found in _WITHOUT_ARGUMENTS.findall(one)]
    others = {name for name, body in defined if not form.fullmatch(body)}
    return frozenset(name for name, body in defined if name not in others and body.strip())


def _blanks(found: re.Match[bytes]) -> bytes:
    return _blanks_for(found[0])


def _without(text: bytes, spans: Iterable[tuple[int, int]]) -> bytes:
    return _edited(text, [(*span, _blanks_for(text[slice(*span)])) for span in spans])


def _blanks_for(text: bytes) -> bytes:
    return re.sub(rb"[^\n]", b" ", text)


def _table_forms(texts: Sequence[bytes], marks: frozenset[str] | set[str]) -> re.Pattern[bytes] | None:
    """Calls of macros that stand for what no tree holds: definitions for the device, a namespace's braces, alignments.

    A macro that opens a brace reaches up to the one that closes it.
    """
    bodies = [found for one in texts for found in _WITH_ARGUMENTS.findall(one)]
    own = [(name, body) for name, body in bodies if name.decode() in marks]
    opening = {name for name, body in own if body.count(b"{") > body.count(b"}")}
    closing = {name for name, body in bodies if body.count(b"{") < body.count(b"}")}
    whole = {name for name, body in own if body.rstrip().endswith((b";", b"}")) or _DEFINES_CODE.match(body)} - opening
    forms = []
    if aligning := _aligning(texts):
        forms.append(rb"\b(?:%s)[ \t]*\([^()\n]*\)" % b"|".join(sorted(aligning)))
    if frames := _frames(_WITH_ARGUMENTS, texts):
        forms.append(_CALL % (rb"[ \t]*", b"|".join(sorted(frames))))
    if opening and closing:
        forms.append(_TABLE % (b"|".join(sorted(opening)), b"|".join(sorted(closing))))
    if whole:
        forms.append(_CALL % (rb"[ \t]*", b"|".join(sorted(whole))))
    return re.compile(b"|".join([_DIRECTIVES, *forms]), re.DOTALL | re.MULTILINE) if forms else None


def _tables(text: bytes, form: re.Pattern[bytes] | None) -> list[tuple[int, int]]:
    """Where such calls are."""
    return [call.span() for call in form.finditer(text) if not call["line"]] if form else []


_TABLE = rb"^[ \t]*(?:%s)[ \t]*\(.*?^[ \t]*(?:%s)[ \t]*\([^)]*\)[ \t]*;?"
_LONGEST = 200
"""Bytes before a definition in which words may stand that say how it is linked."""


def _words(text: bytes) -> frozenset[str]:
    return frozenset(word.decode() for word in _WORD.findall(text))


def _reached(words: Iterable[str], macros: Mapping[str, frozenset[str]]) -> set[str]:
    """Words, and those that macros among them stand for."""
    found: set[str] = set()
    todo = list(words)
    while todo:
        word = todo.pop()
        if word not in found:
            found.add(word)
            todo.extend(macros.get(word, ()))
    return found


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
    words = _words(_edited(text, [(begin - first, end - first, new) for begin, end, new in members]))
    is_type = inner.type in _CLASSES or inner.type == "enum_specifier"
    own = _words(node.text[: _body_start(inner, node)])
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


def _needed(items: list[_Item], macros: Mapping[str, frozenset[str]], words: frozenset[str]) -> set[int]:
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
        new = _reached(uses.pop() - done, macros) - done
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
    before = re.compile(rb"(?:\b(?:%s)\b\s*)+\Z" % b"|".join(sorted(storage) or [rb"\0"]))
    for item in items:
        if id(item) not in kept:
            edits.append(_blank(item.node, text))
            if said := before.search(text, max(0, item.node.start_byte - _LONGEST), item.node.start_byte):
                edits.append((*said.span(), _blanks(said)))
            continue
        edits.extend(item.members)
        inner = _inner(item.node)
        if inner.type == "function_definition" and not item.is_device:
            edits.append((inner.start_byte, inner.start_byte, b"__host__ __device__ "))
    return _REFUSAL.sub(_blanks, _edited(text, edits))


def _edited(text: bytes, edits: Iterable[tuple[int, int, bytes]]) -> bytes:
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


_COMMENT_OR_DIRECTIVE = re.compile(
    rb"(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<line>^[ \t]*#(?:\\\r?\n|[^\n])*)|[^\n/]+|/", re.DOTALL | re.MULTILINE
)


_REFUSAL = re.compile(rb"^[ \t]*#[ \t]*error\b(?:\\\r?\n|[^\n])*", re.MULTILINE)
"""What refuses to be compiled where host code lacks something."""
_REST_OF_LINE = re.compile(rb"(?:\\\r?\n|[^\n])*")


def _blank(node: Any, data: bytes) -> tuple[int, int, bytes]:
    """Blanks for all but the ends of its lines, and directives: the preprocessor knows no scopes."""

    def blanked(found: re.Match[bytes]) -> bytes:
        return found[0] if found["line"] else re.sub(rb"[^\n]", b" ", found[0])

    begin = node.start_byte
    if data[data.rfind(b"\n", 0, begin) + 1 : begin].lstrip().startswith(b"#"):  # what parsers take for code
        begin = min(node.end_byte, _REST_OF_LINE.match(data, begin).end())  # type: ignore[union-attr]
    return begin, node.end_byte, _COMMENT_OR_DIRECTIVE.sub(blanked, data[begin : node.end_byte])


def _members(node: Any, marks: frozenset[str] | set[str], data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Host functions among the members of a class are left out; of those that make it polymorphic the bodies are."""
    for member in _of_classes(node, data):
        if member.type == "field_declaration" and "__host__" in (said := _words(member.text)) and not said & marks:
            yield _blank(member, data)
        if member.type not in ("function_definition", "template_declaration", "friend_declaration"):
            continue
        inner = _inner(member)
        own = _words(member.text[: _body_start(inner, member)])
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
        begin, end, blanks = _blank(body, data)
        yield begin, end, b"{%s}" % blanks[1:-1]


_CLASS = re.compile(rb"\b(?:struct|class|union)\b")


def _of_classes(node: Any, data: bytes) -> Iterator[Any]:
    """Members of the classes in a node, local ones too; few functions have any."""
    todo = [node]
    while todo:
        one = todo.pop()
        if one.type == "field_declaration_list":
            yield from one.children
        if _CLASS.search(data, one.start_byte, one.end_byte):
            todo.extend(reversed(one.children))


def _is_function(inner: Any) -> bool:
    """Whether a node is the definition of a function; a member behind an unknown macro only looks like one."""
    declarator = inner.child_by_field_name("declarator") if inner.type == "function_definition" else None
    return declarator is not None and any(
        node.type in ("function_declarator", "operator_cast") for node in walk(declarator)
    )


def _tight(text: bytes) -> bytes:
    return b"".join(text.split())
