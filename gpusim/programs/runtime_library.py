"""The CUDA runtime of ours, and libraries of ours, as shared libraries: compiled when first needed, then kept.

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
LIBRARIES = Path(__file__).parent / "libraries"
"""Libraries that gpusim computes, each a file by its name, with headers for want of NVIDIA's own."""

_CALL = re.compile(r"CUDARTAPI\s+(cuda\w+)\s*\(")
_VARIANT = re.compile(r"#\s*define\s+(cuda\w+)\s+__CUDART_API_PT(SZ|DS)\(")
_ERROR = re.compile(r"\b(cudaError\w+|cudaSuccess)\s*=\s*(\d+)")
_FLAGS = ("-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread")
_RUNTIME = 'cuda*; __cuda*; gpusim_refuse; extern "C++" { gpusim::* }'
"""What programs and libraries may call of the runtime."""


def libraries() -> list[str]:
    """Names of the libraries that gpusim computes, such as ``cublas``."""
    return sorted(path.stem for path in LIBRARIES.glob("*.cpp"))


def library(release: int, name: str = "cudart") -> bytes:
    """The runtime for programs of a release of CUDA, or one of :func:`libraries`.

    Parameters
    ----------
    release : int
    name : str

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
    decided_by = name, version, found.version, _FLAGS
    sources = sorted([*SOURCES.iterdir(), *(LIBRARIES.iterdir() if name != "cudart" else ())])
    key = folders.digest_of_files(decided_by, SOURCES.parent, sources)
    path = folders.cache_folder() / "run" / f"{key}.so"
    if (kept := folders.load(path)) is not None:
        return kept
    with tempfile.TemporaryDirectory(prefix="gpusim-") as folder:
        made = (_runtime if name == "cudart" else _library)(found, compiler, Path(folder), name)
    folders.keep(path, made)
    return made


def _runtime(found: toolkit.Headers, compiler: str, folder: Path, name: str) -> bytes:
    calls = folder / "calls.cpp"
    calls.write_text(_calls(found.folder))
    return _compiled(found, compiler, folder, name, _RUNTIME, [*sorted(SOURCES.glob("*.cpp")), calls])


def _library(found: toolkit.Headers, compiler: str, folder: Path, name: str) -> bytes:
    """A library, which calls the runtime."""
    (folder / "libcudart.so").write_bytes(library(found.release))
    calls, linked = f"{name}*", (f"-L{folder}", "-lcudart")
    return _compiled(found, compiler, folder, name, calls, [LIBRARIES / f"{name}.cpp"], linked)


def _compiled(
    found: toolkit.Headers, compiler: str, folder: Path, name: str, calls: str, sources: list[Path],
    linked: tuple[str, ...] = (),
) -> bytes:  # fmt: skip
    """A shared library under NVIDIA's name, of which programs see some calls."""
    soname = f"lib{name}.so.{found.release}"
    names, out = folder / "names.map", folder / soname
    names.write_text(f"{soname} {{ global: {calls}; local: *; }};\n")
    how = [f"-Wl,-soname,{soname}", f"-Wl,--version-script={names}"]
    command = [compiler, *_FLAGS, f"-I{found.folder}", f"-I{SOURCES}", *how, "-o", out, *sources, *linked, "-ldl"]
    toolkit.compiled([str(word) for word in command], f"gpusim's {soname}")
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
