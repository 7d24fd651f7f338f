"""Host code in a source: what of it stood in NVRTC's way.

NVRTC compiles device code alone.  It has no standard library, and refuses every function and variable that
is the host's; nvcc, which has a host compiler at hand, takes both.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from gpusim.cuda import toolchain
from gpusim.cuda.cuda_errors import CompileError, MissingToolError
from gpusim.cuda.host_headers import HEADERS
from gpusim.names import some

_LINE = r"^(?P<file>[^\n(]+)\((?P<line>\d+)\): (?:catastrophic )?error: "
_ERROR = re.compile(_LINE + r"(?P<what>[^\n]+)", re.MULTILINE)
_MISSING_HEADER = re.compile(_LINE + r'cannot open source file "(?P<what>[^"]+)"', re.MULTILINE)
_HOST_CODE = re.compile(_LINE + r".*?considered a host (?P<what>function|variable)", re.MULTILINE)
_HOST_NAME = re.compile(
    _LINE + r'(?:identifier "(?P<what>(?:cuda|cublas|std)\w*)" is undefined'
    r'|namespace "std" has no member "(?P<member>\w+)"'
    r'|name followed by "::" must be a class or namespace name)',
    re.MULTILINE,
)
_BLAMED = re.compile(r"^(?:([^\n(]+)\(\d+\)|([^\n:]+):\d+:\d+): (?:catastrophic |fatal )?error: ", re.MULTILINE)
_NOT_FOUND = re.compile(
    r"fatal error: (?P<what>[^\n:]+): No such file|fatal error: '(?P<clang>[^\n']+)' file not found"
)
_WHEELS = {
    r"cuda_\w+\.h(pp)?|mma\.h|cooperative_groups.*|sm_\d\w+\.h(pp)?|vector_types\.h|crt/.*|device_\w+\.h|"
    r"(nv|cuda|cub|thrust)/.*": toolchain.INSTALL,
    r"curand\w*\.h": toolchain.INSTALL,
}


def reason(log: str) -> str | None:
    """Tell what of a source is not for NVRTC.

    Parameters
    ----------
    log : str
        What NVRTC wrote.

    Returns
    -------
    str or None
        Where and what it is, such as ``"main.cu:3: #include <iostream>"``; None where NVRTC complains about
        device code.

    Examples
    --------
    >>> reason('a.cu(3): catastrophic error: cannot open source file "iostream"')
    'a.cu:3: #include "iostream"'
    """
    if found := _MISSING_HEADER.search(log):
        return f'{found["file"]}:{found["line"]}: #include "{found["what"]}"'
    if found := _HOST_CODE.search(log):
        return f"{found['file']}:{found['line']}: a host {found['what']}"
    if found := _HOST_NAME.search(log):
        name = found["what"] or (f"std::{found['member']}" if found["member"] else "a library's namespace")
        return f"{found['file']}:{found['line']}: {name}"
    return None


def missing_header(log: str) -> str | None:
    """Name of the header that NVRTC did not find; None where it found all."""
    found = _MISSING_HEADER.search(log)
    return None if found is None else found["what"]


def missing_for_nvcc(log: str) -> str | None:
    """Name of the header that nvcc's host compiler did not find; None where it found all."""
    found = _NOT_FOUND.search(log)
    return None if found is None else found["what"] or found["clang"]


def blamed(log: str, names: Iterable[str]) -> set[str]:
    """Headers that a compiler found errors in.

    Parameters
    ----------
    log : str
        What it wrote.
    names : iterable of str
        Names that headers are included by.

    Examples
    --------
    >>> blamed("/a/b/own.h(3): error: no", ["../b/own.h", "other.h"])
    {'../b/own.h'}
    """
    files = {os.path.normpath(found[1] or found[2]) for found in _BLAMED.finditer(log)}
    return {name for name in names if any(f"/{file}".endswith(_tail(name)) for file in files)}


def _tail(name: str) -> str:
    """What a header's path ends with."""
    return "/" + re.sub(r"^(\.\./)+", "", os.path.normpath(name))


def is_unmarked(log: str) -> bool:
    """Whether NVRTC refuses a function or variable only because nothing marks it for the device."""
    return bool(_HOST_CODE.search(log))


def lacks_header(log: str) -> bool:
    """Whether a host compiler did not find a header."""
    return "No such file or directory" in log or "file not found" in log


def missing_wheel(log: str) -> str | None:
    """Command that installs the CUDA header NVRTC did not find; None where it misses none of CUDA's."""
    found = _MISSING_HEADER.search(log)
    if found is None or found["what"] in HEADERS:
        return None
    return next((command for names, command in _WHEELS.items() if re.fullmatch(names, found["what"])), None)


def refuse(filename: str, log: str, missing: Sequence[str] = ()) -> CompileError:
    """Word the error for a source whose device code does not compile without host code.

    Parameters
    ----------
    filename : str
    log : str
        What NVRTC wrote of the device code.
    missing : sequence of str
        Headers that were not found, and taken as empty.

    Returns
    -------
    CompileError
    """
    try:
        toolchain.nvcc()
        remedy = "nvcc does not find all headers either"
    except MissingToolError as error:
        remedy = str(error)
    first = _ERROR.search(log)
    what = (reason(first[0]) or f"{first['file']}:{first['line']}: {first['what']}") if first else "no reason is given"
    found = f"name the folder of {some(missing)} (include), or " if missing else ""
    refused = CompileError(f"{filename}: its device code does not compile without host code ({what}): {found}{remedy}")
    refused.log = log
    return refused
