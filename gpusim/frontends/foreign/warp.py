"""Kernels of NVIDIA's Warp: compiled by Warp ahead of time, without a GPU; the grid is the ``dim`` of ``wp.launch``.

Source: Warp 1.19, ``warp/native/builtin.h`` (``launch_bounds_t``) and ``warp.compile_aot_module``.
"""

from __future__ import annotations

import json
import math
import struct
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gpusim.cuda import Kernel
from gpusim.cuda import module as modules
from gpusim.cuda.demangle import demangle
from gpusim.errors import GpusimError, ParameterError
from gpusim.frontends.addresses import Memory, Places, locate
from gpusim.frontends.foreign import Asked, Taken

MOST_DIMENSIONS = 4
WORD, SIZE = 4, 8  # bytes of a length, of a size_t


def adapted(asked: Asked) -> Taken:
    """A launch of one.

    Parameters
    ----------
    asked : Asked
        Its ``grid`` is the ``dim`` of ``wp.launch``, its ``block`` the ``block_dim``.
    """
    own = asked.kernel
    if not hasattr(own, "adj") or not hasattr(own, "module"):
        raise ParameterError(f"of Warp's objects kernels are taken, not {type(own).__name__}")
    arguments = own.adj.args
    if len(arguments) != len(asked.args):
        listed = ", ".join(one.label for one in arguments)
        raise ParameterError(f"{own.key} takes {len(arguments)} arguments ({listed}), not {len(asked.args)}")
    kernel, shared = _compiled(own, asked)
    dim = [asked.grid] if isinstance(asked.grid, int) else list(asked.grid)
    memory = Memory()
    besides: dict[str, tuple[int, np.ndarray]] = {}
    packed = [_packed(own, one, value, memory, besides) for one, value in zip(arguments, asked.args, strict=True)]
    values = [_bounds(own.key, dim, kernel.parameters[0].nbytes), *packed]
    names = ["dim", *(one.label for one in arguments)]
    named = (replace(p, name=name) for p, name in zip(kernel.parameters, names, strict=True))
    kernel = replace(kernel, parameters=tuple(named))
    places = Places([None] * len(values), {f"array {name}": place for name, place in besides.items()})
    blocks = -(-math.prod(dim) // asked.block) if isinstance(asked.block, int) else 0
    if blocks < 1:
        raise ParameterError(f"{own.key}: grid is the dim of wp.launch, block a number of threads")
    return Taken(kernel, blocks, asked.block, values, max(shared, asked.dynamic_shared), places)


def _compiled(own: Any, asked: Asked) -> tuple[Kernel, int]:
    """The kernel, and its dynamic shared memory in bytes."""
    import warp

    major, minor = asked.gpu.compute_capability
    with tempfile.TemporaryDirectory() as folder:
        try:
            files = warp.compile_aot_module(own.module, arch=10 * major + minor, module_dir=folder, use_ptx=False)
        except AttributeError as error:
            raise GpusimError(f"{own.key}: Warp 1.19 or newer is needed ({error})") from None
        except Exception as error:  # what Warp raises has many kinds
            raise GpusimError(f"{own.key}: Warp does not compile it: {error}") from error
        cubin = next(Path(file) for file in files if str(file).endswith(".cubin"))
        data, noted = cubin.read_bytes(), next(Path(folder).glob("*.meta"), None)
        meta = json.loads(noted.read_text()) if noted else {}
    symbol = f"{own.get_mangled_name()}_cuda_kernel_forward"
    found = modules.from_cubin(data, f"{own.key} (Warp)").kernel(symbol)
    return replace(found, name=demangle(own.key)), int(meta.get(f"{symbol}_smem_bytes", 0))


def _bounds(kernel: str, dim: Sequence[int], nbytes: int) -> bytes:
    """The launch's bounds: a length along each dimension, their product, threads for each of its points."""
    if not 1 <= len(dim) <= MOST_DIMENSIONS or any(n < 1 for n in dim):
        raise ParameterError(f"{kernel}: dim has 1 to {MOST_DIMENSIONS} lengths of at least 1, not {list(dim)}")
    room = (nbytes - 2 * SIZE) // WORD
    if len(dim) > room:
        raise ParameterError(f"{kernel} asks for a point of fewer dimensions than dim has ({len(dim)})")
    return struct.pack(f"<{room}I2Q", *dim, *[1] * (room - len(dim)), math.prod(dim), 1)


def _packed(own: Any, argument: Any, value: Any, memory: Memory, besides: dict[str, tuple[int, np.ndarray]]) -> bytes:
    """An argument as Warp lays it out, with the simulated address where it is an array."""
    from warp._src.context import pack_arg

    try:
        packed = pack_arg(own, argument.type, argument.label, value, "cpu")
    except Exception as error:  # what Warp raises has many kinds
        raise ParameterError(f"{own.key}: {error}") from None
    if isinstance(value, np.ndarray) and getattr(packed, "data", None):
        found = locate(value)
        first = memory.place(found.owner, len(found.memory)).first
        packed.data = first + found.offset
        besides[argument.label] = first, found.memory
    return bytes(packed)
