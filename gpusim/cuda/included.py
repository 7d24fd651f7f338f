"""Which files of the user's a source may include, as far as that can be told without a preprocessor."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

_GAP = rb"(?:[ \t\f\v\r]|(?>/\*.*?\*/))*"
"""What may stand between the words of a directive."""
_CONTINUED = re.compile(rb"\\[ \t\f\v]*\r?\n")
_INCLUDE = re.compile(
    rb"(?:^|\*/)" + _GAP + rb"(?:#|%:)" + _GAP + rb"include(?:_next)?(?!\w)" + _GAP + rb'(?:["<]([^">\n]+)[">])?',
    re.MULTILINE | re.DOTALL,
)
_ASKED = re.compile(rb"\b__has_include(?:_next)?" + _GAP + rb"\(" + _GAP + rb'(?:["<]([^">\n]+)[">])?', re.DOTALL)


class UnknowableError(Exception):
    """A file whose name only the compiler knows."""


def included(source: bytes, folders: Sequence[Path]) -> Iterator[tuple[Path, bytes]]:
    """Every file that a source may include or ask for, by way of others too, each once, with its content.

    Parameters
    ----------
    source : bytes
    folders : sequence of Path
        Where files are searched, in this order.

    Raises
    ------
    UnknowableError
        A file's name is a macro.
    """
    todo, seen = [(source, [*folders])], set()
    while todo:
        text, places = todo.pop()
        for name in _names(text):
            for path in (place / os.fsdecode(name) for place in places):
                marks = path.resolve(), path.parent.resolve()
                if marks not in seen and path.is_file():
                    seen.add(marks)
                    content = path.read_bytes()
                    todo.append((content, [path.parent, *folders]))
                    yield marks[0], content


def _names(text: bytes) -> Iterator[bytes]:
    """Names of the files that a text includes or asks for."""
    whole = _CONTINUED.sub(b"", text)
    for form in (_INCLUDE, _ASKED):
        for name in form.findall(whole):
            if not name:
                raise UnknowableError
            yield name


def quoted(source: str, folders: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Text of every file of the user's that a source includes, by the name it is included by.

    Parameters
    ----------
    source : str
    folders : sequence of Path
        Where files are searched, in this order.
    """
    todo, seen = [(source.encode(errors="replace"), [*folders])], set()
    while todo:
        text, places = todo.pop()
        for name in _INCLUDE.findall(_CONTINUED.sub(b"", text)):
            path = next((one for one in (place / os.fsdecode(name) for place in places) if one.is_file()), None)
            if name and path is not None and name not in seen:
                seen.add(name)
                content = path.read_bytes()
                todo.append((content, [path.parent, *folders]))
                yield os.fsdecode(name), content.decode(errors="replace")
