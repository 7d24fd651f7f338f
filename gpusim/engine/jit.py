"""How everything in the engine is compiled, and where the compiled code is kept.

The cache folder's name holds a digest of every engine source, so an edit in one
file never serves stale code of another that it was inlined into.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import cfunc, njit
from numba.core import config


def cache_folder() -> Path:
    """Folder for compiled code: ``$GPUSIM_CACHE_DIR``, else the platform's cache folder."""
    if own := os.environ.get("GPUSIM_CACHE_DIR"):
        return Path(own)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local")) / "gpusim" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "gpusim"


def source_digest() -> str:
    """Digest of all sources that jitted code is made from."""
    here = Path(__file__).parent
    encodings = [here.parent / "isa" / name for name in ("encode.py", "opcodes.py")]
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted([*here.glob("*.py"), *encodings]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_FOLDER = str(cache_folder() / f"engine-{source_digest()}")


def _compile(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """``numba.njit`` with our cache folder, leaving the process's own setting alone.

    ``_nrt=False``: no reference counting, which would cost more than most
    instructions do; so nothing jitted here may allocate.
    """
    settings: Any = config
    compiler: Any = njit
    before, settings.CACHE_DIR = settings.CACHE_DIR, _FOLDER
    try:
        compiled: Callable[..., Any] = compiler(cache=True, _nrt=False, error_model="numpy", **options)(function)
    finally:
        settings.CACHE_DIR = before
    return compiled


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on its own."""
    return _compile(function)


def inline(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile into its callers: for what is small, or called from one place with many arrays."""
    return _compile(function, forceinline=True)


def fused(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile with multiply-adds contracted to one rounding, as the GPU does them."""
    return _compile(function, fastmath={"contract"})


def pointer(function: Callable[..., Any], signature: Any) -> Any:
    """Compile to something that is called by its address.

    What is called otherwise, numba compiles into its callers, again at each level;
    so what few programs need is better reached this way.
    """
    settings: Any = config
    compiler: Any = cfunc
    before, settings.CACHE_DIR = settings.CACHE_DIR, _FOLDER
    try:
        return compiler(signature, cache=True, _nrt=False, error_model="numpy")(function)
    finally:
        settings.CACHE_DIR = before
