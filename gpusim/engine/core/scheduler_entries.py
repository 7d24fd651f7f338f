"""Where a scheduler keeps its warps: who may issue, and from when."""

from __future__ import annotations

from gpusim.engine.compiling.jit import inline
from gpusim.engine.state import columns as S


@inline
def seat_of(m, w):
    """Row of a warp's scheduler in `Machine.parts`, and the warp's number there."""
    n, step = m.shape[S.SLOTS] * m.shape[S.WARPS], m.shape[S.N_PARTS]
    sm = w // n
    k = w - sm * n
    return sm * step + k % step, k // step


@inline
def seats_of(m, part):
    """Warps that a scheduler of an SM, its ``part``-th, has room for."""
    step = m.shape[S.N_PARTS]
    return (m.shape[S.SLOTS] * m.shape[S.WARPS] - part + step - 1) // step


@inline
def warp_at(m, sm, part, seat):
    """Number of the warp in a seat of the ``part``-th scheduler of an SM: the way back from :func:`seat_of`."""
    return sm * m.shape[S.SLOTS] * m.shape[S.WARPS] + part + seat * m.shape[S.N_PARTS]


@inline
def ready_at(turn):
    """Tick from which a warp's next instruction may issue: its stall count, its scoreboards and its code let it."""
    return max(turn[S.COUNT_AT], max(turn[S.BOARDS_AT], turn[S.FETCHED_AT]))


@inline
def rouse(m, w, t):
    """A warp may run on at tick ``t``."""
    m.awake[w] = t
    if m.shape[S.TIMED]:
        part, seat = seat_of(m, w)
        m.parts[part, S.READY_AT + seat] = t
