"""What an SM asks L2 for, or writes, in several parts that become one request.

What an instruction asks for goes out a few cycles later; parts of the same lines that come until then, from any
scheduler, go along.  Each scheduler holds the four lines, at most, that it asked for last and no more: others send them
on their way (measured, microbenchmarks/requests.cu).
"""

from __future__ import annotations

from gpusim.engine.compiling.jit import inline
from gpusim.engine.state import columns as S

# Columns of Machine.held, what each scheduler asked L2 for last, and what it wrote last: two rows each, the latest and
# the one before.  H_WHICH, of the first row: which is the latest; H_N: lines; H_NARROW: stores of less than a word;
# H_UNTIL: until when more of those lines goes along.  Of each line: H_SECTORS asked for or written; H_BEGAN, H_STAMP:
# when it went out, and its stamp.
H_WHICH, H_N, H_NARROW, H_UNTIL, H_LINES = range(5)
HELD_LINES = 4
H_SECTORS, H_BEGAN, H_STAMP, N_HELD = range(H_LINES + HELD_LINES, H_LINES + 5 * HELD_LINES, HELD_LINES)
FETCHES, WRITES, N_WAYS_OUT = 0, 1, 2


@inline
def pairs_of(sm, way):
    """First of the rows of an SM's schedulers, of what it fetches or of what it writes."""
    return (sm * N_WAYS_OUT + way) * S.MAX_PARTS * 2


@inline
def hold_anew(m, sm, way, w, narrow):
    """Begin what an instruction of a warp asks for or writes; returns its row of `Machine.held`."""
    part = (w - sm * m.shape[S.SLOTS] * m.shape[S.WARPS]) % m.shape[S.N_PARTS]
    pair = pairs_of(sm, way) + 2 * part
    m.held[pair, H_WHICH] = 1 - m.held[pair, H_WHICH]
    row = pair + m.held[pair, H_WHICH]
    m.held[row, H_N], m.held[row, H_NARROW], m.held[row, H_UNTIL] = 0, narrow, -1
    return row


@inline
def place_of(held, line, k):
    """Which line of a row it is, most likely the ``k``-th; -1: none."""
    n = held[H_N]
    if k < n and held[H_LINES + k] == line:
        return k
    for other in range(n):
        if held[H_LINES + other] == line:
            return other
    return -1


@inline
def held_at(m, sm, way, row, line, arrives, begins):
    """Where an SM still holds a line of which more is asked for with ``row``: its row and place in one, -1: nowhere.

    What waits behind others goes along with what waits there before it, of its own scheduler; with that of another one
    only once it ``begins``.
    """
    first, k = pairs_of(sm, way), m.held[row, H_N]
    for pair in range(first, first + 2 * S.MAX_PARTS, 2):
        other, t = pair + m.held[pair, H_WHICH], begins
        if other == row:
            other, t = row ^ 1, arrives
        if t <= m.held[other, H_UNTIL] and m.held[other, H_NARROW] == m.held[row, H_NARROW]:
            place = place_of(m.held[other], line, k)
            if place >= 0:
                return other * HELD_LINES + place
    return -1


@inline
def take_over(m, at):
    """Hold a line no longer where it is held; returns its sectors, when it went out, and its stamp."""
    held, k = m.held[at // HELD_LINES], at % HELD_LINES
    held[H_LINES + k] = -1
    return held[H_SECTORS + k], held[H_BEGAN + k], held[H_STAMP + k]


@inline
def hold(m, row, line, sectors, began, stamp, until):
    """Hold one more line until a tick."""
    held = m.held[row]
    k = held[H_N]
    held[H_N], held[H_UNTIL], held[H_LINES + k] = k + 1, until, line
    held[H_SECTORS + k], held[H_BEGAN + k], held[H_STAMP + k] = sectors, began, stamp
