"""From a user's file to its kernels."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from gpusim import reading
from gpusim.cuda import (
    cache,
    cubin,
    fatbin,
    jitlink,
    names,
    signature,
    targets,
    toolchain,
    triton,
)
from gpusim.cuda.compilers import NeedsTarget, NoInstance, Source, with_nvcc
from gpusim.cuda.compiling import machine_code
from gpusim.cuda.cubin import Cubin, KernelCode
from gpusim.cuda.cuda_errors import CompileError, CudaError, KernelNameError
from gpusim.cuda.demangle import Name, demangle
from gpusim.cuda.device_alone import with_earlier_names
from gpusim.cuda.fields import leaves, opened
from gpusim.cuda.included import quoted
from gpusim.cuda.instances import launched, qualified, templates
from gpusim.cuda.layout import Declared, Origin
from gpusim.cuda.names import normal
from gpusim.cuda.nvrtc import Compiled
from gpusim.cuda.options import options as checked
from gpusim.errors import shown
from gpusim.kept.alone import check_wanted
from gpusim.names import some

if TYPE_CHECKING:
    from gpusim.hardware import Gpu
    from gpusim.isa.program import Program

_ARCHIVE = b"!<arch>"
MOST_WHOLES = 2
"""Files that include another one, of which it is tried to be a part: each may take a compiler minutes."""
_TAKEN = "a .cu file, PTX, a .cubin, a .fatbin, or a program or library with device code is taken"


@dataclass(frozen=True)
class Kernel:
    """One kernel, ready to be launched.

    Attributes
    ----------
    symbol : str
    name : Name
        As C++ writes it.
    parameters : tuple of Parameter
    code : KernelCode
        Machine code and what it needs.
    cubin : Cubin
        The whole module.
    filename : str
        What messages call its file.
    noted : Noted or None
        What Triton noted of it, where it is a kernel of Triton's.
    origin : Origin or None
        The source, which says how structs lie in memory; None for a cubin.
    """

    symbol: str
    name: Name
    parameters: tuple[signature.Parameter, ...]
    code: KernelCode = field(repr=False)
    cubin: Cubin = field(repr=False)
    filename: str = ""
    noted: triton.Noted | None = None
    origin: Origin | None = field(default=None, repr=False)

    @property
    def arch(self) -> str:
        """Real architecture it was compiled for, such as ``"sm_90"``."""
        return self.cubin.arch

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of its parameters where those are known, ``p0``, ``p1``, ... elsewhere."""
        return tuple(parameter.name or f"p{n}" for n, parameter in enumerate(self.parameters))

    @property
    def declared(self) -> Declared | None:
        """Types and variables of its source; None where there is none."""
        return None if self.origin is None else self.origin.declared()

    def opened(self, arguments: Sequence[object]) -> tuple[Kernel, list[object]]:
        """The kernel and its arguments, each field of a struct that is given as a mapping a parameter of its own."""
        if len(arguments) != len(self.parameters) or not any(isinstance(one, Mapping) for one in arguments):
            return self, list(arguments)
        parameters, values = opened(self.parameters, arguments, self.declared)
        return replace(self, parameters=parameters), values

    def with_fields(self, structs: Collection[str]) -> Kernel:
        """The kernel with the fields of some structs as parameters of their own."""
        if not structs:
            return self
        return replace(self, parameters=leaves(self.parameters, structs, self.declared))

    def program(self, base: int = 0) -> Program:
        """Its machine code, translated; see :func:`gpusim.cuda.program.program`."""
        from gpusim.cuda.program import program

        return program(self, base)

    def __str__(self) -> str:
        return f"{self.name.full}({', '.join(map(str, self.parameters))})"

    def check(self, arguments: Sequence[object]) -> None:
        """Refuse arguments that do not fit; see :func:`gpusim.cuda.signature.check`."""
        advice = triton.advice(self.code.block, self.parameters, len(arguments))
        signature.check(self.name.full, self.parameters, arguments, advice)

    def pack(self, position: int, value: object) -> bytes:
        """Bytes of an argument that is no array; None is the null pointer.  See :func:`gpusim.cuda.signature.pack`."""
        return signature.pack(self.parameters[position], 0 if value is None else value)


