"""Noting what went wrong, and where a warp keeps its registers."""

from __future__ import annotations

from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.state import columns as S


@jit
def note_error(misc, code, index, lane, block, address, warp):
    """Note an error; the first one stays."""
    if misc[S.E_CODE] == 0:
        misc[S.E_CODE], misc[S.E_INDEX], misc[S.E_LANE] = code, index, lane
        misc[S.E_BLOCK], misc[S.E_ADDRESS], misc[S.E_WARP] = block, address, warp
    return False


@cold
def fail(m, code, index, lane, block, address, w):
    """Note an error of warp slot ``w``."""
    return note_error(m.misc, code, index, lane, m.blocks[block, S.ID], address, w % m.shape[S.WARPS])


@inline
def first_row(m, w):
    """First register row of warp slot ``w``."""
    return m.shape[S.N_STATIC] + w * m.shape[S.PRIVATE]
