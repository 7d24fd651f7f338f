"""nvcc, for sources with host code in them.

Source: CUDA Compiler Driver NVCC 13.0, https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gpusim import children
from gpusim.cuda import toolchain
from gpusim.cuda.cuda_errors import CompileError
from gpusim.cuda.nvrtc import Compiled
from gpusim.cuda.options import Options

_FLAGS = "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"
_FOLDERS = "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "INCLUDE"
"""Environment variables by which nvcc takes more options, and host compilers more folders with headers."""


def name(compiler: toolchain.Nvcc) -> str:
    """Name and version of nvcc, for people."""
    said = toolchain.nvcc_version(compiler)
    return f"nvcc {said.partition('release ')[2].partition(',')[0]}".strip()


def in_force(options: Options) -> Options:
    """The options, and those that come from the environment or are handed through to the host compiler.

    They tell one compilation from another; :func:`compile_source` is given those that the user gave.

    Parameters
    ----------
    options : Options
    """
    environment = [word for name in _FLAGS for word in os.environ.get(name, "").split()]
    handed = [word for flag in options.flags for word in re.split("[=,]", flag)[1:]]
    folders = [Path(folder) for name in _FOLDERS for folder in os.environ.get(name, "").split(os.pathsep) if folder]
    return replace(options, flags=(*options.flags, *handed, *environment), include=(*options.include, *folders))


def compile_source(
    compiler: toolchain.Nvcc,
    source: str,
    filename: str,
    options: Options,
    expressions: Sequence[str] = (),
    headers: Mapping[str, str] | None = None,
    missing: Mapping[str, str] | None = None,
) -> Compiled:
    """Compile the device code of a source to machine code.

    Parameters
    ----------
    compiler : Nvcc
    source : str
        CUDA C++ with or without host code.
    filename : str
        What messages call it.
    options : Options
        Architecture, flags, definitions, folders.
    expressions : sequence of str
        Instances of templates that are to be compiled, besides those that the host code launches.
    headers : mapping
        Text of headers by the name they are included by; they go before files of that name.
    missing : mapping
        The same of headers that are taken where there is no file of that name.

    Returns
    -------
    Compiled

    Raises
    ------
    CompileError
        What nvcc wrote.
    """
    with tempfile.TemporaryDirectory(prefix="gpusim-") as folder:
        copy, cubin = Path(folder, "source.cu"), Path(folder, "out.cubin")
        copy.write_text(_located(source, filename) + _instances(expressions), encoding="utf-8", errors="replace")
        first, last = _root(Path(folder, "first")), _root(Path(folder, "last"))
        found = [*_written(headers or {}, first, folder), *options.offline().command(), *_of_wheels(compiler)]
        found += _after(compiler, _written(missing or {}, last, folder))
        wanted = ["-cubin", *found, *_host(compiler)]
        output = ["-o", str(cubin), str(copy)]
        ended, log = _run(compiler, [*wanted, *output], filename, options)
        if _FLAGGED.search(log):  # where it only warns, what it makes of the call is anything
            ended, log = _run(compiler, [*wanted, *_LAMBDAS, *output], filename, options)
        for place, name_there in ((f"{first}{os.sep}", ""), (f"{last}{os.sep}", ""), (str(copy), filename)):
            log = log.replace(place, name_there)
        log = log.strip()
        if ended.status or not cubin.is_file():
            raise CompileError(f"{filename} does not compile for {options.arch} ({name(compiler)}):", log)
        return Compiled(cubin.read_bytes(), log, name(compiler))


_LAMBDAS = "--extended-lambda", "--expt-relaxed-constexpr"
_FLAGGED = re.compile(r"--?extended-lambda|--expt-relaxed-constexpr")
"""Options that nvcc itself asks for where a source needs them."""


def _run(compiler: toolchain.Nvcc, words: Sequence[str], filename: str, options: Options) -> tuple[children.Ended, str]:
    """Start nvcc; what it wrote."""
    try:
        ended = children.run([str(compiler.path), *words], seconds=toolchain.COMPILE_S)
    except children.ChildError as error:
        raise CompileError(f"{filename} is not compiled for {options.arch}: {name(compiler)} {error}") from None
    return ended, (ended.output + ended.errors).decode(errors="replace")


def _written(headers: Mapping[str, str], root: Path, within: str) -> list[str]:
    """Write headers into a folder, which is searched; deep in another, for names that begin with ``../``."""
    for header, text in headers.items():
        path = Path(os.path.normpath(root / header))
        if path.is_relative_to(within):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="replace")
    return [f"-I{root}"] if headers else []


def _root(folder: Path) -> Path:
    return folder.joinpath(*"12345678")


def _of_wheels(compiler: toolchain.Nvcc) -> list[str]:
    """Headers of CUDA that the toolkit lacks, such as cuRAND's, are taken from wheels."""
    if compiler.host.stem == "cl":
        return []
    return _after(compiler, [f"-I{folder}" for folder in toolchain.nvrtc_includes()])


def _after(compiler: toolchain.Nvcc, folders: Sequence[str]) -> list[str]:
    """Options by which folders are searched after all others, where the host compiler knows such."""
    if compiler.host.stem == "cl":
        return [*folders]
    return [word for folder in folders for word in ("-Xcompiler", f"-idirafter,{folder.removeprefix('-I')}")]


def _host(compiler: toolchain.Nvcc) -> list[str]:
    """Name the host compiler where it is not the one nvcc would take."""
    usual = compiler.host.stem in ("g++", "cl") or bool(os.environ.get("NVCC_CCBIN"))
    return [] if usual else ["-ccbin", str(compiler.host)]


def _located(source: str, filename: str) -> str:
    """The source under its own name, for messages and lines."""
    escaped = filename.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{escaped}"\n{source}\n'


def _instances(expressions: Sequence[str]) -> str:
    """Use each template instance, so that it is compiled; the file these lines are in is called as NVRTC calls it."""
    uses = (f"static void *gpusim_instance_{i} = (void *)&{name};\n" for i, name in enumerate(expressions))
    return "".join(['#line 1 "__nv_name_map"\n', *uses]) if expressions else ""
