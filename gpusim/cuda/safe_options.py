"""Compiler options that a file from somewhere else may name: they decide the machine code, and nothing else.

Compilers have options that run programs (``-ccbin``, ``-Xcompiler=-wrapper,...``) or write files (``-o``, ``--time``,
``--create-pch``, ``--keep``); every release has new ones.  So what is known to do neither is listed, by both
names that an option has, and anything else is refused.

Source: NVIDIA, *NVRTC* 13.0, "Supported Compile Options"; *NVIDIA CUDA Compiler Driver NVCC* 13.0, "NVCC Command
Options".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gpusim.cuda.cuda_errors import OptionError

_SWITCHES = (
    "c", "g", "m64", "G", "device-debug", "lineinfo", "generate-line-info", "w", "disable-warnings", "restrict",
    "use_fast_math", "extra-device-vectorization", "default-device", "device-as-default-execution-space",
    "expt-relaxed-constexpr", "extended-lambda", "expt-extended-lambda", "device-int128", "device-float128",
    "device-c", "dc", "display-error-number", "no-display-error-number", "err-no", "no-source-include", "minimal",
)  # fmt: skip
_TRUE_OR_FALSE = (
    "ftz", "prec-sqrt", "prec-div", "fmad", "use_fast_math", "rdc", "relocatable-device-code", "restrict",
    "extra-device-vectorization", "builtin-move-forward", "builtin-initializer-list",
)  # fmt: skip
_HARMLESS_TEXT = r"[^`$;|&<>\"'\x00-\x1f]+"
"""A macro or a path without what a shell between the compiler and its parts might take as its own."""
_JOINED = [
    rf"--?({'|'.join(map(re.escape, _SWITCHES))})",
    rf"--?({'|'.join(_TRUE_OR_FALSE)})=(true|false)",
    r"(-O|--optimize=?)[0-3s]?",
    r"--?(maxrregcount=|split-compile=|jump-table-density=)\d{1,6}",
    r"--?std=(c|gnu)\+\+\d\d",
    r"--?dopt=(on|off)",
    r"--?(diag-(suppress|warn|error)=[\w,-]+|brief-diagnostics=(true|false))",
    r"(-x=?|--x=)cu",
    r"-W[\w=-]*|--Werror=?[\w,-]*",
    rf"(-[DUIlL]|--(define-macro|undefine-macro|include-path|pre-include)=|-include=){_HARMLESS_TEXT}",
]
_OF_PTXAS = r"-v|-O[0-3]|--?(warn-\w+(-\w+)*|verbose|fmad|allow-expensive-optimizations|dlcm|dscm)(=\w+)?|-Werror"
_JOINED.append(rf"(-Xptxas|--ptxas-options)=({_OF_PTXAS})(,({_OF_PTXAS}))*")
_SAFE = re.compile("|".join(f"({form})" for form in _JOINED))
_FOLLOWED = {
    **dict.fromkeys(("-I", "-D", "-U", "-l", "-L", "-include"), re.compile(rf"(?![-@]){_HARMLESS_TEXT}")),
    **dict.fromkeys(("-Xptxas", "--ptxas-options"), re.compile(rf"({_OF_PTXAS})(,({_OF_PTXAS}))*")),
    "-x": re.compile("cu"),
    "-O": re.compile("[0-3]"),
}
"""Options whose value is the next word, and what that may be."""


def check_safe(flags: Iterable[str]) -> None:
    """Refuse options that may run a program or write a file.

    Parameters
    ----------
    flags : iterable of str
        Options as on a command line, each its own string.

    Raises
    ------
    OptionError
        For the first that is not known to be harmless.

    Examples
    --------
    >>> check_safe(["-O3", "-std=c++17", "-D", "N=4", "-I/opt/include", "--use_fast_math"])
    >>> check_safe(["-ccbin=/bin/sh"])
    Traceback (most recent call last):
    gpusim.cuda.cuda_errors.OptionError: compiler option '-ccbin=/bin/sh' is not taken from a file: ...
    """
    words = iter(flags)
    for flag in words:
        if not _is_safe(flag, words):
            raise OptionError(
                f"compiler option {flag!r} is not taken from a file: only options that are known to decide nothing but "
                "the machine code are, such as -O3, -std=c++17, -ftz=true, -DN=4 or -Iinclude"
            )


def _is_safe(flag: str, rest: Iterator[str]) -> bool:
    if flag in _FOLLOWED:
        return _FOLLOWED[flag].fullmatch(next(rest, "")) is not None
    return _SAFE.fullmatch(flag) is not None
