"""From a source to machine code: for which target, and by which compiler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gpusim.cuda import cache, device_launches, host, host_headers, nvcc, nvrtc, removed, targets, toolchain
from gpusim.cuda.compilers import NeedsTarget, Source, key_of, remembered, with_nvcc, with_nvrtc
from gpusim.cuda.cuda_errors import CompileError, CudaError, MissingToolError
from gpusim.cuda.device_alone import with_device_code
from gpusim.cuda.nvrtc import Compiled
from gpusim.cuda.pytorch import declared


def machine_code(source: Source, expressions: Sequence[str]) -> Compiled:
    """Compile a source.

    For the target that is given; else for the architecture, or where that will not do for one of its own.

    Parameters
    ----------
    source : Source
    expressions : sequence of str
        Instances of templates to compile, too.

    Returns
    -------
    Compiled

    Raises
    ------
    CudaError
        No compiler takes it.
    NoInstance
        Where there is no such instance.
    """
    arch = source.options.arch
    if source.is_given:
        return _compile_for_target(source, expressions)
    if target := targets.asked_for(source.text, source.options.searched(), arch):
        return _compile_for_target(source.for_target(target), expressions)
    try:
        return _compile_for_target(source, expressions)
    except NeedsTarget as needs:
        return _compile_for_target(source.for_target(needs.target), expressions)


def _compile_for_target(source: Source, expressions: Sequence[str]) -> Compiled:
    """NVRTC; where it refuses, what compiles beside host code, which is kept: finding out how takes several tries."""
    compiler = toolchain.find_nvcc()
    known = f"{nvrtc.identity(nvrtc.chosen(source.options.arch))} {compiler and toolchain.nvcc_version(compiler)}"
    in_force = replace(source, options=nvcc.in_force(source.options))
    key = key_of(in_force, expressions, f"beside host code {known} {sorted(host_headers.HEADERS.items())} {declared()}")
    if key and (kept := cache.load(key)):
        return kept
    try:
        return with_nvrtc(source, expressions)
    except CompileError as error:
        refused = error
    compiled = remembered(key, lambda: _beside_host_code(source, expressions, refused))
    if key:
        cache.store(key, compiled)
    return compiled


def _beside_host_code(source: Source, expressions: Sequence[str], refused: CompileError) -> Compiled:
    """Nvcc, if host code is the reason why NVRTC refuses; then the device code alone."""
    _refuse_in_words(refused.log, source.filename)
    what = host.reason(refused.log)
    if wheel := host.missing_wheel(refused.log):
        raise MissingToolError(f"{what}: this header of CUDA is not installed: {wheel}")
    compiler = toolchain.find_nvcc() if what else None
    if compiler:
        try:
            return with_nvcc(compiler, source, expressions)
        except CompileError as error:
            theirs = error
            _refuse_in_words(theirs.log, source.filename)
    try:
        return with_device_code(source, expressions, compiler)
    except CompileError as error:
        _refuse_in_words(error.log, source.filename)
        if compiler and not host.lacks_header(theirs.log):
            raise theirs from None
        raise (refused if what is None else error) from None


def _refuse_in_words(log: str, filename: str) -> None:
    """Refuse what is known not to compile, whatever host code there is."""
    if told := device_launches.refusal(log) or removed.refusal(log):
        raise CudaError(told) from None
    if told := targets.refusal(log):
        raise CudaError(f"{filename}: {told}") from None
