"""Compiles CUDA C++ for tests: NVRTC from its wheel, else nvcc."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

ARCH = "sm_90"
OPTIONS = [f"-arch={ARCH}", "-std=c++17"]


class CompileError(Exception):
    """The compiler refuses the source; its words are the message."""


@cache
def missing() -> str:
    """Why nothing can be compiled; empty if it can."""
    return "" if _wheel() or shutil.which("nvcc") else "needs nvcc, or NVRTC: pip install gpusim[cuda]"


def compile_(source: str) -> tuple[bytes, str]:
    """The cubin of ``source``, and the compiler's warnings."""
    return _nvrtc(source) if _wheel() else _nvcc(source)


@cache
def _wheel() -> Path | None:
    """Folder of the wheels' libraries and headers."""
    spec = find_spec("nvidia")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if any(Path(folder).glob("cu*/lib/libnvrtc.so.*")):
            return next(Path(folder).glob("cu*/lib/libnvrtc.so.*")).parents[1]
    return None


@cache
def _library() -> ctypes.CDLL:
    folder = _wheel()
    assert folder is not None
    for builtins in (folder / "lib").glob("libnvrtc-builtins.so.*"):
        ctypes.CDLL(str(builtins))  # NVRTC looks for it by name alone
    return ctypes.CDLL(str(next((folder / "lib").glob("libnvrtc.so.*"))))


def _nvrtc(source: str) -> tuple[bytes, str]:
    library, program = _library(), ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
    try:
        options = [option.encode() for option in [*OPTIONS, f"-I{_wheel()}/include"]]
        failed = library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        log = _taken(library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog, program)
        if failed:
            raise CompileError(log.decode())
        return _taken(library.nvrtcGetCUBINSize, library.nvrtcGetCUBIN, program), log.rstrip(b"\0").decode().strip()
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _taken(size_of, copy, program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    size_of(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    copy(program, buffer)
    return buffer.raw


def _nvcc(source: str) -> tuple[bytes, str]:
    with tempfile.TemporaryDirectory(prefix="gpusim-emit-") as folder:
        path = Path(folder) / "kernel.cu"
        path.write_text(source, encoding="utf-8")
        command = ["nvcc", "-cubin", *OPTIONS, str(path), "-o", str(path.with_suffix(".cubin"))]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            raise CompileError(result.stderr)
        return path.with_suffix(".cubin").read_bytes(), (result.stdout + result.stderr).strip()
