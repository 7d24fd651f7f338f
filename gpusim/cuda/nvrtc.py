"""NVRTC, the CUDA compiler as a library.

Source: NVRTC 13.0 user guide, https://docs.nvidia.com/cuda/nvrtc/
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from gpusim.cuda import nvrtc_child, toolchain
from gpusim.cuda.cuda_errors import CompileError, MissingToolError, OptionError
from gpusim.cuda.library_process import answered
from gpusim.cuda.options import Options

_COMPILATION, _INVALID_OPTION = 6, 5  # nvrtcResult


@dataclass(frozen=True)
class Compiled:
    """What a compiler made of a source.

    Attributes
    ----------
    cubin : bytes
        Machine code, an ELF file.
    log : str
        Warnings.
    compiler : str
        Which compiler it was.
    symbols : mapping
        Symbol of each name expression asked for.
    needs : str
        Target to compile for instead, without which there is no machine code; empty where there is some.
    """

    cubin: bytes
    log: str
    compiler: str
    symbols: Mapping[str, str] = field(default_factory=dict)
    needs: str = ""


def chosen(arch: str) -> toolchain.Nvrtc:
    """The NVRTC that compiles for an architecture: the newest that does, else the newest, which then says so.

    Parameters
    ----------
    arch : str
        Such as ``"sm_70"``, for which CUDA 12 is the last to compile.
    """
    newest = toolchain.nvrtc()
    if arch.rstrip("af") in architectures(newest):
        return newest
    return next((one for one in toolchain.nvrtcs() if arch.rstrip("af") in architectures(one)), newest)


def version(files: toolchain.Nvrtc | None = None) -> tuple[int, int]:
    """Major and minor version of NVRTC: of the newest one unless told otherwise, here and below."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _call(files, "nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


def name(files: toolchain.Nvrtc | None = None) -> str:
    """NVRTC and its version, for people."""
    return "NVRTC {}.{}".format(*version(files))


def identity(files: toolchain.Nvrtc | None = None) -> str:
    """What tells this NVRTC and its headers from another: versions, sizes, times of change."""
    files = files or toolchain.nvrtc()
    marks = [files.library, *(folder / "cuda_runtime_api.h" for folder in files.includes)]
    stats = [(path.stat().st_size, path.stat().st_mtime_ns) for path in marks if path.is_file()]
    return f"{name(files)} {stats}"


def architectures(files: toolchain.Nvrtc | None = None) -> list[str]:
    """Real architectures that this NVRTC compiles for, such as ``sm_90``."""
    count = ctypes.c_int()
    _call(files, "nvrtcGetNumSupportedArchs", ctypes.byref(count))
    numbers = (ctypes.c_int * count.value)()
    _call(files, "nvrtcGetSupportedArchs", numbers)
    return [f"sm_{number}" for number in numbers]


def compile_source(
    source: str,
    filename: str,
    options: Options,
    expressions: Sequence[str] = (),
    headers: Mapping[str, str] | None = None,
) -> Compiled:
    """Compile to machine code.

    Parameters
    ----------
    source : str
        CUDA C++.
    filename : str
        What messages call it.
    options : Options
        Architecture, flags, definitions, folders.
    expressions : sequence of str
        Names of kernels whose symbols are wanted; a template instance is compiled because it is named here.
    headers : mapping
        Text of headers that are no files, by the name they are included by.

    Returns
    -------
    Compiled

    Raises
    ------
    CompileError
        What NVRTC wrote.
    OptionError
        An architecture or option NVRTC does not know.
    """
    files = chosen(options.arch)
    _check_architecture(options.arch, files)
    if "\0" in source:
        raise CompileError(f"{filename} is not source text: it has a NUL character")
    request = _request(files, source, filename, options, expressions, headers or {})
    refused = f"{filename} is not compiled for {options.arch}"
    answer = answered(nvrtc_child.__file__, request, refused, name(files))
    log = answer["log"].rstrip(b"\0").decode(errors="replace").strip()
    if "call" in answer:
        raise _refusal(answer, log, filename, options, name(files))
    symbols = dict(zip(expressions, (symbol.decode() for symbol in answer["symbols"]), strict=True))
    return Compiled(answer["cubin"], log, name(files), symbols)


def _request(
    files: toolchain.Nvrtc,
    source: str,
    filename: str,
    options: Options,
    expressions: Sequence[str],
    headers: Mapping[str, str],
) -> dict[str, Any]:
    """What the process that compiles is asked for."""
    command = [*options.device().command(), *(f"-I{folder}" for folder in files.includes)]
    return {
        "library": str(files.library),
        "builtins": str(files.builtins) if files.builtins else None,
        "source": source.encode(errors="replace"),
        "filename": os.fsencode(filename),
        "names": [os.fsencode(each) for each in headers],
        "headers": [os.fsencode(text) for text in headers.values()],
        "expressions": [expression.encode(errors="replace") for expression in expressions],
        "options": [os.fsencode(word) for word in command],
    }


def _check_architecture(arch: str, files: toolchain.Nvrtc) -> None:
    known = architectures(files)
    if arch.rstrip("af") not in known:
        older = f"; {toolchain.INSTALL_12} brings the one of CUDA 12, which knows earlier ones"
        raise OptionError(f"{name(files)} does not compile for {arch}: it knows {', '.join(known)}{older}")


def _refusal(answer: Mapping[str, Any], log: str, filename: str, options: Options, compiler: str) -> Exception:
    """The error that a failed compilation is reported by."""
    if answer["result"] == _COMPILATION:
        return CompileError(f"{filename} does not compile for {options.arch} ({compiler}):", log)
    if answer["result"] == _INVALID_OPTION:
        return OptionError(f"{compiler} refuses its options: {' '.join(log.split()).removeprefix('nvrtc: error: ')}")
    failed = f"{answer['call']} failed: {answer['reason']}"
    return CompileError(f"{filename} does not compile for {options.arch}: {compiler}: {failed}", log)


def _call(files: toolchain.Nvrtc | None, function: str, *arguments: Any) -> None:
    """Ask a library something, here: whatever only tells about it cannot crash."""
    try:
        nvrtc_child.call(_library(files or toolchain.nvrtc()), function, *arguments)
    except nvrtc_child.CallError as error:
        raise CompileError(str(error)) from None


@cache
def _library(files: toolchain.Nvrtc) -> Any:
    """The library, loaded."""
    try:
        return nvrtc_child.load(str(files.library), str(files.builtins) if files.builtins else None)
    except OSError as error:
        raise MissingToolError(f"NVRTC cannot be loaded: {error}; reinstall it: {toolchain.INSTALL}") from None