@dataclass(frozen=True)
class Module:
    """What became of a file.

    Attributes
    ----------
    arch : str
        Real architecture, such as ``"sm_90"``.
    kernels : mapping
        :class:`Kernel` by symbol.
    cubin : Cubin
        The whole of it: variables, constants, the file's bytes.
    log : str
        The compiler's warnings.
    compiler : str
        Which it was; empty for a ready cubin.
    filename : str
        What messages call it.
    selected : str or None
        Symbol of the kernel that was asked for.
    """

    arch: str
    kernels: Mapping[str, Kernel]
    cubin: Cubin = field(repr=False)
    log: str = field(default="", repr=False)
    compiler: str = ""
    filename: str = ""
    selected: str | None = None

    def kernel(self, name: str | None = None) -> Kernel:
        """Find a kernel.

        Parameters
        ----------
        name : str or None
            A symbol or a C++ name; None for the one asked for when compiling, else for the only one.

        Returns
        -------
        Kernel

        Raises
        ------
        KernelNameError
            Where no kernel is meant, or more than one.
        """
        if name is None and self.selected is not None:
            return self.kernels[self.selected]
        known = {symbol: kernel.name for symbol, kernel in self.kernels.items()}
        try:
            return self.kernels[names.choose(name, known, self.filename, lambda symbol: str(self.kernels[symbol]))]
        except KernelNameError:
            spelled = name and self._with_values(name)
            if spelled == name:
                raise
        return self.kernel(spelled)

    def _with_values(self, name: str) -> str:
        """A name with the values of constants and enumerators among its template arguments."""
        declared = next((kernel.declared for kernel in self.kernels.values() if kernel.declared), None)
        return name if declared is None else names.with_values(name, declared.number)


def from_cubin(data: bytes, filename: str, text: str = "") -> Module:
    """Take what a compiler has made.

    Parameters
    ----------
    data : bytes
        A cubin.
    filename : str
        What messages call it.
    text : str
        The source that it was made of, where that is known: it names parameters.

    Returns
    -------
    Module

    Raises
    ------
    CubinError
        Where it cannot be read.
    """
    origin = Origin(text, (), ()) if text else None
    return _module(cubin.parse(data, filename), origin, filename, Compiled(b"", "", ""))


def from_binary(data: bytes, filename: str, arch: str, text: str = "") -> Module:
    """Take the device code that a program has for an architecture, or make it of its PTX as the driver does.

    Parameters
    ----------
    data : bytes
        A fat binary, or the whole program.
    filename, text : str
        As for :func:`from_cubin`.
    arch : str
        Such as ``"sm_90"``.

    Returns
    -------
    Module

    Raises
    ------
    CudaError
        There is none that runs there, or it cannot be read.
    """
    return _from_binary(data, filename, arch, None, text)


