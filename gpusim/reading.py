"""Files that a user names, read: whole, as text or JSON, or refused in one line."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

from gpusim.errors import GpusimError

SOURCE = ".cu"
"""What a file's name ends with that is a source: its launch has a block, which that of machine code need not have."""

SOURCES = (SOURCE, ".cubin")
"""What a file's name ends with that kernels are launched from, where a kernel of the catalogue may stand, too."""


def read_bytes(path: Path, refuse: type[GpusimError] = GpusimError) -> bytes:
    """Read a file; what is no file of its own (a folder, a pipe, a device) is not opened, for it might never end.

    Parameters
    ----------
    path : Path
    refuse : type
        The error to raise.

    Raises
    ------
    GpusimError
        Of the type asked for: the path, and why it cannot be read.
    """
    try:
        mode = path.stat().st_mode
        content = b"" if _is_endless(mode) else path.read_bytes()
    except OSError as error:
        raise refuse(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # a zero byte in the path
        raise refuse(f"{str(path)!r}: cannot be read: {error}") from None
    if _is_endless(mode):
        raise refuse(f"{path}: is a pipe or a device: write its contents to a file, and name that")
    return content


def _is_endless(mode: int) -> bool:
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def read_text(path: Path, refuse: type[GpusimError] = GpusimError) -> str:
    """Read a text file in UTF-8, with or without a byte order mark; as :func:`read_bytes`."""
    try:
        return read_bytes(path, refuse).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refuse(f"{path}: is not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}") from None


def read_json(path: Path, refuse: type[GpusimError] = GpusimError) -> Any:
    """Read a JSON document; as :func:`read_text`."""
    return parse_json(read_text(path, refuse), str(path), refuse)


def parse_json(text: str, where: str, refuse: type[GpusimError] = GpusimError) -> Any:
    """Read JSON text.

    Parameters
    ----------
    text : str
    where : str
        What messages call it.
    refuse : type
        The error to raise.

    Raises
    ------
    GpusimError
        Of the type asked for: where it is no JSON, or nested too deeply.
    """
    try:
        return json.loads(text)
    except ValueError as error:
        raise refuse(f"{where}: no JSON: {error}") from None
    except RecursionError:
        raise refuse(f"{where}: lists or objects are nested too deeply") from None
