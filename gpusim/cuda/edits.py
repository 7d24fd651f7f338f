"""Edits of a source's text that leave lines and directives of the preprocessor where they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

DIRECTIVES = rb"(?P<line>^[ \t]*#(?:\\\r?\n|[^\n])*)"
"""Directives, which stay as they are."""


def beside_directives(form: re.Pattern[bytes], text: bytes, new: Callable[[re.Match[bytes]], bytes]) -> bytes:
    """A text with something else for what a pattern finds, directives excepted: its group ``line``."""
    return form.sub(lambda found: found[0] if found["line"] else new(found), text)


def blanks(found: re.Match[bytes]) -> bytes:
    """Blanks for what a pattern has found."""
    return blanks_for(found[0])


def blanks_for(text: bytes) -> bytes:
    """As many blanks as a text has bytes, and its ends of lines."""
    return re.sub(rb"[^\n]", b" ", text)


def edited(text: bytes, edits: Iterable[tuple[int, int, bytes]]) -> bytes:
    """A text with other bytes from some places up to others; none of these overlap."""
    for begin, end, new in sorted(edits, reverse=True):
        text = text[:begin] + new + text[end:]
    return text