def compile(  # noqa: A001 (gpusim.cuda.compile says it best)
    source_or_path: str | Path,
    *,
    gpu: str | Gpu = "h200",
    arch: str | None = None,
    kernel: str | None = None,
    options: Sequence[str] = (),
    defines: Mapping[str, object] | None = None,
    include: Iterable[str | Path] = (),
) -> Module:
    """Compile a .cu file, or take a ready .cubin.

    Parameters
    ----------
    source_or_path : str or Path
        A file's path; a string with ``__global__`` or of several lines is the source itself.
    gpu : str or Gpu
        A GPU as in ``gpusim gpus``, a loaded specification, or a real architecture such as ``"sm_90"``.
    arch : str, optional
        What to compile for: the GPU's architecture, ``"sm_90"``, or that with instructions of its own, ``"sm_90a"``.
        By default the latter where the source needs it: where it has such instructions, or asks for
        ``__CUDA_ARCH_FEAT_SM90_ALL`` or the like.
    kernel : str, optional
        The kernel meant; a template's instance is compiled because it is named here: ``"sgemm<128, 8>"``.
    options : sequence of str
        Compiler options, such as ``["-ftz=true"]``.
    defines : mapping
        Value of each macro to define; ``None`` for none.
    include : iterable of str or Path
        Folders with headers; the file's own folder comes first without being named.

    Returns
    -------
    Module

    Raises
    ------
    CudaError
        Where the file cannot be used, does not compile, or has no such kernel.
    """
    target = _target(gpu, arch)
    if not isinstance(source_or_path, str | os.PathLike):
        raise CudaError(f"a path is compiled, or the source itself as a string, not {shown(source_or_path)}")
    if kernel is not None and not isinstance(kernel, str):
        raise KernelNameError(f"a kernel is named by a string, such as 'sgemm<128,8>', not by {shown(kernel)}")
    if isinstance(source_or_path, str) and ("\n" in source_or_path or "__global__" in source_or_path):
        chosen = checked(target, options, defines, include)
        return _from_source(Source(source_or_path, "kernel.cu", chosen, arch is not None), kernel)
    path = Path(source_or_path)
    data = reading.read_bytes(path, CudaError)
    if cubin.is_cubin(data):
        return _from_cubin(data, path, target, kernel, arch is not None)
    if fatbin.holds(data):
        return _from_binary(data, str(path), target, kernel)
    if jitlink.is_ptx(data):
        return _selected(_from_ptx(data, str(path), target), kernel)
    chosen = checked(target, options, defines, include, path.parent)
    source = Source(_text(data, path), str(source_or_path), chosen, arch is not None)
    try:
        return _from_source(source, kernel)
    except CompileError:
        if module := _from_whole(path, source, kernel):
            return module
        raise


def _from_whole(path: Path, part: Source, kernel: str | None) -> Module | None:
    """A kernel of a file that is a part of another source in its folder, which includes it, out of that one."""
    texts = {other: _text(reading.read_bytes(other, CudaError), other) for other in sorted(path.parent.glob("*.cu"))}
    wholes = _including(path, texts)
    for whole in wholes[:MOST_WHOLES] if kernel is not None else ():
        with suppress(CompileError, KernelNameError):
            module = _from_source(replace(part, text=texts[whole], filename=str(whole)), kernel)
            return replace(module, log=f"{path} is a part of {whole}, which includes it\n{module.log}".strip())
    return None


def _including(part: Path, texts: Mapping[Path, str]) -> list[Path]:
    """Sources that include one, or one that does: those first that do themselves."""
    found = [part]
    for one in found:
        include = re.compile(rf'^[ \t]*#[ \t]*include[ \t]+"{re.escape(one.name)}"', re.MULTILINE)
        found.extend([other for other, text in texts.items() if other not in found and include.search(text)])
    return found[1:]


def _target(gpu: str | Gpu, arch: str | None) -> str:
    """What a GPU's code is compiled for, unless the source needs more."""
    if isinstance(gpu, str) and gpu.startswith("sm_"):
        own = gpu
    else:
        from gpusim import hardware

        own = hardware.given(gpu).arch
    return own if arch is None else targets.checked(arch, own)


def _text(data: bytes, path: Path) -> str:
    """Source text, or what the file is instead."""
    if data.startswith(_ARCHIVE):
        raise CudaError(f"{path} is a static library: {_TAKEN} (ar x takes object files out of it)")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    if "\0" in text:
        raise CudaError(f"{path} is no source text: {_TAKEN}")
    return text


def _from_cubin(data: bytes, path: Path, arch: str, wanted: str | None, is_given: bool) -> Module:
    found = from_cubin(data, str(path))
    if (found.arch != arch) if is_given else (found.arch.rstrip("af") != arch.rstrip("af")):
        raise CudaError(f"{path} is machine code for {found.arch}, not for {arch}")
    kernels = {symbol: replace(kernel, noted=triton.noted(path, symbol)) for symbol, kernel in found.kernels.items()}
    return _selected(replace(found, kernels=kernels), wanted)


