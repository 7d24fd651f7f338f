"""What Triton notes of a kernel beside the cubin that it keeps: shared memory, and the parameters that it adds.

Source: Triton 3.1 to 3.9, ``triton/compiler/compiler.py`` and ``triton/backends/nvidia``: ``NAME.json`` in the folder
of ``NAME.cubin`` has the fields of ``CompiledKernel.metadata``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpusim import reading
from gpusim.cuda.signature import Parameter
from gpusim.errors import GpusimError

SCRATCH = ("global_scratch_size", "profile_scratch_size")
"""Bytes of memory for each block, behind a pointer each that follows the kernel's own parameters."""

POINTER = 8  # bytes


@dataclass(frozen=True)
class Noted:
    """What a launch of a kernel of Triton's needs beside its grid and its arguments.

    Attributes
    ----------
    shared_bytes : int
        Dynamic shared memory of a block.
    scratch : tuple of int
        Bytes a block of the memory behind each pointer that Triton adds to the parameters; 0: it is null.
    """

    shared_bytes: int
    scratch: tuple[int, ...]


def noted(cubin: Path, symbol: str) -> Noted | None:
    """What lies beside a cubin.

    Parameters
    ----------
    cubin : Path
    symbol : str
        The kernel.

    Returns
    -------
    Noted or None
        None where nothing of Triton's does.
    """
    try:
        told = reading.read_json(cubin.with_suffix(".json"))
    except GpusimError:
        return None
    if not isinstance(told, dict) or told.get("name") != symbol or "num_warps" not in told:
        return None
    sizes = [told[key] for key in ("shared", *SCRATCH) if key in told]
    return Noted(sizes[0], tuple(sizes[1:])) if "shared" in told and all(map(_is_size, sizes)) else None


def advice(block: tuple[int, ...] | None, parameters: Sequence[Parameter], given: int) -> str:
    """What to do about arguments that are too few, if those lacking may be the ones that Triton adds; else nothing.

    Parameters
    ----------
    block : tuple of int or None
        The only shape of a block that the code is for, which all code of Triton's has.
    parameters : sequence of Parameter
    given : int
        Arguments.
    """
    last = parameters[given:]
    if block is None or not 1 <= len(last) <= len(SCRATCH) or any(p.nbytes != POINTER or p.type for p in last):
        return ""
    return (
        f": the last {len(last)} may be pointers to scratch memory that Triton adds, null where the kernel's metadata "
        "has no bytes of it (None, or bytes:0000000000000000 to the command)"
    )


def _is_size(value: Any) -> bool:
    return type(value) is int and value >= 0
