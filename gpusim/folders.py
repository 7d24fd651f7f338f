"""Where compiled code is kept, and how: the user's cache folder, and the files in it.

A file's first line is a digest of its name and of what follows, so one that is damaged, or lies under another's name,
is as good as none.  It is written beside and moved into place: whoever reads sees all of it or nothing.  Compiled code
is run, so it is read only where nobody but its user can have written it.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import warnings
from collections.abc import Iterable
from functools import cache
from pathlib import Path

OTHERS_WRITE = 0o022
"""Bits of a mode: the group may write, everyone may."""


class CacheWarning(UserWarning):
    """What was worked out cannot be kept, so it is worked out again by the next process."""


def cache_folder() -> Path:
    """Folder for compiled code: ``$GPUSIM_CACHE_DIR``, else the platform's cache folder."""
    if own := os.environ.get("GPUSIM_CACHE_DIR"):
        return Path(own)
    try:
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "gpusim" / "cache"
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpusim"
    except RuntimeError:  # a user without a home
        return Path(tempfile.gettempdir()) / "gpusim-cache"


def digest_of_files(decided_by: object, folder: Path, files: Iterable[Path]) -> str:
    """Digest of files, by their names in a folder, and of what else decides what is made of them.

    Parameters
    ----------
    decided_by : object
        Told by its ``repr``.
    folder : Path
    files : iterable of Path
        In an order that does not change.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    digest = hashlib.sha256(repr(decided_by).encode())
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()


def load(path: Path) -> bytes | None:
    """Read what was kept.

    Parameters
    ----------
    path : Path
        A file in a folder of the cache folder.

    Returns
    -------
    bytes or None
        None where there is nothing, something damaged, or something that another user can have written.
    """
    try:
        return intact(path) if _trusted(path.parent) and _ours(path.stat()) else None
    except OSError:
        return None


def intact(path: Path) -> bytes | None:
    """Read what was kept, and may have been moved since with its folder, whoever can write there.

    Parameters
    ----------
    path : Path
        A file of a package, which is trusted as its sources are.

    Returns
    -------
    bytes or None
        None where there is nothing, or something damaged.
    """
    try:
        mark, end, body = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return body if end and mark == _digest(path, body) else None


def keep(path: Path, body: bytes) -> None:
    """Keep something; where that cannot be done a :class:`CacheWarning` says so, and nothing is left behind.

    Parameters
    ----------
    path : Path
        A file in a folder of the cache folder.
    body : bytes
    """
    if not _trusted(path.parent):
        return
    try:
        _make(path.parent)
        _write(path, _digest(path, body) + b"\n" + body)
    except OSError as error:
        _warn_of(path.parent, error)


def usable(folder: Path) -> bool:
    """Make a folder of the cache folder, for others that keep compiled code; a :class:`CacheWarning` says why not.

    Parameters
    ----------
    folder : Path
        A folder of the cache folder.

    Returns
    -------
    bool
        Whether only this user can write there, and does.
    """
    if not _trusted(folder):
        return False
    try:
        _make(folder)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError as error:
        _warn_of(folder, error)
        return False


def _warn_of(folder: Path, error: OSError) -> None:
    what = f"what was worked out cannot be kept in {folder.parent} ({error.strerror})"
    _warn(what, "GPUSIM_CACHE_DIR names another folder")


def _digest(path: Path, body: bytes) -> bytes:
    return hashlib.sha256(f"{path.parent.name}/{path.name}\n".encode() + body).hexdigest().encode()


def _make(folder: Path) -> None:
    """Make a folder of the cache folder; whatever the umask, nobody else may write there."""
    folder.parent.parent.mkdir(parents=True, exist_ok=True)
    for each in (folder.parent, folder):
        each.mkdir(mode=0o700, exist_ok=True)


def _write(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _trusted(folder: Path) -> bool:
    """Whether only this user can have written to a folder of the cache folder; warns where another can have."""
    for each in (folder.parent, folder):
        try:
            found = each.stat()
        except OSError:  # there is none yet, or reading and writing will say what is wrong with it
            return True
        if not _ours(found):
            _warn(*_doubt(each, found))
            return False
    return True


def _ours(found: os.stat_result) -> bool:
    """Whether nobody but this user, and root, can have written to a file or folder."""
    if sys.platform == "win32":  # profiles are private there, and modes say nothing
        return True
    return found.st_uid in (os.geteuid(), 0) and not found.st_mode & OTHERS_WRITE


def _doubt(folder: Path, found: os.stat_result) -> tuple[str, str]:
    """What is wrong with a folder, and what to do."""
    if found.st_mode & OTHERS_WRITE:
        return f"what is kept in {folder} is not used, for other users can write there", f"chmod go-w {folder}"
    return (
        f"what is kept in {folder} is not used, for it belongs to another user",
        "GPUSIM_CACHE_DIR names a folder of your own",
    )


@cache
def _warn(what: str, remedy: str) -> None:
    """Once in a process: numba forgets what was warned of."""
    warnings.warn(f"{what}; it is worked out again every time (remedy: {remedy})", CacheWarning, stacklevel=2)
