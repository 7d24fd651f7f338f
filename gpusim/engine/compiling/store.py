"""Compiled code on disk: a file for each function and types of its arguments.

The folder's name holds a digest of every engine source, in whatever subfolder, so an edit in one file never serves
stale code of another that it was inlined into.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite.binding import get_host_cpu_name
from numba.core import sigutils
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from gpusim.folders import cache_folder, keep, load


def sources(package: Path) -> list[Path]:
    """Every file that decides what the engine of a package is: all of its folder, and how programs are encoded."""
    encodings = [package / "isa" / name for name in ("encode.py", "opcodes.py")]
    return sorted([*(package / "engine").rglob("*.py"), *encodings])


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


def is_kept(function: Callable[..., Any]) -> bool:
    """Whether compiled code of a function is there, for some types of its arguments."""
    return any(load(path) is not None for path in FOLDER.glob(f"{_name(function)}-*.code"))


def _name(function: Callable[..., Any]) -> str:
    """What the names of a function's files begin with."""
    return f"{function.__module__.removeprefix('gpusim.engine.')}.{function.__qualname__}"


class Kept(NullCache):
    """What numba asks for a function's compiled code, and gives it to, before and after it compiles.

    Parameters
    ----------
    function : callable
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Compiled code for arguments of these types, or None."""
        target_context.refresh()
        body = load(self._path(sig, target_context.codegen()))
        return None if body is None else self.rebuild(target_context, pickle.loads(body))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled; not where addresses of this process are part of it."""
        if not data.lifted and not data.library.has_dynamic_globals:
            keep(self._path(sig, data.codegen), dumps(self.reduce(data)))

    def reduce(self, compiled: Any) -> Any:
        """What is written of compiled code."""
        return compiled._reduce()

    def rebuild(self, target_context: Any, written: Any) -> Any:
        """Compiled code again; None where what it needs is not there."""
        return CompileResult._rebuild(target_context, *written)

    def _path(self, sig: Any, codegen: Any) -> Path:
        function, types = self._function, [str(each) for each in sigutils.normalize_signature(sig)[0]]
        key = (type(self).__name__, function.__module__, function.__qualname__, types, codegen.magic_tuple())
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return FOLDER / f"{_name(self._function)}-{digest}.code"
