"""The device code of a source alone, compiled by whichever compiler takes it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gpusim.cuda import earlier_names, host, host_headers, nvrtc, pytorch, toolchain
from gpusim.cuda.compilers import Source, with_nvcc, with_nvrtc
from gpusim.cuda.cuda_errors import CompileError, MissingToolError
from gpusim.cuda.device_code import device_code
from gpusim.cuda.headers import HEADERS
from gpusim.cuda.included import always, quoted
from gpusim.cuda.nvrtc import Compiled


def with_device_code(source: Source, expressions: Sequence[str], compiler: toolchain.Nvcc | None) -> Compiled:
    """Compile the device code of a source; where that will not do, with that of its own headers alone, too.

    Parameters
    ----------
    source : Source
    expressions : sequence of str
        Instances of templates to compile, too.
    compiler : Nvcc or None
        Taken where NVRTC refuses, because headers have host code.

    Returns
    -------
    Compiled

    Raises
    ------
    CompileError
        Why the last compiler refused.
    """
    own = _own_headers(source)
    files = device_code({source.filename: source.text, **own}, expressions)
    absent = _absent(source, own)
    before = earlier_names.declared(files.values()) + _namespaces(absent, files.values())
    lean = replace(source, text=_behind(before, files.pop(source.filename), source.filename))
    files = {name: _guarded(own[name], text) for name, text in files.items()}
    found = _Found(absent)
    try:
        return _pruned(partial(_with_headers, lean, expressions, files, found=found), files)
    except CompileError as error:
        if compiler is None:
            raise
        refused = error
    missing = [name for name in found.missing if "." in name]  # of the standard library nvcc has all
    try:  # nvcc takes host code, which headers have
        return _pruned(partial(_with_stand_ins, compiler, lean, expressions, files, missing), files)
    except CompileError as error:
        raise host.refuse(source.filename, error.log or refused.log, found.missing) from None


@dataclass
class _Found:
    """What compiling a source has told: headers that are missing, and whether all of it is the device's."""

    missing: list[str]
    is_of_device: bool = False


def _absent(source: Source, own: Mapping[str, str]) -> list[str]:
    """Headers that a source and its own headers include in any case, and no one has: telling spares asking for each.

    PyTorch's are named first.
    """
    texts = [source.text, *own.values()]
    there = (*nvrtc.chosen(source.options.arch).includes,)
    plain = {name for text in texts for name in always(text) if "." in name and not host_headers.is_known(name)}
    plain = {name for name in plain if not any((folder / name).is_file() for folder in there)}
    return [name for name in dict.fromkeys([*pytorch.asked_for(texts), *sorted(plain)]) if name not in own]


_USING = re.compile(r"\busing\s+namespace\s+(\w[\w:]*)\s*;")


def _namespaces(absent: Iterable[str], texts: Iterable[str]) -> str:
    """Empty namespaces that sources use all names of, of libraries that no one has."""
    libraries = {part for name in absent for part in re.split(r"[/.]", name)}
    used = {name for text in texts for name in _USING.findall(text) if name.partition("::")[0] in libraries}
    opened = (
        ("".join(f"namespace {one} {{ " for one in name.split("::")), name.count("::") + 1) for name in sorted(used)
    )
    return "".join(f"{begin}{'}' * depth}\n" for begin, depth in opened)


def with_earlier_names(source: Source) -> Source:
    """A source behind declarations of the earlier names of CUDA's libraries that it or its own headers use.

    Parameters
    ----------
    source : Source
    """
    before = earlier_names.declared([source.text, *_own_headers(source).values()])
    return replace(source, text=_behind(before, source.text, source.filename))


def _own_headers(source: Source) -> dict[str, str]:
    return dict(quoted(source.text, source.options.searched()))


MOST_PRUNED = 3
"""So often does a compiler tell which headers are in its way, before all lose their host code."""


