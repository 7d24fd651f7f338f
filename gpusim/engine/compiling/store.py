"""Compiled code on disk: a file for each function and types of its arguments.

The folder's name holds a digest of every engine source, in whatever subfolder, so an edit in one file never serves
stale code of another that it was inlined into.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path

import llvmlite
import numba
from llvmlite.binding import get_host_cpu_name

from gpusim.folders import cache_folder, load


def sources(package: Path) -> list[Path]:
    """Every file that decides what a package's engine is: its folder, how programs are encoded, what is fixed."""
    encodings = [package / "isa" / name for name in ("encode.py", "opcode_info.py", "opcodes.py", "variants.py")]
    return sorted([*(package / "engine").rglob("*.py"), *encodings, package / "hardware" / "fixed.py"])


def source_digest(package: Path) -> str:
    """Digest of all that decides what jitted code is compiled to: sources, compilers, and the processor it is for.

    Parameters
    ----------
    package : Path
        Folder of gpusim.
    """
    versions = sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, get_host_cpu_name()
    digest = hashlib.sha256(repr(versions).encode())
    for path in sources(package):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()}\n{len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


FOLDER = cache_folder() / f"engine-{source_digest(Path(__file__).parents[2])}"
"""Where compiled code is kept; there once something is."""


def is_kept(function: Callable[..., object]) -> bool:
    """Whether compiled code of a function is there, for some types of its arguments."""
    return any(load(path) is not None for path in FOLDER.glob(f"{name_of(function)}-*.code"))


def name_of(function: Callable[..., object]) -> str:
    """What the names of a function's files begin with."""
    return f"{function.__module__.removeprefix('gpusim.engine.')}.{function.__qualname__}"
