"""The process in which NVRTC compiles: where it crashes, it takes nothing else along.

Started by path, as ``nvrtc_child.py REQUEST ANSWER``, so it imports nothing that takes time.  Both are files in
Python's own ``marshal`` format, of dictionaries: see :func:`compile_program`.
"""

from __future__ import annotations

import ctypes
import marshal
import sys
from pathlib import Path
from typing import Any

_COMPILATION = "nvrtcCompileProgram"


class CallError(Exception):
    """A call of NVRTC's that failed: which, its result, and NVRTC's word for that."""

    def __init__(self, call: str, result: int, reason: str) -> None:
        super().__init__(f"{call} failed: {reason}")
        self.call, self.result, self.reason = call, result, reason


def load(library: str, builtins: str | None) -> Any:
    """Load NVRTC; its builtins first, which it looks for only among what is loaded or on the loader's path."""
    if builtins:
        ctypes.CDLL(builtins, mode=ctypes.RTLD_GLOBAL)
    found = ctypes.CDLL(library)
    found.nvrtcGetErrorString.restype = ctypes.c_char_p
    return found


def call(library: Any, name: str, *arguments: Any) -> None:
    """Call a function of NVRTC's.

    Raises
    ------
    CallError
    """
    result = getattr(library, name)(*arguments)
    if result:
        raise CallError(name, result, library.nvrtcGetErrorString(result).decode())


def _strings(texts: list[bytes]) -> Any:
    return (ctypes.c_char_p * len(texts))(*texts)


def _bytes(library: Any, what: str, program: Any) -> bytes:
    """What ``nvrtcGet<what>`` gives."""
    size = ctypes.c_size_t()
    call(library, f"nvrtcGet{what}Size", program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    call(library, f"nvrtcGet{what}", program, buffer)
    return buffer.raw


def _symbol(library: Any, program: Any, expression: bytes) -> bytes:
    """Symbol that a name expression stands for."""
    lowered = ctypes.c_char_p()
    call(library, "nvrtcGetLoweredName", program, expression, ctypes.byref(lowered))
    return lowered.value or b""


def compile_program(request: dict[str, Any]) -> dict[str, Any]:
    """Compile one source.

    Parameters
    ----------
    request : dict
        ``library``, ``builtins``: paths; ``source``, ``filename``: bytes; ``names``, ``headers``, ``expressions``,
        ``options``: lists of bytes.

    Returns
    -------
    dict
        ``log``; and ``cubin`` and ``symbols``, or ``call``, ``result`` and ``reason`` of the call that failed.
    """
    library = load(request["library"], request["builtins"])
    program, answer = ctypes.c_void_p(), {"log": b""}
    headers = _strings(request["headers"]), _strings(request["names"])
    try:
        call(library, "nvrtcCreateProgram", ctypes.byref(program), request["source"], request["filename"],
             len(request["headers"]), *headers)  # fmt: skip
        for expression in request["expressions"]:
            call(library, "nvrtcAddNameExpression", program, expression)
        options = request["options"]
        try:
            call(library, _COMPILATION, program, len(options), _strings(options))
        finally:
            answer["log"] = _bytes(library, "ProgramLog", program)
        symbols = [_symbol(library, program, expression) for expression in request["expressions"]]
        return {**answer, "cubin": _bytes(library, "CUBIN", program), "symbols": symbols}
    except CallError as error:
        return {**answer, "call": error.call, "result": error.result, "reason": error.reason}


if __name__ == "__main__":
    asked, answered = map(Path, sys.argv[1:3])
    answered.write_bytes(marshal.dumps(compile_program(marshal.loads(asked.read_bytes()))))