def _pruned(compiles: Callable[[Mapping[str, str]], Compiled], files: Mapping[str, str]) -> Compiled:
    """Compile with the device code alone of those headers, too, that a compiler complains about; then of all."""
    headers: dict[str, str] = {}
    for _ in range(MOST_PRUNED):
        try:
            return compiles(headers)
        except CompileError as error:
            blamed = host.blamed(error.log, files.keys() - headers.keys())
            if not blamed:
                break
            headers |= {name: files[name] for name in blamed}
    return compiles(files)


_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b[^\n]*", re.MULTILINE)
_OPENS, _CLOSES = (re.compile(rf"^[ \t]*#[ \t]*{word}", re.MULTILINE) for word in ("if", "endif"))


def _guarded(text: str, pruned: str) -> str:
    """A header that is read once, whatever names it goes by: compilers know only files again."""
    once = _ONCE.search(pruned)
    before = pruned[: once.start()] if once else ""
    if once is None or len(_OPENS.findall(before)) > len(_CLOSES.findall(before)):
        return pruned
    guard = f"GPUSIM_{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:32]}"
    line = before.count("\n") + 1
    return f"{before}#ifndef {guard}\n#define {guard}\n#line {line}\n{pruned[once.end() :]}\n#endif\n"


def _behind(before: str, text: str, filename: str) -> str:
    """A source behind declarations; its lines keep their numbers."""
    return f'{before}#line 1 "{filename}"\n{text}' if before else text


_DEFAULT = "-default-device"


def _all_of_the_device(source: Source) -> Source:
    """The same where what is marked for neither host nor device is the device's."""
    return replace(source, options=replace(source.options, flags=(*source.options.flags, _DEFAULT)))


def _with_stand_ins(
    compiler: toolchain.Nvcc,
    source: Source,
    expressions: Sequence[str],
    files: Mapping[str, str],
    missing: list[str],
    own: Mapping[str, str],
) -> Compiled:
    """Have nvcc compile the device code; headers that it does not find are empty, but for those of CUDA.

    One that lies beside a header of which the text is given is not found either: of it, too, the device code is.
    Whatever is not found is noted.
    """
    source = replace(source, text=_behind(host_headers.BY_OTHERS, source.text, source.filename))
    while True:
        absent = {name: files.get(name) or host_headers.stand_in(name) for name in missing}
        try:
            compiled = with_nvcc(compiler, source, expressions, own, absent)
        except CompileError as error:
            name = host.missing_for_nvcc(error.log)
            if name is None or name in absent:
                raise
            missing.append(name)
        else:
            empty = [name for name in missing if name not in own and name not in files]
            return replace(compiled, log=_left_out(source, empty, compiled.log))


def _left_out(source: Source, missing: Iterable[str], log: str) -> str:
    """The compiler's warnings after what it was not given."""
    empty = f", empty: {', '.join(missing)}" if missing else ""
    return f"{source.filename}: host code left out{empty}\n{log}".strip()


def _with_headers(
    source: Source, expressions: Sequence[str], files: Mapping[str, str], own: Mapping[str, str], found: _Found
) -> Compiled:
    """NVRTC; headers that are missing are empty, but for those of CUDA; they are noted."""
    missing = found.missing
    source = replace(source, text=_behind(host_headers.BEFORE, source.text, source.filename))
    headers = {**host_headers.without(nvrtc.chosen(source.options.arch).includes), **HEADERS, **own}
    headers |= {name: host_headers.stand_in(name) for name in missing}
    while True:
        try:
            compiled = with_nvrtc(_all_of_the_device(source) if found.is_of_device else source, expressions, headers)
        except CompileError as error:
            name = host.missing_header(error.log)
            if name is None and host.is_unmarked(error.log) and not found.is_of_device:
                found.is_of_device = True
                continue
            if name is None or name in headers:
                raise host.refuse(source.filename, error.log, missing) from None
            if wheel := host.missing_wheel(error.log):
                raise MissingToolError(f"{name}: this header of CUDA is not installed: {wheel}") from None
            headers[name] = files.get(name) or host_headers.stand_in(name)
            missing.extend([] if name in files else [name])
        else:
            return replace(compiled, log=_left_out(source, missing, compiled.log))
