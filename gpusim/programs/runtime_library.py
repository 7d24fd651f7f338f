"""The CUDA runtime of ours as a shared library: compiled when it is first needed, then kept.

What it has is in ``runtime``, a file for each part.  Any other call of the release's header ends the program, by name.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from gpusim import folders
from gpusim.cuda import toolchain
from gpusim.programs import toolkit

SOURCES = Path(__file__).parent / "runtime"

_CALL = re.compile(r"CUDARTAPI\s+(cuda\w+)\s*\(")
_VARIANT = re.compile(r"#\s*define\s+(cuda\w+)\s+__CUDART_API_PT(SZ|DS)\(")
_ERROR = re.compile(r"\b(cudaError\w+|cudaSuccess)\s*=\s*(\d+)")
_FLAGS = ("-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread")


def library(release: int) -> bytes:
    """The library for programs of a release of CUDA.

    Parameters
    ----------
    release : int

    Returns
    -------
    bytes
        What stands in the file.

    Raises
    ------
    MissingToolError
        There is no compiler, or there are no headers.
    """
    found, compiler = toolkit.headers(release), toolkit.host_compiler()
    version = toolchain.nvcc_version(toolchain.Nvcc(Path(compiler), Path(compiler)))
    decided_by = version, found.version, _FLAGS
    key = folders.digest_of_files(decided_by, SOURCES, sorted(SOURCES.iterdir()))
    path = folders.cache_folder() / "run" / f"{key}.so"
    if (kept := folders.load(path)) is not None:
        return kept
    made = _compiled(found, compiler)
    folders.keep(path, made)
    return made


def _compiled(found: toolkit.Headers, compiler: str) -> bytes:
    soname = f"libcudart.so.{found.release}"
    with tempfile.TemporaryDirectory(prefix="gpusim-") as folder:
        calls, names, out = Path(folder, "calls.cpp"), Path(folder, "names.map"), Path(folder, soname)
        calls.write_text(_calls(found.folder))
        names.write_text(f"{soname} {{ global: cuda*; __cuda*; gpusim_refuse; local: *; }};\n")
        sources = [*sorted(SOURCES.glob("*.cpp")), calls]
        linked = [f"-Wl,-soname,{soname}", f"-Wl,--version-script={names}"]
        command = [compiler, *_FLAGS, f"-I{found.folder}", f"-I{SOURCES}", *linked, "-o", out, *sources]
        toolkit.compiled([str(word) for word in command], "gpusim's CUDA runtime")
        return out.read_bytes()


def _calls(include: Path) -> str:
    """A file with an entry for each call of the header, for want of a better one, and the names of errors."""
    api = include.joinpath("cuda_runtime_api.h").read_text(errors="replace")
    variants = [f"{name}_pt{which.lower()}" for name, which in _VARIANT.findall(api)]
    names = dict.fromkeys([*_CALL.findall(api), *variants])
    entries = (
        f'__attribute__((weak, visibility("default"))) int {name}() {{ return gpusim_refuse("{name}"); }}\n'
        for name in names
    )
    errors = dict(_ERROR.findall(include.joinpath("driver_types.h").read_text(errors="replace")))
    rows = "".join(f'    {{{number}, "{name}"}},\n' for name, number in errors.items())
    return (
        'extern "C" {\nint gpusim_refuse(const char *);\n' + "".join(entries) + "}\n"
        "struct Named { int code; const char *name; };\n"
        f"extern const Named gpusim_error_names[] = {{\n{rows}    {{0, nullptr}},\n}};\n"
    )