def _from_ptx(data: bytes, filename: str, arch: str) -> Module:
    """What nvJitLink makes of PTX."""
    compiled = _of_ptx(data, filename, arch)
    told = f"what {compiled.compiler} made of {filename}"
    return _module(cubin.parse(compiled.cubin, told), None, filename, compiled)


def _of_ptx(data: bytes, filename: str, arch: str) -> Compiled:
    """The same, not yet read; what was made before is kept."""
    target = jitlink.target_of(data, arch, filename)
    key = cache.key(data.decode("utf-8", "surrogateescape"), [], [jitlink.identity(), filename, target])
    compiled = cache.load(key) if key else None
    if compiled is None:
        check_wanted()
        compiled = jitlink.compile_ptx(data, filename, target)
        if key:
            cache.store(key, compiled)
    return compiled


def _from_binary(data: bytes, filename: str, arch: str, wanted: str | None, text: str = "") -> Module:
    """Kernels of all device code in a file that is for an architecture: its machine code, else what PTX becomes."""
    modules = [
        _from_ptx(entry.data, filename, arch) if entry.is_ptx else from_cubin(entry.data, filename, text)
        for entry in _running_on(arch, data, filename)
    ]
    kernels = {symbol: kernel for module in reversed(modules) for symbol, kernel in module.kernels.items()}
    first = next((module for module in modules if module.kernels), modules[0])
    return _selected(replace(first, kernels=kernels), wanted)


def _running_on(arch: str, data: bytes, filename: str) -> list[fatbin.Entry]:
    """Machine code for an architecture, else PTX of the latest version that runs on it."""
    found = fatbin.entries(data, filename)
    own = [entry for entry in found if not entry.is_ptx and entry.arch == arch.rstrip("af")]
    chosen = own or _newest_ptx(found, arch)
    if not chosen:
        there = ", ".join(dict.fromkeys(map(str, found)))
        raise CudaError(f"{filename} has {there}, and nothing that runs on {arch}: name another GPU (gpu, --gpu)")
    return chosen


def _newest_ptx(entries: Sequence[fatbin.Entry], arch: str) -> list[fatbin.Entry]:
    """PTX of the latest version that runs on an architecture."""
    number = int(arch.strip("smaf_"))
    versions = [int(entry.arch.strip("smaf_")) for entry in entries if entry.is_ptx]
    newest = max((version for version in versions if version <= number), default=0)
    return [entry for entry in entries if entry.is_ptx and entry.arch == f"sm_{newest}"]


def _from_source(source: Source, wanted: str | None) -> Module:
    """Compile, and once more where the kernel asked for has to be named to the compiler."""
    if (instances := launched(source.text)) and not wanted and (module := _instances(source, instances)):
        return _selected(module, None)
    if wanted and "<" in wanted:
        headers = (text for _, text in quoted(source.text, source.options.searched()))
        wanted = qualified(wanted, chain([source.text], headers))
    expressions = [wanted] if wanted and "<" in wanted else []
    try:
        module = _compiled_module(source, expressions)
    except NoInstance as error:
        raise _unknown_instance(source, wanted or "", error) from None
    try:
        return _selected(module, wanted)
    except KernelNameError as error:
        if expressions or (wanted is None and module.kernels):
            raise
        return _named_to_the_compiler(source, wanted, error)


def _named_to_the_compiler(source: Source, wanted: str | None, error: KernelNameError) -> Module:
    """A kernel that is compiled only where something uses it: a ``static`` one; or a template, which is refused."""
    found = templates(source.text)
    if wanted is None and found:
        raise KernelNameError(f"{source.filename} has only templates, name an instance: {'; '.join(found)}") from None
    if wanted and re.fullmatch(r"[A-Za-z_][\w:]*", wanted):
        own = [one for one in found if one.startswith(wanted.rpartition("::")[2] + "<")]
        if own:
            if module := _only_instance(source, wanted):
                return module
            raise KernelNameError(f"kernel {wanted!r} is a template, name an instance of {own[0]}") from None
        try:
            return _selected(_compiled_module(source, [wanted]), wanted)
        except (NoInstance, CudaError):
            pass
    raise error


