"""What was compiled before, kept on disk by content.

One file for each entry, in the folder where compiled Python is kept too (``GPUSIM_CACHE_DIR``).  Its name is
a digest of everything that decides the result: source, headers of the user's, options, architecture,
compiler.  A damaged entry is compiled anew (:mod:`gpusim.folders`).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpusim.cuda.nvrtc import Compiled
from gpusim.folders import cache_folder, keep
from gpusim.folders import load as read

_FORMAT = "2"
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:["<]([^">\n]+)[">]|(\w+))', re.MULTILINE)


def key(source: str, folders: Iterable[Path], parts: Iterable[str]) -> str | None:
    """Digest of everything that decides what a source is compiled to.

    Parameters
    ----------
    source : str
    folders : iterable of Path
        Where the user's headers are searched, in this order.
    parts : iterable of str
        The rest: options, compiler, ...

    Returns
    -------
    str or None
        None where a header's name is a macro, so that which one it is only the compiler knows.
    """
    digest = hashlib.sha256()
    for part in (_FORMAT, *parts, source):
        digest.update(f"{len(part)}:".encode() + part.encode("utf-8", "surrogatepass"))
    try:
        for path, content in _headers(source.encode("utf-8", "surrogatepass"), list(folders)):
            digest.update(f"{path}:{len(content)}:".encode() + content)
    except _Unknowable:
        return None
    return digest.hexdigest()


class _Unknowable(Exception):
    """A header whose name only the compiler knows."""


def _headers(source: bytes, folders: list[Path]) -> Iterator[tuple[Path, bytes]]:
    """Every header of the user's that a source may include, by way of others too, each once."""
    todo, seen = [(source, folders)], set()
    while todo:
        text, places = todo.pop()
        for name, macro in _INCLUDE.findall(text):
            if macro:
                raise _Unknowable
            for path in ((place / os.fsdecode(name)).resolve() for place in places):
                if path not in seen and path.is_file():
                    seen.add(path)
                    content = path.read_bytes()
                    todo.append((content, [path.parent, *folders]))
                    yield path, content


def load(key: str) -> Compiled | None:
    """Read an entry.

    Parameters
    ----------
    key : str

    Returns
    -------
    Compiled or None
        None where there is none, or a damaged one.
    """
    body = read(_path(key))
    if body is None:
        return None
    about, _, cubin = body.partition(b"\n")
    return Compiled(cubin=cubin, **json.loads(about))


def store(key: str, compiled: Compiled) -> None:
    """Keep an entry; where that fails (a full disk, a read-only folder) a warning says so.

    Parameters
    ----------
    key : str
    compiled : Compiled
    """
    about = {"log": compiled.log, "compiler": compiled.compiler, "symbols": dict(compiled.symbols)}
    body = json.dumps(about).encode() + b"\n" + compiled.cubin
    keep(_path(key), body)


def _path(key: str) -> Path:
    return cache_folder() / "cuda" / f"{key}.cubin"
