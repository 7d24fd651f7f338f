"""Leave host code out of a source, so that NVRTC takes it.

Only what NVRTC itself calls a host function or variable, at namespace scope, is left out, and headers that
only host code can use are empty.  Device code cannot use either, so what compiles then is what nvcc compiles
too; what device code does need of them makes an error.  Lines keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gpusim.cuda.cuda_errors import CompileError

_HOST_CODE = re.compile(
    r"^(?P<file>[^\n]+)\((?P<line>\d+)\): error: [^\n]*considered a host (?:function|variable)[^\n]*\n"
    r"  (?P<text>[^\n]*)\n(?P<caret> *)\^",
    re.MULTILINE,
)
_ROUNDS = 8

_NAMES = (
    "algorithm array atomic bitset chrono complex condition_variable deque exception execution filesystem fstream "
    "functional future initializer_list iomanip ios iosfwd iostream istream iterator limits list locale map memory "
    "mutex new numeric optional ostream queue random ratio regex set sstream stack stdexcept streambuf string "
    "string_view system_error thread tuple type_traits typeinfo unordered_map unordered_set utility valarray variant "
    "vector ctype.h cctype errno.h cerrno signal.h csignal stdarg.h cstdarg locale.h sys/time.h sys/types.h sys/stat.h "
    "sys/mman.h unistd.h getopt.h fcntl.h omp.h pthread.h malloc.h windows.h mpi.h nccl.h nvToolsExt.h "
    "nvtx3/nvToolsExt.h cublas.h cublas_v2.h cublasLt.h cusparse.h cusolverDn.h cufft.h cudnn.h curand.h nvml.h "
    "nvrtc.h cuda_profiler_api.h cuda.h torch/extension.h torch/all.h torch/torch.h torch/types.h torch/library.h "
    "ATen/ATen.h ATen/cuda/CUDAContext.h c10/cuda/CUDAGuard.h c10/cuda/CUDAStream.h pybind11/pybind11.h"
)

HEADERS = dict.fromkeys(_NAMES.split(), "#pragma once\n")
"""Headers for host code, each as if it were empty."""


def without_host_code(source: str, compiles: Callable[[str], None]) -> str | None:
    """Leave out what the compiler calls host code, until it has no more complaint.

    Parameters
    ----------
    source : str
    compiles : callable
        Compile a source; raises CompileError with the compiler's log.

    Returns
    -------
    str or None
        The source that compiles; None where there is none.
    """
    for _ in range(_ROUNDS):
        try:
            compiles(source)
        except CompileError as error:
            shorter = _shorter(source, error.log)
            if shorter is None or shorter == source:
                return None
            source = shorter
        else:
            return source
    return None


def _shorter(source: str, log: str) -> str | None:
    """The source less the functions and variables that a log calls host code; None where one cannot be left out."""
    plain = _plain(source)
    starts = [0, *(match.end() for match in re.finditer("\n", source))]
    spans = []
    for found in _HOST_CODE.finditer(log):
        line = int(found["line"]) - 1
        if line >= len(starts) or not source.startswith(found["text"].rstrip(), starts[line]):
            return None  # in another file
        span = _definition(plain, starts[line] + len(found["caret"]) - 2)
        if span is None:
            return None
        spans.append(span)
    for begin, end in spans:
        source = source[:begin] + re.sub(r"[^\n]", " ", source[begin:end]) + source[end:]
    return source


def _plain(source: str) -> str:
    """The source with blanks for comments, strings, and lines of the preprocessor; those end with a semicolon."""
    pattern = re.compile(
        r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'"""
        r"""|(?P<line>^[ \t]*\#(?:/\*.*?\*/|\\.|[^\\\n])*)""",
        re.DOTALL | re.MULTILINE,
    )

    def blanked(match: re.Match[str]) -> str:
        blank = re.sub(r"[^\n]", " ", match[0])
        return f"{blank[:-1]};" if match["line"] else blank

    return pattern.sub(blanked, source)


def _definition(plain: str, at: int) -> tuple[int, int] | None:
    """Where the definition around a place begins and ends; None where it is not at namespace scope."""
    if not _at_namespace_scope(plain, at):
        return None
    begin = max(plain.rfind(mark, 0, at) for mark in ";{}") + 1
    opening = re.compile(r"[{;]").search(plain, at)
    if opening is None:
        return None
    depth, end = 0, opening.start()
    while end < len(plain):
        depth += (plain[end] == "{") - (plain[end] == "}")
        end += 1
        if depth == 0:
            return begin, end
    return None


def _at_namespace_scope(plain: str, at: int) -> bool:
    """Whether every brace that is open at a place is a namespace's or a linkage's."""
    opened: list[int] = []
    for place in (match.start() for match in re.finditer(r"[{}]", plain[:at])):
        if plain[place] == "{":
            opened.append(place)
        elif opened:
            opened.pop()
    return all(re.search(r"\b(namespace(\s+[\w:]+)?|extern\s+\S*)\s*$", plain[:place]) for place in opened)