def _only_instance(source: Source, wanted: str) -> Module | None:
    """The instance of a template that the source launches, which nvcc knows even where only host code says which.

    None where it launches none.

    Raises
    ------
    KernelNameError
        Where it launches several; the line has their numbers.
    """
    last = wanted.rpartition("::")[2]
    written = [one for one in launched(source.text) if one.partition("<")[0].strip().rpartition("::")[2] == last]
    if len(written) == 1 and (module := _instances(source, written)):
        return _selected(module, wanted)
    if (compiler := toolchain.find_nvcc()) is None:
        return None
    for text in dict.fromkeys((source, with_earlier_names(source))):
        with suppress(CompileError, NeedsTarget):
            module = _read(source, with_nvcc(compiler, text, []))
            return _selected(module, wanted) if _called(module, last) else None
    return None


def _called(module: Module, last: str) -> list[str]:
    """Symbols of the kernels with a name, whatever their namespaces and arguments."""
    return [symbol for symbol, kernel in module.kernels.items() if kernel.name.name.rpartition("::")[2] == last]


def _instances(source: Source, instances: Sequence[str]) -> Module | None:
    """The instances that the source itself launches; None where one has arguments that only host code knows."""
    try:
        return replace(_compiled_module(source, instances), selected=None)
    except (NoInstance, CompileError):
        return None


def _unknown_instance(source: Source, wanted: str, error: NoInstance) -> KernelNameError:
    found = templates(source.text)
    listed = f": there are the templates {some(found, '; ')}" if found else ""
    return KernelNameError(f"{source.filename} has no kernel {wanted!r}: {error}{listed}")


def _compiled_module(source: Source, expressions: Sequence[str]) -> Module:
    compiled = machine_code(source, expressions)
    module = _read(source, compiled)
    if expressions and compiled.symbols:
        return replace(module, selected=compiled.symbols[expressions[0]])
    last = normal(expressions[0].partition("<")[0]).rpartition("::")[2] if expressions else ""
    found = _called(module, last)
    if len(found) == 1:  # the one that nvcc was told to compile, however its arguments are written in full
        return replace(module, selected=found[0])
    return module


def _read(source: Source, compiled: Compiled) -> Module:
    """What a compiler has made of a source."""
    parsed = cubin.parse(compiled.cubin, f"what {compiled.compiler} made of {source.filename}")
    origin = Origin(source.text, tuple(source.options.searched()), tuple(source.options.macros()))
    return _module(parsed, origin, source.filename, compiled)


def _module(parsed: Cubin, origin: Origin | None, filename: str, compiled: Compiled) -> Module:
    """Kernels with their names and parameters."""
    kernels = {}
    for symbol, code in parsed.kernels.items():
        name = demangle(symbol)
        known = signature.parameters(name, symbol, code.parameters, _declaring(name, origin))
        kernels[symbol] = Kernel(symbol, name, known, code, parsed, filename, origin=origin)
    return Module(parsed.arch, kernels, parsed, compiled.log, compiled.compiler, filename)


def _declaring(name: Name, origin: Origin | None) -> str:
    """The text that names a kernel's parameters: the source, or a header of the user's."""
    if origin is None:
        return ""
    declares = re.compile(rf"\b{re.escape(name.name.rpartition('::')[2])}\s*\(")
    if declares.search(origin.text):
        return origin.text
    return next((text for _, text in quoted(origin.text, origin.folders) if declares.search(text)), origin.text)


def _selected(module: Module, wanted: str | None) -> Module:
    """The module with the kernel asked for; several kernels and none asked for are left to be asked for later."""
    known = {symbol: kernel.name for symbol, kernel in module.kernels.items()}
    if module.selected is not None or (wanted is None and len(names.own(known)) > 1):
        return module
    return replace(module, selected=module.kernel(wanted).symbol)
