"""The program to run: an executable as it is, or one made of its source."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from gpusim import folders, reading
from gpusim.cuda import cache, nvcc, targets, toolchain
from gpusim.cuda.cuda_errors import CompileError
from gpusim.cuda.options import Options
from gpusim.cuda.options import options as checked
from gpusim.programs import runtime_library, toolkit
from gpusim.programs.program_errors import ProgramError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gpusim.hardware.spec import Gpu

_ELF = b"\x7fELF"
_SHARED = re.compile(rb"libcudart\.so\.(\d+)\0")
_STATIC = re.compile(rb"\0\.nv_fatbin\0|cudart")
_LIBRARIES = "cublas|cublasLt|cudnn|cufft|curand|cusolver|cusparse|nccl|nvrtc|cuda"
_LIBRARY_FLAG = re.compile(rf"-l({_LIBRARIES}|nvToolsExt)")
_LIBRARY_HEADER = re.compile(r"fatal error: ((?:cublas|cudnn|cufft|cusolver|cusparse|nccl)\w*\.h)")
_LACKING = re.compile(
    r"undefined reference to [`']((?:cublas|cudnn|cufft|curand|cusolver|cusparse|nccl|nvrtc|cu(?=[A-Z]))\w+)'"
)
_REMOVED = re.compile(r'identifier "cudaThread\w+" is undefined')
_HOW_FAST = re.compile(r"-O|-G|-g|--device-debug|--debug")
_LINES = "-Xcompiler=-g1,-fno-optimize-sibling-calls"
"""Options by which the host's compiler writes line tables, and every call leaves its caller on the stack."""
_SOURCES = {".cu", ".cpp", ".cc", ".cxx", ".c"}


@dataclass(frozen=True)
class Asked:
    """A program as the user names it.

    Attributes
    ----------
    path : Path
    beside : tuple of Path
        Its other sources, objects and libraries.
    flags : tuple of str
        Options of the compiler.
    defines : mapping of str to str or None
    include : tuple of Path
    """

    path: Path
    beside: tuple[Path, ...] = ()
    flags: tuple[str, ...] = ()
    defines: Mapping[str, object] | None = None
    include: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Program:
    """What is run.

    Attributes
    ----------
    executable : bytes or None
        What was made of sources; None where the user's own file is run.
    path : Path
        The user's file.
    release : int
        Release of CUDA that it was made with.
    text : str
        Its source, where that is known.
    log : str
        The compiler's warnings.
    libraries : tuple of str
        Those of :func:`gpusim.programs.runtime_library.libraries` that it needs.
    """

    executable: bytes | None
    path: Path
    release: int
    text: str = ""
    log: str = ""
    libraries: tuple[str, ...] = ()


def made(asked: Asked, gpu: Gpu, *, host_lines: bool = False) -> Program:
    """Compile a program for a GPU, or take an executable.

    Parameters
    ----------
    asked : Asked
    gpu : Gpu
    host_lines : bool
        Have the executable say which lines its own code comes from.

    Returns
    -------
    Program

    Raises
    ------
    ProgramError
        The executable cannot be run so.
    CompileError, MissingToolError
        The source does not compile, or there is no compiler.
    """
    data = reading.read_bytes(asked.path, ProgramError)
    if data.startswith(_ELF):
        return _taken(asked, data)
    if asked.path.suffix.lower() not in _SOURCES:
        raise ProgramError(f"{asked.path} is no program: a source (.cu) or an executable that nvcc linked is run")
    return _compiled(replace(asked, flags=(*asked.flags, _LINES)) if host_lines else asked, gpu)


def _taken(asked: Asked, data: bytes) -> Program:
    """An executable as it is."""
    found = _SHARED.search(data)
    if found is None:
        why = "with CUDA's runtime in it" if _STATIC.search(data) else "without CUDA's runtime"
        raise ProgramError(f"{asked.path} was linked {why}: link it with nvcc -cudart shared")
    if not os.access(asked.path, os.X_OK):
        raise ProgramError(f"{asked.path} is not executable: chmod +x {asked.path}")
    if asked.beside or asked.flags or asked.defines or asked.include:
        raise ProgramError(f"{asked.path} is compiled already: options of the compiler are for sources")
    return Program(None, asked.path, int(found[1]), libraries=_needed(data))


def _compiled(asked: Asked, gpu: Gpu) -> Program:
    compiler = toolchain.nvcc()
    text = reading.read_bytes(asked.path, ProgramError).decode("utf-8", "replace")
    chosen = checked(gpu.arch, asked.flags, asked.defines, asked.include, asked.path.parent)
    if target := targets.asked_for(text, chosen.searched(), gpu.arch):
        chosen = replace(chosen, arch=target)
    release = toolkit.release_of(compiler)
    try:
        executable, log = _kept_or_linked(compiler, asked, chosen, release)
    except CompileError as error:
        target = targets.lacking(error.log, chosen.arch)
        if not target:
            raise
        executable, log = _kept_or_linked(compiler, asked, replace(chosen, arch=target), release)
    return Program(executable, asked.path, release, text, log, _needed(executable))


