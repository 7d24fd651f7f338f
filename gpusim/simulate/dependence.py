"""Whether blocks of a launch read what other blocks wrote, to decide where they go or what they touch.

Of such a launch no part stands for the whole: a block that draws a ticket, waits for a flag or finds that a cell is
taken already does something else where the others did not run before it.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.state import counts as C
from gpusim.isa.encode import F, Image
from gpusim.isa.image_memory import moves_values, opcodes
from gpusim.isa.opcode_info import OpInfo
from gpusim.isa.opcodes import HEAP_CALLS
from gpusim.isa.variants import Cache


def draws_tickets(image: Image) -> bool:
    """Whether an atomic of global memory gives a value that a branch or an address depends on, or malloc an address."""
    if np.any(np.isin(image.code[:, F.OP], HEAP_CALLS)):
        return True
    return moves_values(image, _gives_old_value)


def may_read_what_it_wrote(image: Image) -> bool:
    """Whether branches or addresses may depend on what the launch stores in global memory, tickets aside."""
    return moves_values(image, _loads) and moves_values(image, _stores)


def may_race(image: Image) -> bool:
    """Whether what a load or an atomic of global memory gives may depend on which of two SMs goes first.

    Loads that may come from L1 are not among them: other SMs' stores are not seen there.
    """
    if moves_values(image, _is_atomic):
        return True
    fresh = opcodes(_loads)[image.code[:, F.OP]] & (image.code[:, F.CACHE] == Cache.CG)
    return moves_values(image, _stores) and bool(np.any(fresh & (image.code[:, F.LIGHT] == 0)))


def _is_atomic(info: OpInfo) -> bool:
    return info.is_atomic and info.may_be_global


def _gives_old_value(info: OpInfo) -> bool:
    return _is_atomic(info) and info.result is not None


def _loads(info: OpInfo) -> bool:
    return info.is_load and info.may_be_global


def _stores(info: OpInfo) -> bool:
    return info.is_store and info.may_be_global


def reads_what_it_wrote(arrays: np.ndarray) -> bool:
    """Whether an array was both loaded from and stored to.

    Parameters
    ----------
    arrays : int64 array, shape (arrays, N_ARRAY_COUNTS)
        What blocks counted.
    """
    return bool(np.any((arrays[:, C.A_LD_REQ] > 0) & (arrays[:, C.A_ST_REQ] > 0)))
