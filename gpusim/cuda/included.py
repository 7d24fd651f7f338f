"""Which files of the user's a source may include, as far as that can be told without a preprocessor."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

_Key = TypeVar("_Key")

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
    for (file, _), content in _followed(source, folders, _any_of):
        yield file, content


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
    for name, content in _followed(source.encode(errors="replace"), folders, _first_of):
        yield os.fsdecode(name), content.decode(errors="replace")


def _followed(
    source: bytes, folders: Sequence[Path], named: Callable[[bytes, Sequence[Path]], Iterator[tuple[_Key, Path]]]
) -> Iterator[tuple[_Key, bytes]]:
    """Content of what a text names where files are searched, and of what that names; of each key once."""
    todo, seen = [(source, [*folders])], set()
    while todo:
        text, places = todo.pop()
        for key, path in named(text, places):
            if key not in seen and path.is_file():
                seen.add(key)
                content = path.read_bytes()
                todo.append((content, [path.parent, *folders]))
                yield key, content


def _any_of(text: bytes, places: Sequence[Path]) -> Iterator[tuple[tuple[Path, Path], Path]]:
    """Every place where a file may be that a text includes or asks for, by what it is and how it is reached."""
    for name in _names(text):
        for path in (place / os.fsdecode(name) for place in places):
            yield (path.resolve(), path.parent.resolve()), path


def _first_of(text: bytes, places: Sequence[Path]) -> Iterator[tuple[bytes, Path]]:
    """The file that each directive of a text includes, by the name there."""
    for name in _INCLUDE.findall(_CONTINUED.sub(b"", text)):
        path = next((one for one in (place / os.fsdecode(name) for place in places) if one.is_file()), None)
        if name and path is not None:
            yield name, path
