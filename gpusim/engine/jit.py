"""How everything in the engine is compiled, and where the compiled code is kept.

The cache folder's name holds a digest of every engine source, so an edit in one
file never serves stale code of another that it was inlined into.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from threading import RLock
from typing import Any

import numba
from numba import cfunc, njit
from numba.core import config

from gpusim.folders import cache_folder


def source_digest() -> str:
    """Digest of all sources that jitted code is made from."""
    here = Path(__file__).parent
    encodings = [here.parent / "isa" / name for name in ("encode.py", "opcodes.py")]
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted([*here.glob("*.py"), *encodings]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


FOLDER = cache_folder() / f"engine-{source_digest()}"
"""Where compiled code is kept; there once something is."""
_COMPILING = RLock()
_OPTIONS: dict[str, Any] = {"cache": True, "_nrt": False, "error_model": "numpy"}


def kept(compiles: Callable[..., Any]) -> Callable[..., Any]:
    """``functools.cache`` for what compiles: whatever thread asks, all have the same code, which is never let go."""
    found: Callable[..., Any] = cache(compiles)

    @wraps(compiles)
    def one_by_one(*args: Any) -> Any:
        with _COMPILING:
            return found(*args)

    return one_by_one


def _compile(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """``numba.njit`` with our cache folder, leaving the process's own setting alone.

    ``_nrt=False``: no reference counting, which would cost more than most
    instructions do; so nothing jitted here may allocate.  ``nogil``: machines run side by side.
    """
    settings: Any = config
    compiler: Any = njit
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(FOLDER)
    try:
        compiled: Callable[..., Any] = compiler(nogil=True, **_OPTIONS, **options)(function)
    finally:
        settings.CACHE_DIR = before
    return compiled


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on its own."""
    return _compile(function)


def inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile into its callers: for what is small, or called from one place with many arrays."""
    return _compile(function, forceinline=True)


def compile_for_calls(function: Callable[..., Any], signature: Any) -> Any:
    """Compile now, to be called by address: numba's ``CFunc``, whose ``address`` holds while it lives.

    Such a function is no part of its callers, which therefore compile faster.
    """
    settings: Any = config
    compiler: Any = cfunc
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(FOLDER)
    try:
        return compiler(signature, **_OPTIONS)(function)
    finally:
        settings.CACHE_DIR = before


def spliced(function: Callable[..., Any]) -> Callable[..., Any]:
    """Part of its one caller, compiled only there: for what is large."""
    return _compile(function, inline="always")
