"""Conditions of the preprocessor that no tree can hold: braces open or close in them, or an ``else`` is behind one.

Each of ``#if A`` / ``if (a) {`` / ``#else`` / ``if (b) {`` / ``#endif`` opens the same brace.  A parser that knows no
preprocessor counts it once for each branch, and knows no ``else`` behind a directive.  Of such conditions the first
branch is left, without the directives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from gpusim.cuda.edits import blanks, blanks_for

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?:\\\r?\n|[^\n])*", re.M)
_TEXT = re.compile(
    rb"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'|^[ \t]*#[ \t]*(?!if|el|endif)(?:\\\r?\n|[^\n])*",
    re.S | re.M,
)
"""What holds no braces of the code: comments, strings, characters, other directives."""


@dataclass
class _Group:
    """One condition: where its directives are, the braces that each branch opens, how many of others one closes."""

    directives: list[tuple[int, int]] = field(default_factory=list)
    opened: list[int] = field(default_factory=lambda: [0])
    closed: int = 0

    def add(self, opened: int, closed: int) -> None:
        """What follows in the last branch opens braces, after it has closed some from before it."""
        self.closed = max(self.closed, closed - self.opened[-1])
        self.opened[-1] += opened

    @property
    def is_flat(self) -> bool:
        return not self.closed and not any(self.opened)


def flattened(data: bytes) -> bytes:
    r"""Blanks for directives and further branches where no tree can hold the branches; every byte keeps its place.

    Parameters
    ----------
    data : bytes

    Examples
    --------
    >>> flattened(b"#if A\nf {\n#else\ng {\n#endif\n}\n").split()
    [b'f', b'{', b'}']
    >>> flattened(b"f {\n#if A\n} g {\n#endif\n}\n").split()
    [b'f', b'{', b'}', b'g', b'{', b'}']
    """
    code = _TEXT.sub(blanks, data)
    edits = [edit for group in _groups(code) if not group.is_flat or _divides(group, code) for edit in _edits(group)]
    found = bytearray(data)
    for begin, end in edits:
        found[begin:end] = blanks_for(data[begin:end])
    return bytes(found)


def _groups(code: bytes) -> Iterator[_Group]:
    """Every condition of a text, inner ones first."""
    stack: list[_Group] = []
    at = 0
    for directive in _DIRECTIVE.finditer(code):
        if stack:
            stack[-1].add(*_braces(code[at : directive.start()]))
        at = directive.end()
        if directive[1].startswith(b"if"):
            stack.append(_Group())
        if not stack:
            continue
        stack[-1].directives.append(directive.span())
        if directive[1].startswith(b"el"):
            stack[-1].opened.append(0)
        elif directive[1] == b"endif":
            group = stack.pop()
            if stack:
                stack[-1].add(group.opened[0], group.closed)
            yield group


_ELSE = re.compile(rb"\s*else\b")


def _divides(group: _Group, code: bytes) -> bool:
    """Whether an ``else`` of the code stands right behind a directive of a condition."""
    return any(_ELSE.match(code, end) for _, end in group.directives)


def _edits(group: _Group) -> Iterator[tuple[int, int]]:
    """What to blank: all directives, and everything from the second on."""
    yield group.directives[0]
    yield group.directives[1][0], group.directives[-1][1]


_NO_BRACES = bytes(set(range(256)) - set(b"{}"))


def _braces(code: bytes) -> tuple[int, int]:
    """How many braces some code opens in all, and how many from before it it closes."""
    depths = [0, *accumulate(1 if one == ord("{") else -1 for one in code.translate(None, _NO_BRACES))]
    return depths[-1], -min(depths)
