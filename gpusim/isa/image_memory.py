"""What running an image does with memory: whether it reads values, changes them, makes copies."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from gpusim.isa.encode import F, Image
from gpusim.isa.opcode_info import OpInfo
from gpusim.isa.opcodes import COPIES, Op


def needs_data(image: Image) -> bool:
    """Whether running the image reads values of global memory."""
    return moves_values(image, _touches)


def stores_values(image: Image) -> bool:
    """Whether running the image changes global memory."""
    return moves_values(image, _changes_memory)


def makes_copies(image: Image) -> bool:
    """Whether running the image makes copies beside the warps."""
    return bool(np.any(np.isin(image.code[:, F.OP], COPIES)))


def needs_local(image: Image) -> bool:
    """Whether running the image moves values of local memory."""
    return moves_values(image, _is_local)


def needs_shared(image: Image) -> bool:
    """Whether running the image moves values of shared memory."""
    return moves_values(image, _is_shared)


def _touches(info: OpInfo) -> bool:
    return info.may_be_global and (info.reads_memory or info.writes_memory)


def _changes_memory(info: OpInfo) -> bool:
    return info.may_be_global and info.writes_memory


def _is_shared(info: OpInfo) -> bool:
    return info.space in ("shared", "generic") and info.touches_memory


def _is_local(info: OpInfo) -> bool:
    return info.may_be_local


def moves_values(image: Image, which: Callable[[OpInfo], bool]) -> bool:
    """Whether an instruction of some opcodes is one of which not the address alone matters.

    Parameters
    ----------
    image : Image
    which : callable
        A function of a module, of which it is remembered what it says of each opcode.
    """
    return bool(np.any(opcodes(which)[image.code[:, F.OP]] & (image.code[:, F.LIGHT] == 0)))


@cache
def opcodes(which: Callable[[OpInfo], bool]) -> np.ndarray:
    """By number of an opcode, whether it is one of some; of which is said as for :func:`moves_values`."""
    found = np.zeros(max(Op) + 1, np.bool_)
    found[[op for op in Op if which(op.info)]] = True
    return found
