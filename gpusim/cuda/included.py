"""Which files of the user's a source may include, as far as that can be told without a preprocessor."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

_Key = TypeVar("_Key")

GAP = rb"(?:[ \t\f\v\r]|(?>/\*.*?\*/))*"
"""What may stand between the words of a directive."""
CONTINUED = re.compile(rb"\\[ \t\f\v]*\r?\n")
_INCLUDE = re.compile(
    rb"(?:^|\*/)" + GAP + rb"(?:#|%:)" + GAP + rb"include(?:_next)?(?!\w)" + GAP + rb'(?:["<]([^">\n]+)[">])?',
    re.MULTILINE | re.DOTALL,
)
_ASKED = re.compile(rb"\b__has_include(?:_next)?" + GAP + rb"\(" + GAP + rb'(?:["<]([^">\n]+)[">])?', re.DOTALL)


MOST_BELOW = 50_000
"""So many files may lie in folders of which any file may be meant."""


class UnknowableError(Exception):
    """A file whose name only the compiler knows, among too many."""


def included(source: bytes, folders: Sequence[Path]) -> Iterator[tuple[Path, bytes]]:
    """Every file that a source may include or ask for, by way of others too, each once, with its content.

    Parameters
    ----------
    source : bytes
    folders : sequence of Path
        Where files are searched, in this order.
    """
    for (file, _), content in _followed(source, folders, _any_of):
        yield file, content


def states(folders: Iterable[Path]) -> Iterator[str]:
    """What tells each file in some folders, and those below, from what it was: its path, size and time of change.

    Parameters
    ----------
    folders : iterable of Path

    Raises
    ------
    UnknowableError
        There are too many files, or some that cannot be read.
    """
    todo, seen, files = deque(map(str, folders)), set(), 0
    while todo:
        folder = os.path.realpath(todo.popleft())
        if folder in seen or not Path(folder).is_dir():
            continue
        seen.add(folder)
        for name, is_folder, state in _entries(folder):
            files += 1
            if files > MOST_BELOW:
                raise UnknowableError
            if is_folder:
                todo.append(f"{folder}/{name}")
            else:
                yield f"{folder}/{name} {state}"


def _entries(folder: str) -> Iterator[tuple[str, bool, str]]:
    """Names in a folder, whether they are folders, size and time of change of those that are not."""
    try:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                about = entry.stat(follow_symlinks=entry.is_file())
                yield entry.name, entry.is_dir(), f"{about.st_size} {about.st_mtime_ns}"
    except OSError:
        raise UnknowableError from None


def has_unnamed(text: bytes) -> bool:
    """Whether a text includes or asks for a file whose name is a macro, which only a compiler knows."""
    return not all(names(text))


def names(text: bytes) -> Iterator[bytes]:
    """Names of the files that a text includes or asks for; empty ones where they are macros.

    Parameters
    ----------
    text : bytes
    """
    whole = CONTINUED.sub(b"", text)
    for form in (_INCLUDE, _ASKED):
        yield from form.findall(whole)


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


_CONDITION = re.compile(rb"^[ \t]*#[ \t]*(if|endif|include)[^\n]*", re.MULTILINE)
_GUARD = re.compile(rb"\s*#[ \t]*ifndef[ \t]+(\w+)\s+#[ \t]*define[ \t]+\1\b")


def always(text: str) -> set[str]:
    r"""Names of the files that a text includes under no condition, a guard against being read twice excepted.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> always('#include "a.h"\n#ifdef B\n#include "b.h"\n#endif\n')
    {'a.h'}
    """
    data = _COMMENT.sub(b"", text.encode(errors="replace"))
    depth = -1 if _GUARD.match(data) else 0
    found: set[str] = set()
    for line in _CONDITION.finditer(data):
        depth += {b"if": 1, b"endif": -1}.get(line[1], 0)
        if depth <= 0:
            found.update(os.fsdecode(name) for name in _INCLUDE.findall(line[0]) if name)
    return found


_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)


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
    for name in filter(None, names(text)):
        for path in (place / os.fsdecode(name) for place in places):
            if path.is_file():  # most are not
                yield (path.resolve(), path.parent.resolve()), path


def _first_of(text: bytes, places: Sequence[Path]) -> Iterator[tuple[bytes, Path]]:
    """The file that each directive of a text includes, by the name there."""
    for name in _INCLUDE.findall(CONTINUED.sub(b"", text)):
        path = next((one for one in (place / os.fsdecode(name) for place in places) if one.is_file()), None)
        if name and path is not None:
            yield name, path
