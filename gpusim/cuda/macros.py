"""What macros stand for that no parser knows: who is left out with host code, and who says what device code is."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence

from gpusim.cuda.edits import DIRECTIVES, beside_directives, blanks

_WORD = re.compile(rb"[A-Za-z_]\w*")
_DEFINE = re.compile(rb"#[ \t]*define[ \t]+(\w+)((?:\\\r?\n|[^\n])*)")


def macro_words(texts: Iterable[bytes]) -> dict[str, frozenset[str]]:
    """Words in each macro."""
    found: dict[str, frozenset[str]] = {}
    for text in texts:
        for name, body in _DEFINE.findall(text):
            found[name.decode()] = found.get(name.decode(), frozenset()) | words_of(body)
    return found


_BODY = rb"((?:\\\r?\n|[^\n])*)"
_WITH_ARGUMENTS = re.compile(rb"#[ \t]*define[ \t]+(\w+)\([^)]*\)" + _BODY)
WITHOUT_ARGUMENTS = re.compile(rb"#[ \t]*define[ \t]+(\w+)(?!\()\b" + _BODY)
_DEFINES_CODE = re.compile(rb"[\s\\]*template\b\s*[^<\s\\]|.*\{", re.DOTALL)
"""Body of a macro that stands for something with a body, or for the instance of a template."""
_WITH_BODY = re.compile(rb".*\{.*\}", re.DOTALL)
_ATTRIBUTE = re.compile(rb"\b(?:visibility|deprecated|format|noreturn|unused|dllexport|dllimport|warn_unused_result)\b")
"""Attributes of functions of the host that no device code heeds."""
_LINKED = (
    rb"\s|\\|extern|__extension__|\"C\"|inline|static|\[\[[\w:]*\]\]|__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|"
    rb"__declspec\(\w*\)|_Pragma\s*\([^()]*\)"
)
_STORAGE = re.compile(rb"(?:%s|__forceinline)*" % _LINKED)
"""Body of a macro that says no more than how a function is linked, by any compiler, or what is warned of."""
_SPECIFIERS = re.compile(rb"(?:\s|\\|constexpr|inline|__(?:inline|host|device|forceinline|noinline)__|\[\[[\w:]*\]\])*")
"""Body of a macro that may stand before any member function."""
_MARKED = re.compile(rb"(?:%s|__(?:global|host|device|forceinline|noinline)__|constexpr)*" % _LINKED)
"""Body of a macro that says where a function runs, too."""
_CALL = rb"^%s\b(?:%s)[ \t]*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)[ \t]*;?"
"""A call of one of some macros."""


def host_calls(texts: Sequence[bytes], marks: frozenset[str] | set[str]) -> list[re.Pattern[bytes]]:
    """Calls, outside of any function, of macros that define host functions, which no parser knows.

    Such a call begins its line, and its macro has a body, names the instance of a template, or gives a function an
    attribute that device code does not heed.
    """
    found = {
        name
        for one in texts
        for name, body in _WITH_ARGUMENTS.findall(one)
        if name.decode() not in marks and (_ATTRIBUTE.search(body) or _DEFINES_CODE.match(body))
    } - frames(_WITH_ARGUMENTS, texts)
    with_body = found - _attributes(texts)
    return [
        re.compile(DIRECTIVES + b"|" + _CALL % (indent, b"|".join(sorted(names))), re.MULTILINE)
        for names, indent in ((with_body, rb""), (found - with_body, rb"[ \t]*"))
        if names
    ]


def without_calls(text: bytes, calls: Iterable[re.Pattern[bytes]]) -> bytes:
    """Blanks for calls of some macros."""
    for form in calls:
        text = beside_directives(form, text, blanks)
    return text


_FRAME = re.compile(
    rb"(?:[\s\\;}]|(?:inline\b\s*)?namespace\b[\w:\s#\\]*\{|extern\s*\"C\"\s*\{|using\s+namespace\b[\w:\s]*;|/[/*][^\n]*)*"
)
"""Body of a macro that opens or closes namespaces."""


def frames(form: re.Pattern[bytes], texts: Iterable[bytes]) -> frozenset[bytes]:
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


def storage(texts: Iterable[bytes]) -> frozenset[bytes]:
    """Macros that say no more than how a function is linked, however they are defined."""
    return _defined_as(_STORAGE, texts)


def specifiers(texts: Iterable[bytes]) -> frozenset[bytes]:
    """Macros that say no more than how a function is linked and where it runs, however they are defined.

    Parameters
    ----------
    texts : iterable of bytes
    """
    return _defined_as(_SPECIFIERS, texts)


_PLACES = frozenset((b"__host__", b"__device__", b"__global__", b"__forceinline__", b"__noinline__"))
"""Words of CUDA's own, which a header may define to be nothing for other compilers."""


