"""Noting what went wrong, and where a warp keeps its registers."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.state import columns as S


@jit
def note_error(misc, code, index, lane, block, address, warp):
    """Note an error; the first one stays."""
    if misc[S.E_CODE] == 0:
        misc[S.E_CODE], misc[S.E_INDEX], misc[S.E_LANE] = code, index, lane
        misc[S.E_BLOCK], misc[S.E_ADDRESS], misc[S.E_WARP] = block, address, warp
    return False


@jit
def keep_fault(m, sm):
    """Keep what went wrong on an SM, if anything did; returns whether."""
    if m.misc[S.E_CODE] == 0:
        return False
    for column in range(S.N_ERROR):
        m.faults[sm, column] = m.misc[column]
    m.faults[sm, S.N_ERROR] = m.sms[sm, S.NOW]
    m.misc[S.E_CODE] = 0
    m.crew[0, S.FAILED_SMS] = 1
    return True


@jit
def first_fault(m):
    """Note the first of the errors of the window, of the first SM of several; returns whether there is one."""
    if not m.crew[0, S.FAILED_SMS]:
        return m.misc[S.E_CODE] != 0
    best = np.int64(-1)
    for sm in range(len(m.sms)):
        if m.faults[sm, S.E_CODE] and (best < 0 or m.faults[sm, S.N_ERROR] < m.faults[best, S.N_ERROR]):
            best = sm
    for column in range(S.N_ERROR):
        m.misc[column] = m.faults[best, column]
    return True


@cold
def fail(m, code, index, lane, block, address, w):
    """Note an error of warp slot ``w``."""
    return note_error(m.misc, code, index, lane, m.blocks[block, S.ID], address, w % m.shape[S.WARPS])


@inline
def first_row(m, w):
    """First register row of warp slot ``w``."""
    return m.shape[S.N_STATIC] + w * m.shape[S.PRIVATE]
