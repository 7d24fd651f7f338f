"""Numba's ``@cuda.jit`` functions: compiled by Numba for the types of the arguments, without a GPU.

Source: numba-cuda 0.30, ``numba/cuda/dispatcher.py``, ``_Kernel._prepare_args``: what an argument becomes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from gpusim.cuda import Kernel
from gpusim.cuda import module as modules
from gpusim.cuda.demangle import demangle
from gpusim.errors import GpusimError, ParameterError
from gpusim.frontends.foreign import Asked, Taken
from gpusim.frontends.foreign.arrays import spanned

OPTIONS = ("debug", "lineinfo", "fastmath", "opt", "launch_bounds")
"""Options of ``@cuda.jit`` that its compiler is told, too."""


def adapted(asked: Asked) -> Taken:
    """A launch of one.

    Parameters
    ----------
    asked : Asked
        With arguments of the types that it is to be compiled for.
    """
    function = asked.kernel
    if not hasattr(function, "py_func") or not hasattr(function, "typeof_pyval"):
        raise ParameterError(f"of Numba's functions those of @cuda.jit are taken, not {type(function).__name__}")
    names = function.py_func.__code__.co_varnames[: function.py_func.__code__.co_argcount]
    if len(names) != len(asked.args):
        raise ParameterError(
            f"{function.py_func.__name__} takes {len(names)} arguments ({', '.join(names)}), not {len(asked.args)}"
        )
    types = [function.typeof_pyval(value) for value in asked.args]
    passed = [
        part for name, kind, value in zip(names, types, asked.args, strict=True) for part in _parts(name, kind, value)
    ]
    kernel = _compiled(function, types, asked)
    if len(passed) != len(kernel.parameters):
        raise ParameterError(
            f"{kernel.name.full} has {len(kernel.parameters)} parameters, its arguments make {len(passed)}"
        )
    named = (replace(p, name=name) for p, (name, _) in zip(kernel.parameters, passed, strict=True))
    kernel = replace(kernel, parameters=tuple(named))
    return Taken(kernel, asked.grid, asked.block, [value for _, value in passed], asked.dynamic_shared)


def _compiled(function: Any, types: Sequence[Any], asked: Asked) -> Kernel:
    """The kernel for these types."""
    compiler: Any = import_module("numba.cuda.compiler")
    name, cc = function.py_func.__name__, asked.gpu.compute_capability
    options = {word: function.targetoptions[word] for word in OPTIONS if word in function.targetoptions}
    try:
        library, _ = compiler._compile_pyfunc_with_fixup(
            function.py_func, tuple(types), device=False, abi="numba", cc=cc, **options
        )
        cubin = library.get_cubin(cc=cc)
    except AttributeError as error:
        raise GpusimError(f"{name}: this numba-cuda is another one than is known (0.30): {error}") from None
    except Exception as error:  # what Numba raises has many kinds
        raise GpusimError(f"{name}: Numba does not compile it: {str(error).strip().splitlines()[0]}") from error
    found = modules.from_cubin(getattr(cubin, "code", cubin), f"{name} (Numba)")
    return replace(found.kernel(), name=demangle(name))


def _parts(name: str, kind: Any, value: Any) -> Iterator[tuple[str, Any]]:
    """Parameters that an argument becomes, by their names."""
    if isinstance(value, np.ndarray):
        yield f"{name}.meminfo", None
        yield f"{name}.parent", None
        yield f"{name}.size", np.int64(value.size)
        yield f"{name}.itemsize", np.int64(value.itemsize)
        yield name, spanned(name, value)
        yield from ((f"{name}.shape{k}", np.int64(n)) for k, n in enumerate(value.shape))
        yield from ((f"{name}.stride{k}", np.int64(n)) for k, n in enumerate(value.strides))
    elif isinstance(value, tuple):
        for k, (part, own) in enumerate(zip(value, kind, strict=True)):
            yield from _parts(f"{name}.{k}", own, part)
    elif isinstance(value, complex | np.complexfloating):
        part = np.float32 if str(kind) == "complex64" else np.float64
        yield f"{name}.real", part(value.real)
        yield f"{name}.imag", part(value.imag)
    else:
        yield name, _number(name, kind, value)


def _number(name: str, kind: Any, value: Any) -> Any:
    """A number of its type."""
    if str(kind) == "bool":
        return np.uint8(bool(value))
    try:
        return np.dtype(str(kind)).type(value)
    except TypeError:
        raise ParameterError(f"argument {name} of Numba's type {kind}: no way to pass it") from None