def device_specifiers(texts: Iterable[bytes]) -> dict[bytes, bytes]:
    """What macros stand for that say where a function runs: of several definitions the first for the device."""
    defined = [found for one in texts for found in WITHOUT_ARGUMENTS.findall(one)]
    plain = {name: body for name, body in reversed(defined) if _says_where(body) and name not in _PLACES}
    own = [(name, body) for name, body in reversed(defined) if b"__device__" in body or b"__global__" in body]
    spelt = [(name, _WORD.sub(lambda word: plain.get(word[0], word[0]), body)) for name, body in own]
    return {name: b" ".join(body.split()) for name, body in spelt if _says_where(body)}


def _says_where(body: bytes) -> bool:
    """Whether the body of a macro says no more than how a function is linked and where it runs."""
    return _MARKED.fullmatch(body) is not None and b"\\" not in body


def replaced(text: bytes, macros: Mapping[bytes, bytes]) -> bytes:
    """A text with what some macros stand for in their places: a parser knows the words, and not the macros."""
    if not macros:
        return text
    named = re.compile(DIRECTIVES + rb"|\b(?:%s)\b" % b"|".join(sorted(macros)), re.MULTILINE)
    return beside_directives(named, text, lambda found: macros[found[0]])


def member_macros(texts: Iterable[bytes], marks: frozenset[str] | set[str]) -> frozenset[bytes]:
    """Macros without arguments that stand for functions of the device, as for members that several classes have."""
    defined = [found for one in texts for found in WITHOUT_ARGUMENTS.findall(one)]
    return frozenset(name for name, body in defined if _WITH_BODY.match(body) and words_of(body) & marks)


def _defined_as(form: re.Pattern[bytes], texts: Iterable[bytes]) -> frozenset[bytes]:
    """Macros of which every definition has a form, such macros aside that it names, and one is not empty."""
    defined = [found for one in texts for found in WITHOUT_ARGUMENTS.findall(one)]
    said = {name for name, body in defined if body.strip()}
    found: set[bytes] = set()
    while new := said - {name for name, body in defined if not form.fullmatch(_without_words(body, found))} - found:
        found |= new
    return frozenset(found)


def _without_words(text: bytes, words: Container[bytes]) -> bytes:
    return _WORD.sub(lambda word: b"" if word[0] in words else word[0], text)


def table_forms(texts: Sequence[bytes], marks: frozenset[str] | set[str]) -> re.Pattern[bytes] | None:
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
    if framing := frames(_WITH_ARGUMENTS, texts):
        forms.append(_CALL % (rb"[ \t]*", b"|".join(sorted(framing))))
    if opening and closing:
        forms.append(_TABLE % (b"|".join(sorted(opening)), b"|".join(sorted(closing))))
    if whole:
        forms.append(_CALL % (rb"[ \t]*", b"|".join(sorted(whole))))
    return re.compile(b"|".join([DIRECTIVES, *forms]), re.DOTALL | re.MULTILINE) if forms else None


def tables(text: bytes, form: re.Pattern[bytes] | None) -> list[tuple[int, int]]:
    """Where such calls are."""
    return [call.span() for call in form.finditer(text) if not call["line"]] if form else []


_TABLE = rb"^[ \t]*(?:%s)[ \t]*\(.*?^[ \t]*(?:%s)[ \t]*\([^)]*\)[ \t]*;?"


def words_of(text: bytes) -> frozenset[str]:
    """Words in a text."""
    return frozenset(word.decode() for word in _WORD.findall(text))


def reached(words: Iterable[str], macros: Mapping[str, frozenset[str]]) -> set[str]:
    """Words, and those that macros among them stand for."""
    found: set[str] = set()
    todo = list(words)
    while todo:
        word = todo.pop()
        if word not in found:
            found.add(word)
            todo.extend(macros.get(word, ()))
    return found
