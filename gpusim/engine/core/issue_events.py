"""Issues of the SM whose timeline is recorded, and what the warp that issues had waited for."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.core.scheduler_entries import entry_of
from gpusim.engine.state import columns as S
from gpusim.engine.state.events import record


@inline
def note_issue(m, sm, w, block, index, now):
    """Warp ``w`` issues instruction ``index``; its waits have been noted."""
    if sm == m.shape[S.SHOWN]:
        record_issue(m, sm, w, block, index, now)


@jit
def longest_wait(row, before):
    """What the warp that issues had waited for longest, and how long: what its scheduler noted since the last issue."""
    why, most = np.int64(0), np.int64(0)
    for k in range(S.N_REASONS):
        waited = row[S.STALLED + k] - before[k]
        before[k] = row[S.STALLED + k]
        if waited > most:
            why, most = np.int64(k), waited
    return why, most


@cold
def record_issue(m, sm, w, block, index, now):
    """An issue, and whose the events of units are that follow."""
    scheduler, _ = entry_of(m, w)
    number = scheduler - sm * m.shape[S.N_SCHEDULERS]
    head, (why, waited) = m.trace[0], longest_wait(m.schedulers[scheduler], m.trace[1 + number])
    head[S.T_PC], head[S.T_WARP], head[S.T_BLOCK] = index, w % m.shape[S.WARPS], m.blocks[block, S.ID]
    k = record(m, number, now, S.TICKS)
    if k:
        e = m.trace[k]
        e[S.T_WHY], e[S.T_WAITED], e[S.T_SINCE] = why, waited, m.blocks[block, S.STARTED]
