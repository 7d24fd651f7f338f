"""Compiled code on disk: a file for each function and types of its arguments; or one for all, in a wheel.

Names hold a digest of all that decides what code is: every engine source in whatever subfolder, so an edit in one file
never serves stale code of another that it was inlined into; the compilers; the processor.  What a wheel brings is for
baselines of an architecture, and is used as a whole or not at all: code for different processors does not mix, because
functions of the same name hand each other vectors as their processor does.  Whatever is compiled here is for this
machine's own processor, and kept in the user's cache folder.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba

from gpusim.engine.compiling import baselines
from gpusim.folders import cache_folder, digest_of_files, intact, keep, load

PACKAGE = Path(__file__).parents[2]
_settings: Any = numba.config


def sources(package: Path) -> list[Path]:
    """Every file that decides what a package's engine is: its folder, how programs are encoded, what is fixed."""
    encodings = [package / "isa" / name for name in ("encode.py", "opcode_info.py", "opcodes.py", "variants.py")]
    return sorted([*(package / "engine").rglob("*.py"), *encodings, package / "hardware" / "fixed.py"])


def source_digest(package: Path) -> str:
    """Digest of what jitted code is compiled from, and by: sources, Python, numba and LLVM.

    Parameters
    ----------
    package : Path
        Folder of gpusim.
    """
    versions = sys.implementation.cache_tag, numba.__version__, llvmlite.__version__, llvm.llvm_version_info
    return digest_of_files(versions, package, sources(package))


def code_name(source_digest: str, processor: str, features: str) -> str:
    """Name of what these sources are compiled to, for a processor with such features."""
    key = source_digest, llvm.get_process_triple(), processor, features
    return f"engine-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}"


def _folder() -> Path:
    """Where code is kept that this process compiles."""
    features = _settings.CPU_FEATURES
    if features is None:
        features = ",".join(f"{name}={has}" for name, has in sorted(host_features().items()))
        features += "" if _settings.ENABLE_AVX else ", without AVX"
    return cache_folder() / code_name(_DIGEST, _settings.CPU_NAME or llvm.get_host_cpu_name(), features)


def shipped() -> dict[str, bytes]:
    """What a wheel brought, where this machine can run it and numba is not told what to compile for."""
    if (_settings.CPU_NAME, _settings.CPU_FEATURES) != (None, None):
        return {}
    features = host_features()
    for baseline in baselines.of_machine():
        body = intact(shipped_file(PACKAGE, baseline)) if baseline.runs_on(features) else None
        if body is not None:
            found: dict[str, bytes] = pickle.loads(body)
            return found
    return {}


def shipped_file(package: Path, baseline: baselines.Baseline) -> Path:
    """Where a wheel has all that the engine is compiled to for a baseline."""
    return package / "engine" / "compiled" / f"{code_name(_DIGEST, baseline.name, '')}.code"


def host_features() -> dict[str, bool]:
    """What this machine's processor has, by LLVM's names; nothing where LLVM does not know."""
    try:
        return dict(llvm.get_host_cpu_features())
    except RuntimeError:
        return {}


_DIGEST = source_digest(PACKAGE)
FOLDER = _folder()
"""Where compiled code is kept; there once something is."""
SHIPPED = shipped()
"""Compiled code by the name of its file, as a wheel brought it: of the whole engine, or of nothing."""


def read(name: str) -> bytes | None:
    """Compiled code: the wheel's, else what was kept, else None."""
    return SHIPPED.get(name) or load(FOLDER / name)


def write(name: str, code: bytes) -> None:
    """Keep compiled code."""
    keep(FOLDER / name, code)


def kept(function: Callable[..., object]) -> dict[str, bytes]:
    """Compiled code of a function that was kept, by the names of its files, for whatever types of its arguments."""
    found = {path.name: load(path) for path in FOLDER.glob(f"{name_of(function)}-*.code")}
    return {name: code for name, code in found.items() if code is not None}


def is_kept(function: Callable[..., object]) -> bool:
    """Whether compiled code of a function is there, for some types of its arguments."""
    return any(name.startswith(f"{name_of(function)}-") for name in SHIPPED) or bool(kept(function))


def name_of(function: Callable[..., object]) -> str:
    """What the names of a function's files begin with."""
    return f"{function.__module__.removeprefix('gpusim.engine.')}.{function.__qualname__}"
