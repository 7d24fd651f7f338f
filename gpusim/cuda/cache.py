"""What was compiled before, kept on disk by content.

One file for each entry, in the folder where compiled Python is kept too (``GPUSIM_CACHE_DIR``).  Its name is
a digest of everything that decides the result: source, headers of the user's, options, architecture,
compiler.  A damaged entry is compiled anew (:mod:`gpusim.folders`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from gpusim.cuda.included import UnknowableError, has_unnamed, included, states
from gpusim.cuda.nvrtc import Compiled
from gpusim.folders import cache_folder, keep
from gpusim.folders import load as read

_FORMAT = "4"


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
        None where a header's name is a macro, and there are too many files that it may stand for.
    """
    digest = hashlib.sha256()
    for part in (_FORMAT, *parts, source):
        digest.update(f"{len(part)}:".encode() + part.encode("utf-8", "surrogatepass"))
    text, folders = source.encode("utf-8", "surrogatepass"), list(folders)
    is_known = not has_unnamed(text)
    for path, content in included(text, folders):
        digest.update(f"{path}:{len(content)}:".encode() + content)
        is_known = is_known and not has_unnamed(content)
    try:
        for state in () if is_known else states(folders):
            digest.update(state.encode("utf-8", "surrogatepass"))
    except UnknowableError:
        return None
    return digest.hexdigest()


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
    about = {name: getattr(compiled, name) for name in ("log", "compiler", "needs")}
    about["symbols"] = dict(compiled.symbols)
    body = json.dumps(about).encode() + b"\n" + compiled.cubin
    keep(_path(key), body)


def _path(key: str) -> Path:
    return cache_folder() / "cuda" / f"{key}.cubin"
