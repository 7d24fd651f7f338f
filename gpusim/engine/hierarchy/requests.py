"""What an SM asks L2 for, or writes, in several parts that become one request.

What an instruction asks for goes out a few cycles later; parts of the same lines that come until then, from any
scheduler, go along.  Each scheduler holds some lines, at most, that it asked for last and no more: others send them
on their way (measured, microbenchmarks/requests.cu).
"""

from __future__ import annotations

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline
from gpusim.engine.state import columns as S
from gpusim.hardware.fixed import REQUEST_LINES, REQUEST_SECTORS

# Columns of Machine.requests, what each scheduler asked L2 for last, and what it wrote last: two rows each, the latest
# and the one before.  R_LATEST, of the first row: which is the latest; R_N_LINES: lines; R_NARROW: stores of less than
# a word; R_OPEN_UNTIL: until when more of those lines goes along.  Of each line: R_SECTORS asked for or written;
# R_BEGAN: when it went out.  R_N_SECTORS: those of all of them.
R_LATEST, R_N_LINES, R_N_SECTORS, R_NARROW, R_OPEN_UNTIL, R_LINES = range(6)
R_SECTORS, R_BEGAN, N_REQUEST = range(R_LINES + REQUEST_LINES, R_LINES + 4 * REQUEST_LINES, REQUEST_LINES)
FETCHES, WRITES, N_WAYS_OUT = 0, 1, 2


@inline
def first_row_of(sm, way):
    """First of the rows of an SM's schedulers, of what it fetches or of what it writes."""
    return (sm * N_WAYS_OUT + way) * S.MAX_SCHEDULERS * 2


@inline
def open_request(m, sm, way, w, narrow):
    """Begin what an instruction of a warp asks for or writes; returns its row of `Machine.requests`."""
    scheduler = (w - sm * m.shape[S.SLOTS] * m.shape[S.WARPS]) % m.shape[S.N_SCHEDULERS]
    pair = first_row_of(sm, way) + 2 * scheduler
    m.requests[pair, R_LATEST] = 1 - m.requests[pair, R_LATEST]
    row = pair + m.requests[pair, R_LATEST]
    request = m.requests[row]
    request[R_N_LINES], request[R_N_SECTORS], request[R_NARROW], request[R_OPEN_UNTIL] = 0, 0, narrow, -1
    return row


@inline
def has_room(m, row, sectors):
    """Whether a request holds one line more, of which these sectors are asked for or written."""
    request = m.requests[row]
    return request[R_N_LINES] < REQUEST_LINES and request[R_N_SECTORS] + popcount(sectors) <= REQUEST_SECTORS


@inline
def place_in(request, line, k):
    """Which line of a row it is, most likely the ``k``-th; -1: none."""
    n = request[R_N_LINES]
    if k < n and request[R_LINES + k] == line:
        return k
    for other in range(n):
        if request[R_LINES + other] == line:
            return other
    return -1


@inline
def find_line(m, sm, way, row, line, arrives, begins):
    """The open request with a line of which more is asked for with ``row``: its row and place in one, -1: none is.

    What waits behind others goes along with what waits there before it, of its own scheduler; with that of another one
    only once it ``begins``.
    """
    first, k = first_row_of(sm, way), m.requests[row, R_N_LINES]
    for pair in range(first, first + 2 * S.MAX_SCHEDULERS, 2):
        other, t = pair + m.requests[pair, R_LATEST], begins
        if other == row:
            other, t = row ^ 1, arrives
        if t <= m.requests[other, R_OPEN_UNTIL] and m.requests[other, R_NARROW] == m.requests[row, R_NARROW]:
            place = place_in(m.requests[other], line, k)
            if place >= 0:
                return other * REQUEST_LINES + place
    return -1


@inline
def take_out(m, at):
    """Take a line out of the request it is in; returns its sectors and when it went out."""
    request, k = m.requests[at // REQUEST_LINES], at % REQUEST_LINES
    request[R_LINES + k] = -1
    return request[R_SECTORS + k], request[R_BEGAN + k]


@inline
def add_line(m, row, line, sectors, began, until):
    """Put one more line into a request, open until a tick."""
    request = m.requests[row]
    k = request[R_N_LINES]
    request[R_N_LINES], request[R_OPEN_UNTIL], request[R_LINES + k] = k + 1, until, line
    request[R_N_SECTORS] += popcount(sectors)
    request[R_SECTORS + k], request[R_BEGAN + k] = sectors, began
