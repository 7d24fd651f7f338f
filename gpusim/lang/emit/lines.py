"""Lines of code: indented, and broken where they get too long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

WIDTH = 100
STEP = 4
AFTER = re.compile(r"[,;] |(?<![=<>!])= ")
BEFORE = re.compile(r" (?:&&|\|\||[?:+*/%-]|[=!]=) ")


class Lines:
    """Lines written so far.

    Parameters
    ----------
    indent : int
        Blocks around the first line.
    """

    def __init__(self, indent: int = 0) -> None:
        self._lines: list[str] = []
        self._indent = indent
        self._joined = False

    def add(self, text: str, more: int = STEP) -> None:
        """Add a statement; if it takes several lines, all but the first are ``more`` deeper."""
        if self._joined:
            text, self._joined = f"{self._lines.pop().strip()} {text}", False
        self._lines += wrapped(text, STEP * self._indent, more)

    def join(self) -> None:
        """Let the next line continue the last one, a closing brace."""
        self._joined = True

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """``head {``, what is added meanwhile, ``}``."""
        self.add(f"{head} {{", 2 * STEP)
        self._indent += 1
        yield
        self._indent -= 1
        self.add("}")

    def text(self) -> str:
        """All of it."""
        return "".join(f"{line}\n" for line in self._lines)


def wrapped(text: str, indent: int = 0, more: int = STEP) -> list[str]:
    """``text`` in lines of at most :data:`WIDTH` where it can be broken; all but the first ``more`` deeper.

    Examples
    --------
    >>> wrapped("int a = 1;", 4)
    ['    int a = 1;']
    """
    lines, margin = [], indent
    while margin + len(text) > WIDTH and (cut := _cut(text, WIDTH - margin)):
        lines.append(" " * margin + text[:cut].rstrip())
        text, margin = text[cut:].lstrip(), indent + more
    return [*lines, " " * margin + text]


def _cut(text: str, room: int) -> int:
    """Where to break: as far outside of parentheses as there is a place, then as late as possible."""
    places = [m.end() for m in AFTER.finditer(text)] + [m.start() + 1 for m in BEFORE.finditer(text)]
    fitting = [p for p in places if room // 3 < p <= room] or [p for p in places if p <= room]
    return min(fitting, key=lambda p: (_depth(text, p), -p), default=0)


def _depth(text: str, end: int) -> int:
    return sum((c in "([{") - (c in ")]}") for c in text[:end])