def _needed(executable: bytes) -> tuple[str, ...]:
    """Libraries of ours that an executable looks for by name."""
    return tuple(name for name in runtime_library.libraries() if f"lib{name}.so.".encode() in executable)


def _kept_or_linked(compiler: toolchain.Nvcc, asked: Asked, chosen: Options, release: int) -> tuple[bytes, str]:
    key = _key(compiler, asked, chosen)
    path = folders.cache_folder() / "run" / f"{key}.program"
    if key and (kept := folders.load(path)) is not None:
        return kept, ""
    made, log = _linked(compiler, asked, chosen, release)
    if key:
        folders.keep(path, made)
    return made, log


def _key(compiler: toolchain.Nvcc, asked: Asked, chosen: Options) -> str | None:
    """Name of an executable among those that are kept; None where that cannot be told."""
    in_force = nvcc.in_force(chosen)
    searched = in_force.searched()
    parts = [toolchain.nvcc_version(compiler), str(asked.path), *in_force.command()]
    if _LINES in asked.flags:
        parts.append(str(Path.cwd()))  # tables of lines name it
    for path in asked.beside:
        own = cache.key(_content(path), [path.parent, *searched], [])
        if own is None:
            return None
        parts += [str(path), own]
    before = "".join(f'#include "{name}"\n' for name in in_force.beforehand())
    return cache.key(before + _content(asked.path), searched, parts)


def _content(path: Path) -> str:
    return reading.read_bytes(path, ProgramError).decode("latin-1")


def _linked(compiler: toolchain.Nvcc, asked: Asked, chosen: Options, release: int) -> tuple[bytes, str]:
    """An executable that looks for the runtime by its name."""
    with TemporaryDirectory(prefix="gpusim-") as folder:
        Path(folder, "libcudart.so").write_bytes(runtime_library.library(release))
        out = Path(folder, "program")
        command: list[object] = [
            compiler.path, *_code(chosen), "-no-compress", "-cudart", "none", f"-L{folder}",
            *_of_host(compiler), "-o", out, asked.path, *asked.beside, "-lcudart",
        ]  # fmt: skip
        while True:
            try:
                log = toolkit.compiled([str(word) for word in command], str(asked.path))
            except CompileError as error:
                remedies = [word for word in _remedies(asked, error.log, Path(folder), release) if word not in command]
                if not remedies:
                    raise
                command += remedies
            else:
                return out.read_bytes(), log


def _remedies(asked: Asked, log: str, folder: Path, release: int) -> list[object]:
    """What to add to a compiler's command after it has said what it lacks; nothing where that does not help.

    Raises
    ------
    ProgramError
        The header of a library that is not run.
    """
    if header := _LIBRARY_HEADER.search(log):
        if folder_with_it := toolkit.folder_with(header[1]):
            return [f"-isystem={folder_with_it}"]
        if (runtime_library.LIBRARIES / header[1]).is_file():
            return [f"-isystem={runtime_library.LIBRARIES}"]
        raise ProgramError(
            f"{asked.path} includes {header[1]}, of a library that gpusim does not run; a program that can do "
            "without it compiles where the header is installed"
        )
    if _REMOVED.search(log):
        return [f"-include={runtime_library.SOURCES / 'removed.h'}"]
    return _libraries(dict.fromkeys(_LACKING.findall(log)), folder, release)


def _libraries(names: Iterable[str], folder: Path, release: int) -> list[object]:
    """What has calls of libraries: libraries of ours, and for other calls an entry each that ends the program."""
    if not names:
        return []
    added: list[object] = []
    for name in runtime_library.libraries():
        path = folder / f"lib{name}.so"
        path.write_bytes(made := runtime_library.library(release, name))
        if any(f"\0{one}\0".encode() in made for one in names):
            added.append(path)
            names = [one for one in names if f"\0{one}\0".encode() not in made]
    entries = (f'int {name}() {{ return gpusim_refuse("{name}"); }}\n' for name in names)
    path = folder / "libraries.cpp"
    path.write_text('extern "C" {\nint gpusim_refuse(const char *);\n' + "".join(entries) + "}\n")
    return [*added, path]


def _code(chosen: Options) -> list[str]:
    """The options, with machine code for the GPU and no PTX."""
    number = chosen.arch.removeprefix("sm_")
    rest = [word for word in chosen.command() if not word.startswith("-arch=") and not _LIBRARY_FLAG.fullmatch(word)]
    host = [] if any(_HOW_FAST.match(word) for word in rest) else ["-O2"]  # of host code; nvcc's own default is -O0
    return [f"-gencode=arch=compute_{number},code=sm_{number}", *host, *rest]


def _of_host(compiler: toolchain.Nvcc) -> list[str]:
    """Name the host's compiler where it is not the one that nvcc takes."""
    return [] if compiler.host.name == "g++" else ["-ccbin", str(compiler.host)]
