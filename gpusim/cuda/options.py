"""Compiler options: what gpusim sets, what a user may add, what only matters to host code."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from gpusim.cuda.cuda_errors import OptionError
from gpusim.errors import listed, shown
from gpusim.hardware import DEFAULT_ARCHITECTURE

_ARCHITECTURE = re.compile(r"sm_\d{2,3}[af]?")
_CHOSEN = re.compile(r"(-arch|--gpu-architecture|-code|--gpu-code|-gencode|--generate-code)(=.*)?")
_STANDARD = re.compile(r"(-std|--std)(=.*)?")
_LINES = re.compile(r"-lineinfo|--generate-line-info|-G|--device-debug")
_SEARCHED = re.compile(r"(?:-I|--include-path|-isystem|--system-include)=?(.*)")
_DEFINED = re.compile(r"(?:-D|--define-macro)=?(.*)")
_BEFOREHAND = re.compile(r"(?:-include|--pre-include)=?(.*)")
_HOST_ALONE = re.compile(
    r"-O[0-3s]?|-c|-g|-l(?!ineinfo)\S+|-L\S+|(-Xcompiler|--compiler-options|-ccbin)=.*|-x=?cu|-m64"
)
_PASSED_ON = frozenset(("-Xptxas", "--ptxas-options", "-I", "-D", "-U", "-include"))
_HOST_WITH_VALUE = frozenset(
    {"-Xcompiler", "--compiler-options", "-o", "-ccbin", "-x", "-L", "-l", "-O", "-MF", "-Xlinker"}
)
_VALUE = frozenset(
    ("-D", "--define-macro", "-U", "--undefine-macro", "-I", "--include-path", "-include", "--pre-include",
     "-maxrregcount", "--maxrregcount", "-o", "-ccbin", "-x", "-L", "-l", "-MF")
)  # fmt: skip
_OPTION_AS_VALUE = frozenset(("-Xptxas", "--ptxas-options", "-Xcompiler", "--compiler-options", "-Xlinker"))
"""Options that are followed by a value, which is no option, and those of which it may be one."""
_NVRTC_ALONE = re.compile(
    r"--?(device-int128|device-float128|builtin-(move-forward|initializer-list)(=\w+)?|no-source-include|minimal)"
)
"""What nvcc does unasked, and has no option for."""


@dataclass(frozen=True)
class Options:
    """Everything that decides what a source is compiled to, but for the source.

    Attributes
    ----------
    arch : str
        Real architecture, such as ``"sm_90"``.
    flags : tuple of str
        The user's options, as given.
    defines : tuple of str
        ``NAME`` or ``NAME=value``.
    include : tuple of Path
        Folders of the user's with headers, searched in this order.
    """

    arch: str
    flags: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    include: tuple[Path, ...] = ()

    def command(self) -> list[str]:
        """Options that NVRTC and nvcc alike understand.

        ``-lineinfo`` changes no instruction and no constant (verified on twelve files for sm_75 to sm_120), so
        it is always on.
        """
        given = list(self.flags)
        command = [f"-arch={self.arch}"]
        command += [] if any(map(_STANDARD.fullmatch, given)) else ["-std=c++17"]
        command += [] if any(map(_LINES.fullmatch, given)) else ["-lineinfo"]
        command += [f"-D{define}" for define in self.defines]
        command += [f"-I{folder}" for folder in self.include]
        return command + given

    def searched(self) -> list[Path]:
        """Folders in which headers are searched, whichever way they are named; the working folder is one."""
        return [*self.include, *map(Path, _values(self.flags, _SEARCHED)), Path()]

    def macros(self) -> list[str]:
        """Macros that are defined, as ``NAME`` or ``NAME=value``, whichever way they are named."""
        return [*self.defines, *_values(self.flags, _DEFINED)]

    def beforehand(self) -> list[str]:
        """Headers that are included before the source."""
        return _values(self.flags, _BEFOREHAND)

    def device(self) -> Options:
        """The same without the options that concern host code, which NVRTC does not know."""
        kept: list[str] = []
        flags = iter(self.flags)
        for flag in flags:
            if flag in _HOST_WITH_VALUE:
                next(flags, None)
            elif flag in _PASSED_ON:
                kept += [flag, *islice(flags, 1)]
            elif not _HOST_ALONE.fullmatch(flag):
                kept.append(flag)
        return replace(self, flags=tuple(kept))

    def offline(self) -> Options:
        """The same without the options that NVRTC alone knows, and nvcc needs not."""
        return replace(self, flags=tuple(flag for flag in self.flags if not _NVRTC_ALONE.fullmatch(flag)))


def _values(flags: Iterable[str], form: re.Pattern[str]) -> list[str]:
    """Values of an option, joined to it or after it; nvcc takes several with commas between them."""
    rest, found = iter(flags), list[str]()
    for flag in rest:
        if match := form.fullmatch(flag):
            value = match[1] or next(rest, "")
            found += dict.fromkeys([value, *value.split(",")])
    return found


def options(
    arch: str,
    flags: Sequence[str] = (),
    defines: Mapping[str, object] | None = None,
    include: Iterable[str | Path] = (),
    own: Path | None = None,
) -> Options:
    """Check what a user gave.

    Parameters
    ----------
    arch : str
        Real architecture, such as ``"sm_90"`` or ``"sm_90a"``.
    flags : sequence of str
        Options as on a command line, each its own string.
    defines : mapping
        Value of each macro; ``None`` defines it without one.
    include : iterable of str or Path
        Folders with headers.
    own : Path, optional
        The source's own folder, which is searched first.

    Returns
    -------
    Options

    Raises
    ------
    OptionError
        Where something cannot be used.
    """
    if not _ARCHITECTURE.fullmatch(arch):
        raise OptionError(f"unknown architecture {arch!r}: one such as {DEFAULT_ARCHITECTURE!r} is needed")
    words = listed(flags, "compiler options are a list of strings, such as ['-ftz=true']", OptionError, str)
    for flag in words:
        if _CHOSEN.fullmatch(flag):
            raise OptionError(f"compiler option {shown(flag)} must be left out: it is {arch}; arch (--arch) says so")
    _refuse_lacking(words)
    folders = listed(include, "folders with headers are a list of paths", OptionError, str, os.PathLike)
    first = () if own is None else (own,)
    return Options(arch, tuple(words), _definitions(defines), tuple(_folder(path) for path in (*first, *folders)))


def _refuse_lacking(words: Iterable[str]) -> None:
    """Refuse an option that would take the one after it, which may be gpusim's own, for its value."""
    rest = iter(words)
    for word in rest:
        if word not in _VALUE | _OPTION_AS_VALUE:
            continue
        value = next(rest, "")
        if not value or (word in _VALUE and value.startswith("-")):
            raise OptionError(f"compiler option {word!r} lacks its value, which is a string of its own after it")


def _definitions(defines: Any) -> tuple[str, ...]:
    """Macros as options have them."""
    if defines is not None and not isinstance(defines, Mapping):
        raise OptionError(f"macros to define are a dict, such as {{'N': 128}}, not {shown(defines)}")
    return tuple(_define(name, value) for name, value in (defines or {}).items())


def _define(name: Any, value: object) -> str:
    """``NAME`` or ``NAME=value``; true and false are 1 and 0."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise OptionError(f"{shown(name)} cannot be the name of a macro")
    if value is None:
        return name
    return f"{name}={int(value) if isinstance(value, bool) else value}"


def _folder(path: str | Path) -> Path:
    if not os.path.isdir(path):  # noqa: PTH112 (a path that cannot be one is none)
        raise OptionError(f"include folder {shown(str(path))} does not exist")
    return Path(path)
