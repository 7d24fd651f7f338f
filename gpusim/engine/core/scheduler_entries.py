"""Where a scheduler keeps its warps: who may issue, and from when."""

from __future__ import annotations

from gpusim.engine.compiling.jit import inline
from gpusim.engine.state import columns as S


@inline
def entry_of(m, w):
    """Row of a warp's scheduler in `Machine.schedulers`, and the warp's number there."""
    n, step = m.shape[S.SLOTS] * m.shape[S.WARPS], m.shape[S.N_SCHEDULERS]
    sm = w // n
    k = w - sm * n
    return sm * step + k % step, k // step


@inline
def entries_of(m, scheduler):
    """Warps that a scheduler of an SM, its ``scheduler``-th, has room for."""
    step = m.shape[S.N_SCHEDULERS]
    return (m.shape[S.SLOTS] * m.shape[S.WARPS] - scheduler + step - 1) // step


@inline
def warp_of(m, sm, scheduler, entry):
    """Number of the warp in an entry of the ``scheduler``-th scheduler of an SM: the way back from :func:`entry_of`."""
    return sm * m.shape[S.SLOTS] * m.shape[S.WARPS] + scheduler + entry * m.shape[S.N_SCHEDULERS]


@inline
def ready_at(turn):
    """Tick from which a warp's next instruction may issue: its stall count, its scoreboards and its code let it."""
    return max(turn[S.COUNT_AT], max(turn[S.BOARDS_AT], turn[S.FETCHED_AT]))


@inline
def rouse(m, w, t):
    """A warp may run on at tick ``t``."""
    m.awake[w] = t
    if m.shape[S.TIMED]:
        scheduler, entry = entry_of(m, w)
        m.schedulers[scheduler, S.READY_AT + entry] = t
