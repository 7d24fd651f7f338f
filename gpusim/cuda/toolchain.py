"""Where the CUDA tools are: PyPI wheels first, then an installed toolkit.

NVIDIA's wheels come in two layouts: CUDA 13 puts everything in ``nvidia/cu13/{bin,lib,include}``, CUDA 12
has one folder for each wheel, ``nvidia/cuda_nvrtc/lib`` and so on.  A toolkit (``$CUDA_HOME``,
``$CUDA_PATH``, ``/usr/local/cuda``, or the one whose ``nvcc`` is on the ``PATH``) has them all in one.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gpusim import children
from gpusim.cuda.cuda_errors import MissingToolError

INSTALL = "pip install 'gpusim[cuda]'"
INSTALL_12 = "pip install 'gpusim[cuda12]'"
COMPILE_S = 900
"""Seconds that a compiler may take."""
_VERSION_S = 60
_WINDOWS = sys.platform == "win32"
_SPLIT = (
    "cuda_nvrtc",
    "cuda_runtime",
    "cuda_nvcc",
    "cuda_cccl",
    "cuda_nvdisasm",
    "cuda_cuobjdump",
    "curand",
    "nvjitlink",
)
_INCLUDES = ("include", "include/cccl", "cccl/include", f"targets/{'x64' if _WINDOWS else 'x86_64-linux'}/include")
_LIBRARIES = ("bin", "bin/x64", "bin/x86_64") if _WINDOWS else ("lib", "lib64", "targets/x86_64-linux/lib")
_HOST_COMPILERS = ("cl",) if _WINDOWS else ("g++", "c++", "clang++")


@dataclass(frozen=True)
class Kit:
    """One version of CUDA: folders that belong together.

    Attributes
    ----------
    folders : tuple of Path
        Each with some of ``bin``, ``lib`` and ``include``.
    """

    folders: tuple[Path, ...]

    def includes(self) -> tuple[Path, ...]:
        """Folders with headers, in the order in which a compiler should search them."""
        found = (folder / name for folder in self.folders for name in _INCLUDES)
        return tuple(path for path in found if path.is_dir())

    def library(self, name: str) -> Path | None:
        """Shared library of this name, such as ``nvrtc`` or ``nvrtc-builtins``."""
        pattern = rf"{name}64_\d+.*\.dll" if _WINDOWS else rf"lib{name}\.so[.\d]*"
        for folder in (folder / sub for folder in self.folders for sub in _LIBRARIES):
            names = [path for path in _listed(folder) if re.fullmatch(pattern, path.name)]
            if names:
                return max(names, key=lambda path: len(path.name))
        return None

    def program(self, name: str) -> Path | None:
        """Executable of this name."""
        for folder in self.folders:
            if found := shutil.which(name, path=str(folder / "bin")):
                return Path(found)
        return None


@dataclass(frozen=True)
class Nvrtc:
    """Files that NVRTC, the compiler as a library, consists of.

    Attributes
    ----------
    library : Path
    builtins : Path or None
        The library it opens itself, which it finds only once it is loaded.
    includes : tuple of Path
        Headers of the same version.
    """

    library: Path
    builtins: Path | None
    includes: tuple[Path, ...]


@dataclass(frozen=True)
class Nvcc:
    """The offline compiler, and the host compiler it needs.

    Attributes
    ----------
    path, host : Path
    """

    path: Path
    host: Path


def nvrtc() -> Nvrtc:
    """Find NVRTC.

    Returns
    -------
    Nvrtc

    Raises
    ------
    MissingToolError
        Where there is none.
    """
    if found := next(nvrtcs(), None):
        return found
    raise MissingToolError(f"NVRTC, the CUDA compiler, is not installed: {INSTALL}")


def nvrtc_includes() -> tuple[Path, ...]:
    """Folders with headers of the NVRTC to prefer; none where there is no NVRTC."""
    return next((found.includes for found in nvrtcs()), ())


def nvrtcs() -> Iterator[Nvrtc]:
    """Every NVRTC there is, the one to prefer first."""
    for kit in kits():
        if library := kit.library("nvrtc"):
            yield Nvrtc(library, kit.library("nvrtc-builtins"), kit.includes())


def nvjitlink() -> Path:
    """Find nvJitLink, which compiles PTX.

    Returns
    -------
    Path

    Raises
    ------
    MissingToolError
        Where there is none.
    """
    found = next(filter(None, (kit.library("nvJitLink") for kit in kits())), None)
    if found is None:
        raise MissingToolError(f"nvJitLink, which compiles PTX, is not installed: {INSTALL}")
    return found


def nvdisasm(arch: str = "") -> Path:
    """Find NVIDIA's disassembler.

    Parameters
    ----------
    arch : str
        Target whose machine code it must read; empty: the one to prefer, whatever it reads.

    Returns
    -------
    Path

    Raises
    ------
    MissingToolError
        Where there is none, or none that reads code for this architecture.
    """
    found = _programs("nvdisasm")
    if not found:
        raise MissingToolError(f"nvdisasm, the CUDA disassembler, is not installed: {INSTALL}")
    if not arch:
        return found[0]
    reads = arch.replace("sm_", "SM")
    if knowing := next((path for path in found if f"'{reads}'" in _help(path)), None):
        return knowing
    raise MissingToolError(
        f"no nvdisasm that is installed reads code of {arch}: one of another toolkit may, whose folder CUDA_HOME names "
        "(for Volta and earlier CUDA 13.0 or earlier, which no wheel has)"
    )


def nvcc() -> Nvcc:
    """Find nvcc and a host compiler.

    Returns
    -------
    Nvcc

    Raises
    ------
    MissingToolError
        Where either is missing; the message says how to install it.
    """
    path = shutil.which("nvcc")
    compiler = Path(path) if path else _program("nvcc")
    if compiler is None:
        raise MissingToolError("nvcc is not installed: pip install nvidia-cuda-nvcc nvidia-cuda-cccl")
    host = os.environ.get("NVCC_CCBIN") or next(filter(None, map(shutil.which, _HOST_COMPILERS)), None)
    if host is None:
        raise MissingToolError("nvcc needs a C++ compiler of the host, and there is none: apt-get install g++")
    return Nvcc(compiler, Path(host))


def find_nvcc() -> Nvcc | None:
    """Find nvcc and a host compiler; None where either is missing."""
    try:
        return nvcc()
    except MissingToolError:
        return None


def nvcc_version(compiler: Nvcc) -> str:
    """What identifies nvcc's build and the host compiler."""
    return f"{_version(compiler.path)}; {_version(compiler.host)}"


