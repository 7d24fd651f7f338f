"""NVRTC, the CUDA compiler as a library.

Source: NVRTC 13.0 user guide, https://docs.nvidia.com/cuda/nvrtc/
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from gpusim.cuda import toolchain
from gpusim.cuda.errors import CompileError, MissingToolError, OptionError
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
    """

    cubin: bytes
    log: str
    compiler: str
    symbols: Mapping[str, str] = field(default_factory=dict)


def version() -> tuple[int, int]:
    """Major and minor version of NVRTC."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check(_library().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)), "nvrtcVersion")
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
    _check(_library().nvrtcGetNumSupportedArchs(ctypes.byref(count)), "nvrtcGetNumSupportedArchs")
    numbers = (ctypes.c_int * count.value)()
    _check(_library().nvrtcGetSupportedArchs(numbers), "nvrtcGetSupportedArchs")
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
    with _program(source, filename, headers or {}) as program:
        for expression in expressions:
            _check(
                _library().nvrtcAddNameExpression(program, expression.encode(errors="replace")),
                "nvrtcAddNameExpression",
            )
        command = [*options.device().command(), *(f"-I{folder}" for folder in toolchain.nvrtc().includes)]
        result = _library().nvrtcCompileProgram(program, len(command), _strings(command))
        log = _text(_bytes("ProgramLog", program))
        if result:
            raise _refusal(result, log, filename, options)
        symbols = {expression: _symbol(program, expression) for expression in expressions}
        return Compiled(_bytes("CUBIN", program), log, name(), symbols)


def _check_architecture(arch: str) -> None:
    known = architectures()
    if arch.rstrip("af") not in known:
        raise OptionError(f"{name()} does not compile for {arch}: it knows {', '.join(known)}")


def _refusal(result: int, log: str, filename: str, options: Options) -> Exception:
    """The error that a failed compilation is reported by."""
    if result == _COMPILATION:
        return CompileError(f"{filename} does not compile for {options.arch} ({name()}):", log)
    if result == _INVALID_OPTION:
        return OptionError(f"{name()} refuses its options: {' '.join(log.split()).removeprefix('nvrtc: error: ')}")
    return CompileError(f"{filename} does not compile for {options.arch}: {name()}: {_reason(result)}", log)


@contextmanager
def _program(source: str, filename: str, headers: Mapping[str, str]) -> Iterator[ctypes.c_void_p]:
    """A program while it is needed."""
    if "\0" in source:
        raise CompileError(f"{filename} is not source text: it has a NUL character")
    program = ctypes.c_void_p()
    text = source.encode(errors="replace")
    texts, names = _strings(list(headers.values())), _strings(list(headers))
    create = _library().nvrtcCreateProgram
    _check(
        create(ctypes.byref(program), text, os.fsencode(filename), len(headers), texts, names),
        "nvrtcCreateProgram",
    )
    try:
        yield program
    finally:
        _library().nvrtcDestroyProgram(ctypes.byref(program))


def _symbol(program: ctypes.c_void_p, expression: str) -> str:
    """Symbol that a name expression stands for."""
    lowered = ctypes.c_char_p()
    _check(
        _library().nvrtcGetLoweredName(program, expression.encode(errors="replace"), ctypes.byref(lowered)),
        "nvrtcGetLoweredName",
    )
    return (lowered.value or b"").decode()


def _bytes(what: str, program: ctypes.c_void_p) -> bytes:
    """What ``nvrtcGet<what>`` gives."""
    size = ctypes.c_size_t()
    _check(getattr(_library(), f"nvrtcGet{what}Size")(program, ctypes.byref(size)), f"nvrtcGet{what}Size")
    buffer = ctypes.create_string_buffer(size.value)
    _check(getattr(_library(), f"nvrtcGet{what}")(program, buffer), f"nvrtcGet{what}")
    return buffer.raw


def _text(log: bytes) -> str:
    return log.rstrip(b"\0").decode(errors="replace").strip()


def _strings(texts: Sequence[str]) -> Any:
    return (ctypes.c_char_p * len(texts))(*(os.fsencode(text) for text in texts))


def _check(result: int, call: str) -> None:
    if result:
        raise CompileError(f"{call} failed: {_reason(result)}")


def _reason(result: int) -> str:
    words: bytes = _library().nvrtcGetErrorString(result)
    return words.decode()


@cache
def _library() -> Any:
    """The library, loaded; its builtins first, which it looks for only among what is loaded or on the loader's path."""
    files = toolchain.nvrtc()
    try:
        if files.builtins:
            _load(files.builtins)
        library = _load(files.library)
    except OSError as error:
        raise MissingToolError(f"NVRTC cannot be loaded: {error}; reinstall it: {toolchain.INSTALL}") from None
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    return library


def _load(path: Path) -> Any:
    load: Callable[..., Any] = ctypes.CDLL
    return load(str(path), mode=ctypes.RTLD_GLOBAL)
