"""The process in which nvJitLink compiles PTX: where it crashes, it takes nothing else along.

Started by path, as ``jitlink_child.py REQUEST ANSWER``, so it imports nothing that takes time.  Both are files in
Python's own ``marshal`` format, of dictionaries: see :func:`link`.
"""

from __future__ import annotations

import ctypes
import marshal
import sys
from pathlib import Path
from typing import Any

_OF_PTX = 2  # nvJitLinkInputType


def _bytes(library: Any, what: str, handle: Any) -> bytes:
    """What ``nvJitLinkGet<what>`` gives."""
    size = ctypes.c_size_t()
    if getattr(library, f"nvJitLinkGet{what}Size")(handle, ctypes.byref(size)):
        return b""
    buffer = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvJitLinkGet{what}")(handle, buffer)
    return buffer.raw


def link(request: dict[str, Any]) -> dict[str, Any]:
    """Compile one text of PTX.

    Parameters
    ----------
    request : dict
        ``library``: path; ``ptx``, ``filename``: bytes; ``options``: list of bytes.

    Returns
    -------
    dict
        ``log``; and ``cubin``, or ``call`` and ``result`` of the call that failed.
    """
    library = ctypes.CDLL(request["library"])
    handle, options = ctypes.c_void_p(), request["options"]
    calls: tuple[tuple[str, tuple[Any, ...]], ...] = (
        ("Create", (ctypes.byref(handle), len(options), (ctypes.c_char_p * len(options))(*options))),
        ("AddData", (handle, _OF_PTX, request["ptx"], len(request["ptx"]), request["filename"])),
        ("Complete", (handle,)),
    )
    for name, arguments in calls:
        if result := getattr(library, f"nvJitLink{name}")(*arguments):
            log = _bytes(library, "ErrorLog", handle) if handle else b""
            return {"log": log, "call": f"nvJitLink{name}", "result": result}
    return {"log": _bytes(library, "InfoLog", handle), "cubin": _bytes(library, "LinkedCubin", handle)}


if __name__ == "__main__":
    asked, answered = map(Path, sys.argv[1:3])
    answered.write_bytes(marshal.dumps(link(marshal.loads(asked.read_bytes()))))
