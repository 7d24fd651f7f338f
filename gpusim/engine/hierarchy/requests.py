"""What an SM asks L2 for, or writes, in several parts that become one request.

What an instruction asks for goes out a few cycles later; parts of the same lines that come until then, from any
scheduler, go along.  Each scheduler holds the four lines, at most, that it asked for last and no more: others send them
on their way (measured, microbenchmarks/requests.cu).
"""

from __future__ import annotations

from gpusim.engine.compiling.jit import inline
from gpusim.engine.state import columns as S


@inline
def pairs_of(sm, way):
    """First of the rows of an SM's schedulers, of what it fetches or of what it writes."""
    return (sm * S.N_WAYS_OUT + way) * S.MAX_PARTS * 2


@inline
def hold_anew(m, sm, way, w, narrow):
    """Begin what an instruction of a warp asks for or writes; returns its row of `Machine.held`."""
    part = (w - sm * m.shape[S.SLOTS] * m.shape[S.WARPS]) % m.shape[S.N_PARTS]
    pair = pairs_of(sm, way) + 2 * part
    m.held[pair, S.H_WHICH] = 1 - m.held[pair, S.H_WHICH]
    row = pair + m.held[pair, S.H_WHICH]
    m.held[row, S.H_N], m.held[row, S.H_NARROW], m.held[row, S.H_UNTIL] = 0, narrow, -1
    return row


@inline
def place_of(held, line, k):
    """Which line of a row it is, most likely the ``k``-th; -1: none."""
    n = held[S.H_N]
    if k < n and held[S.H_LINES + k] == line:
        return k
    for other in range(n):
        if held[S.H_LINES + other] == line:
            return other
    return -1


@inline
def held_at(m, sm, way, row, line, arrives, begins):
    """Where an SM still holds a line of which more is asked for with ``row``: its row and place in one, -1: nowhere.

    What waits behind others goes along with what waits there before it, of its own scheduler; with that of another one
    only once it ``begins``.
    """
    first, k = pairs_of(sm, way), m.held[row, S.H_N]
    for pair in range(first, first + 2 * S.MAX_PARTS, 2):
        other, t = pair + m.held[pair, S.H_WHICH], begins
        if other == row:
            other, t = row ^ 1, arrives
        if t <= m.held[other, S.H_UNTIL] and m.held[other, S.H_NARROW] == m.held[row, S.H_NARROW]:
            place = place_of(m.held[other], line, k)
            if place >= 0:
                return other * S.HELD_LINES + place
    return -1


@inline
def take_over(m, at):
    """Hold a line no longer where it is held; returns its sectors, when it went out, and its stamp."""
    held, k = m.held[at // S.HELD_LINES], at % S.HELD_LINES
    held[S.H_LINES + k] = -1
    return held[S.H_SECTORS + k], held[S.H_BEGAN + k], held[S.H_STAMP + k]


@inline
def hold(m, row, line, sectors, began, stamp, until):
    """Hold one more line until a tick."""
    held = m.held[row]
    k = held[S.H_N]
    held[S.H_N], held[S.H_UNTIL], held[S.H_LINES + k] = k + 1, until, line
    held[S.H_SECTORS + k], held[S.H_BEGAN + k], held[S.H_STAMP + k] = sectors, began, stamp
