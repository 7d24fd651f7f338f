"""CuPy's ``RawKernel`` and ``RawModule``: their source, options and names; nothing of CuPy is called.

Source: CuPy 14, ``cupy.RawKernel`` and ``cupy.RawModule``, whose attributes need no GPU.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gpusim import cuda
from gpusim.errors import ParameterError
from gpusim.frontends.foreign import Asked, Taken


def adapted(asked: Asked) -> Taken:
    """A launch of one.

    Parameters
    ----------
    asked : Asked
    """
    raw = asked.kernel
    if type(raw).__name__ not in ("RawKernel", "RawModule"):
        raise ParameterError(f"of CuPy's kernels RawKernel and RawModule are taken, not {type(raw).__name__}")
    kernel = _module(raw, asked).kernel(_name(raw, asked.name))
    return Taken(kernel, asked.grid, asked.block, asked.args, asked.dynamic_shared)


def _name(raw: Any, wanted: str | None) -> str | None:
    """The kernel meant: a RawKernel's own, the one that is asked for, the only expression of a module."""
    if type(raw).__name__ == "RawKernel":
        if wanted not in (None, raw.name):
            raise ParameterError(f"name={wanted!r} chooses a kernel of a module, and {raw.name} is one already")
        return str(raw.name)
    expressions = list(raw.name_expressions or ())
    if wanted is None and len(expressions) == 1:
        return str(expressions[0])
    return wanted


def _module(raw: Any, asked: Asked) -> cuda.Module:
    """The module, compiled for the GPU."""
    wanted = _name(raw, asked.name)
    if raw.code is None:
        return cuda.compile(Path(raw.file_path), gpu=asked.gpu, kernel=wanted)
    source = raw.code if "\n" in raw.code else raw.code + "\n"  # one line may be taken for a path
    return cuda.compile(source, gpu=asked.gpu, kernel=wanted, options=raw.options or (), include=_headers(source))


def _headers(source: str) -> list[Path]:
    """Where CuPy's own headers lie, if they are asked for."""
    if "<cupy/" not in source and '"cupy/' not in source:
        return []
    import importlib.util

    found = importlib.util.find_spec("cupy")
    if found is None or found.origin is None:
        return []
    return [Path(found.origin).parent / "_core" / "include"]
