"""A source and how it is compiled: by NVRTC or nvcc, once, for what it is compiled to is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gpusim.cuda import cache, nvcc, nvrtc, targets, toolchain
from gpusim.cuda.cuda_errors import CompileError
from gpusim.cuda.headers import HEADERS
from gpusim.cuda.nvrtc import Compiled
from gpusim.cuda.options import Options
from gpusim.kept.alone import check_wanted


@dataclass(frozen=True)
class Source:
    """A source to compile: text, the name it goes by, what decides how; whether the target is the user's choice."""

    text: str
    filename: str
    options: Options
    is_given: bool = False

    def for_target(self, target: str) -> Source:
        """The same for another target."""
        return replace(self, options=replace(self.options, arch=target), is_given=True)


class NoInstance(Exception):
    """The compiler does not know the kernel it was told to compile; the message says what it wrote."""


class NeedsTarget(Exception):
    """The architecture lacks an instruction that a target of its own has."""

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.target = target


def with_nvrtc(source: Source, expressions: Sequence[str], headers: Mapping[str, str] = HEADERS) -> Compiled:
    """Have NVRTC compile a source, or take what it was compiled to before.

    What is compiled with other headers than the usual is a try, of which not each is kept.

    Parameters
    ----------
    source : Source
    expressions : sequence of str
        Instances of templates to compile, too.
    headers : mapping
        Text of headers by the name they are included by.

    Returns
    -------
    Compiled
    """
    identity = f"{nvrtc.identity(nvrtc.chosen(source.options.arch))} {sorted(headers.items())}"
    key = key_of(source, expressions, identity) if headers is HEADERS else None
    return _cached(
        source, key, lambda: nvrtc.compile_source(source.text, source.filename, source.options, expressions, headers)
    )


def with_nvcc(
    compiler: toolchain.Nvcc,
    source: Source,
    expressions: Sequence[str],
    headers: Mapping[str, str] | None = None,
    missing: Mapping[str, str] | None = None,
) -> Compiled:
    """Have nvcc compile a source, or take what it was compiled to before; with headers of its own it is a try, too.

    Parameters
    ----------
    compiler : Nvcc
    source : Source
    expressions : sequence of str
        Instances of templates to compile, too.
    headers : mapping
        Text of headers by the name they are included by, which go before files.
    missing : mapping
        The same of headers that stand for files where there are none.

    Returns
    -------
    Compiled
    """
    in_force = replace(source, options=nvcc.in_force(source.options))
    key = None if headers or missing else key_of(in_force, expressions, toolchain.nvcc_version(compiler))
    text, filename, chosen = source.text, source.filename, source.options
    return _cached(
        source, key, lambda: nvcc.compile_source(compiler, text, filename, chosen, expressions, headers, missing)
    )


def _cached(source: Source, key: str | None, compiles: Callable[[], Compiled]) -> Compiled:
    """What was compiled before, or is now; that a target of an architecture's own is needed is remembered, too."""
    if key and (kept := cache.load(key)) and not (source.is_given and kept.needs):
        compiled = kept
    else:
        try:
            compiled = remembered(key, compiles)
        except CompileError as error:
            first = re.search(r"^([^\n]*)\(\d+\): (?:catastrophic )?error: ([^\n]*)", error.log, re.MULTILINE)
            if first and first[1] == "__nv_name_map":
                raise NoInstance(first[2]) from None
            if source.is_given or not (target := targets.lacking(error.log, source.options.arch)):
                raise
            compiled = Compiled(b"", "", "", needs=target)
        if key:
            cache.store(key, compiled)
    if compiled.needs:
        raise NeedsTarget(compiled.needs)
    return compiled


MOST_REFUSED = 256
_refused: dict[str, Exception] = {}


def remembered(key: str | None, compiles: Callable[[], Compiled]) -> Compiled:
    """What something is compiled to; what a compiler refused in this process it is not asked again.

    Parameters
    ----------
    key : str or None
        Tells what is compiled from all else; None where nothing does.
    compiles : callable

    Returns
    -------
    Compiled
    """
    if key in _refused:
        raise _refused[key].with_traceback(None)
    check_wanted()
    try:
        return compiles()
    except (CompileError, NoInstance, NeedsTarget) as error:
        if key and getattr(error, "log", "words"):  # a compiler that crashed may do better the next time
            if len(_refused) == MOST_REFUSED:
                _refused.clear()
            _refused[key] = error
        raise


def key_of(source: Source, expressions: Sequence[str], compiler: str) -> str | None:
    """Digest of all that decides what a source is compiled to; None where only a compiler knows its headers.

    Parameters
    ----------
    source : Source
    expressions : sequence of str
        Instances of templates to compile, too.
    compiler : str
        What tells the compiler from others.
    """
    chosen = source.options
    parts = [compiler, source.filename, *chosen.command(), "instances", *expressions]
    before = "".join(f'#include "{name}"\n' for name in chosen.beforehand())
    return cache.key(before + source.text, chosen.searched(), parts)
