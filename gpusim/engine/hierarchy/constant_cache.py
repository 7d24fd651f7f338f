"""Lines of constants: those that an SM holds, those of its GPC, and how they come.

A line that the SM does not hold comes from its GPC, which serves its SMs in turn; there what a launch tells its kernel
(bank 0) lies from the beginning, and other lines come from L2.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.servers import GIVERS, SEEKERS, serve
from gpusim.engine.state import columns as S

# Lines of constants that an SM holds, and their size: 2 KB stay, a line of 64 bytes is fetched at once (bursts.cu)
CONSTANT_LINES, CONSTANT_LINE_BITS = 32, 6
GPC_MISSES, GPC_LINES = 4, 1024  # of a GPC: lines that it asks L2 for at once, and that it holds


@inline
def line_of(bank, offset):
    """Number of the line that holds a byte of a constant bank."""
    return np.int64(bank) << 32 | (np.int64(offset) & 0xFFFFFFFF) >> CONSTANT_LINE_BITS


@jit
def line_at(m, sm, line, t):
    """Tick from ``t`` on at which an SM holds a line of constants; one that it does not is fetched (timed runs)."""
    if not m.shape[S.TIMED]:
        return t
    own, lines = m.sms[sm], m.constant_lines[sm]
    for k in range(CONSTANT_LINES):
        if lines[k] == line:
            return max(t, lines[CONSTANT_LINES + k])
    k = own[S.LINE_TURN]
    own[S.LINE_TURN] = (k + 1) % CONSTANT_LINES
    begin = serve(m.servers, GIVERS, own[S.GPC], t, m.rates[S.GPC_GIVES])
    if line >> 32:
        begin = gpc_line_at(m, own[S.GPC], line, begin)
    lines[k], lines[CONSTANT_LINES + k] = line, begin + m.rates[S.CONSTANT_FETCH]
    return lines[CONSTANT_LINES + k]


@inline
def gpc_line_at(m, gpc, line, t):
    """Tick from ``t`` on at which a GPC holds a line of constants."""
    lines = m.gpc_lines[gpc, line & (GPC_LINES - 1)]
    if lines[0] != line:
        seeker = gpc * GPC_MISSES + (line & (GPC_MISSES - 1))
        begin = serve(m.servers, SEEKERS, seeker, t, m.rates[S.CONSTANT_SEEK] + m.rates[S.CONSTANT_FETCH])
        lines[0], lines[1] = line, begin + m.rates[S.CONSTANT_SEEK]
    return max(t, lines[1])
