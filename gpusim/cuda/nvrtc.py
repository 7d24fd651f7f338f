"""NVRTC, the CUDA compiler as a library.

Source: NVRTC 13.0 user guide, https://docs.nvidia.com/cuda/nvrtc/
"""

from __future__ import annotations

import ctypes
import marshal
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from gpusim import children
from gpusim.cuda import nvrtc_child, toolchain
from gpusim.cuda.cuda_errors import CompileError, MissingToolError, OptionError
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


def version() -> tuple[int, int]:
    """Major and minor version of NVRTC."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


def name() -> str:
    """NVRTC and its version, for people."""
    return "NVRTC {}.{}".format(*version())


def identity() -> str:
    """What tells this NVRTC and its headers from another: versions, sizes, times of change."""
    files = toolchain.nvrtc()
    marks = [files.library, *(folder / "cuda_runtime_api.h" for folder in files.includes)]
    stats = [(path.stat().st_size, path.stat().st_mtime_ns) for path in marks if path.is_file()]
    return f"{name()} {stats}"


def architectures() -> list[str]:
    """Real architectures that this NVRTC compiles for, such as ``sm_90``."""
    count = ctypes.c_int()
    _call("nvrtcGetNumSupportedArchs", ctypes.byref(count))
    numbers = (ctypes.c_int * count.value)()
    _call("nvrtcGetSupportedArchs", numbers)
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
    _check_architecture(options.arch)
    if "\0" in source:
        raise CompileError(f"{filename} is not source text: it has a NUL character")
    answer = _answer(_request(source, filename, options, expressions, headers or {}), filename, options)
    log = answer["log"].rstrip(b"\0").decode(errors="replace").strip()
    if "call" in answer:
        raise _refusal(answer, log, filename, options)
    symbols = dict(zip(expressions, (symbol.decode() for symbol in answer["symbols"]), strict=True))
    return Compiled(answer["cubin"], log, name(), symbols)


def _request(
    source: str, filename: str, options: Options, expressions: Sequence[str], headers: Mapping[str, str]
) -> dict[str, Any]:
    """What the process that compiles is asked for."""
    files = toolchain.nvrtc()
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


def _answer(request: dict[str, Any], filename: str, options: Options) -> dict[str, Any]:
    """Have a process of its own compile: NVRTC crashes on some sources."""
    with tempfile.TemporaryDirectory(prefix="gpusim-") as folder:
        asked, answered = Path(folder, "request"), Path(folder, "answer")
        asked.write_bytes(marshal.dumps(request))
        command = [sys.executable, "-I", "-S", nvrtc_child.__file__, str(asked), str(answered)]
        try:
            ended = children.run(command, seconds=toolchain.COMPILE_S)
        except children.ChildError as error:
            raise CompileError(f"{filename} is not compiled for {options.arch}: {name()} {error}") from None
        if ended.status:
            said = ended.errors.decode(errors="replace").strip().splitlines() or [f"status {ended.status}"]
            raise CompileError(f"{filename} is not compiled for {options.arch}: {name()} fails: {said[-1]}")
        found: dict[str, Any] = marshal.loads(answered.read_bytes())
        return found


def _check_architecture(arch: str) -> None:
    known = architectures()
    if arch.rstrip("af") not in known:
        raise OptionError(f"{name()} does not compile for {arch}: it knows {', '.join(known)}")


def _refusal(answer: Mapping[str, Any], log: str, filename: str, options: Options) -> Exception:
    """The error that a failed compilation is reported by."""
    if answer["result"] == _COMPILATION:
        return CompileError(f"{filename} does not compile for {options.arch} ({name()}):", log)
    if answer["result"] == _INVALID_OPTION:
        return OptionError(f"{name()} refuses its options: {' '.join(log.split()).removeprefix('nvrtc: error: ')}")
    failed = f"{answer['call']} failed: {answer['reason']}"
    return CompileError(f"{filename} does not compile for {options.arch}: {name()}: {failed}", log)


def _call(function: str, *arguments: Any) -> None:
    """Ask the library something, here: whatever only tells about it cannot crash."""
    try:
        nvrtc_child.call(_library(), function, *arguments)
    except nvrtc_child.CallError as error:
        raise CompileError(str(error)) from None


@cache
def _library() -> Any:
    """The library, loaded."""
    files = toolchain.nvrtc()
    try:
        return nvrtc_child.load(str(files.library), str(files.builtins) if files.builtins else None)
    except OSError as error:
        raise MissingToolError(f"NVRTC cannot be loaded: {error}; reinstall it: {toolchain.INSTALL}") from None
