"""What a program is made with: nvcc, the host's compiler, headers of one release of CUDA."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from gpusim import children
from gpusim.cuda import toolchain
from gpusim.cuda.cuda_errors import CompileError, MissingToolError

_API = "cuda_runtime_api.h"
_VERSION = re.compile(rb"^\s*#define\s+CUDART_VERSION\s+(\d+)", re.MULTILINE)
_RELEASE = re.compile(r"release (\d+)\.")


@dataclass(frozen=True)
class Headers:
    """Headers of the CUDA runtime.

    Attributes
    ----------
    folder : Path
    version : int
        13000 for CUDA 13.0.
    """

    folder: Path
    version: int

    @property
    def release(self) -> int:
        """Release: 13 for CUDA 13.0."""
        return self.version // 1000


def headers(release: int) -> Headers:
    """Find the headers of a release of CUDA.

    Parameters
    ----------
    release : int

    Raises
    ------
    MissingToolError
        There are none.
    """
    for kit in toolchain.kits():
        for folder in kit.includes():
            file = folder / _API
            found = _VERSION.search(file.read_bytes()) if file.is_file() else None
            if found and int(found[1]) // 1000 == release:
                return Headers(folder, int(found[1]))
    wheel = "nvidia-cuda-runtime" if release >= 13 else f"nvidia-cuda-runtime-cu{release}"
    raise MissingToolError(f"the headers of the runtime of CUDA {release} are not installed: pip install {wheel}")


def folder_with(header: str) -> Path | None:
    """Folder of an installed CUDA that has a header, such as that of a library's wheel."""
    folders = (folder for kit in toolchain.kits() for folder in kit.includes())
    return next((folder for folder in folders if folder.joinpath(header).is_file()), None)


def release_of(compiler: toolchain.Nvcc) -> int:
    """Release of CUDA that an nvcc is of."""
    found = _RELEASE.search(toolchain.nvcc_version(compiler))
    if found is None:
        raise MissingToolError(f"{compiler.path} does not say which release of CUDA it is of")
    return int(found[1])


def host_compiler() -> str:
    """Find the host's C++ compiler, which the runtime is made with.

    Raises
    ------
    MissingToolError
        There is none.
    """
    found = os.environ.get("NVCC_CCBIN") or shutil.which("g++") or shutil.which("c++")
    if not found:
        raise MissingToolError("a program runs with a runtime that a C++ compiler makes: apt-get install g++")
    return found


def compiled(command: list[str], what: str) -> str:
    """Run a compiler.

    Parameters
    ----------
    command : list of str
    what : str
        What it compiles, for messages.

    Returns
    -------
    str
        Its warnings.

    Raises
    ------
    CompileError
        What it wrote.
    """
    name = Path(command[0]).name
    try:
        ended = children.run(command, seconds=toolchain.COMPILE_S)
    except children.ChildError as error:
        raise CompileError(f"{what} is not compiled: {name} {error}") from None
    log = (ended.output + ended.errors).decode(errors="replace").strip()
    if ended.status:
        raise CompileError(f"{what} does not compile ({name}):", log)
    return log