def kits() -> list[Kit]:
    """Every version of CUDA there is, the one to prefer first."""
    return [kit for kit in (*_wheels(), *_toolkits()) if kit.folders]


def _wheels() -> Iterator[Kit]:
    """CUDA 13 and later by falling version, then CUDA 12."""
    roots = _wheel_roots()
    names = {path.name for root in roots for path in _listed(root) if re.fullmatch(r"cu\d+", path.name)}
    for name in sorted(names, key=lambda name: int(name[2:]), reverse=True):
        yield Kit(_folders(root / name for root in roots))
    yield Kit(_folders(root / name for name in _SPLIT for root in roots))


def _wheel_roots() -> list[Path]:
    """Every folder ``nvidia`` of installed packages; some wheels make it a package, which hides those further on."""
    spec = importlib.util.find_spec("nvidia")
    found = [Path(root) for root in spec.submodule_search_locations or ()] if spec else []
    found += [Path(place, "nvidia") for place in sys.path]
    return [root for root in dict.fromkeys(found) if root.is_dir()]


def _toolkits() -> Iterator[Kit]:
    """Toolkits installed outside of Python."""
    named = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), None if _WINDOWS else "/usr/local/cuda"]
    for folder in named:
        if folder:
            yield Kit(_folders([Path(folder)]))
    if path := shutil.which("nvcc"):
        yield Kit(_folders([Path(path).resolve().parent.parent]))


def _program(name: str) -> Path | None:
    """Executable of this name: a wheel's or toolkit's, else one on the PATH."""
    return next(iter(_programs(name)), None)


def _programs(name: str) -> list[Path]:
    """Every executable of this name, the one to prefer first."""
    on_path = shutil.which(name)
    found = [*(kit.program(name) for kit in kits()), Path(on_path) if on_path else None]
    return list(dict.fromkeys(path for path in found if path))


def _folders(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(path for path in paths if path.is_dir())


def _listed(folder: Path) -> list[Path]:
    """Entries of a folder, by name; none where it cannot be read."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


@cache
def _help(program: Path) -> str:
    """What a program says of itself; it names the architectures that it knows."""
    try:
        return children.run([str(program), "--help"], seconds=_VERSION_S).output.decode(errors="replace")
    except children.ChildError:
        return ""


@cache
def _version(program: Path) -> str:
    """What a program says to ``--version``."""
    try:
        said = children.run([str(program), "--version"], seconds=_VERSION_S).output
    except children.ChildError:
        return str(program)
    return " ".join(said.decode(errors="replace").split()) or str(program)
