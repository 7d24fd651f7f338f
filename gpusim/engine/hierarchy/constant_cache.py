"""Lines of constants: those that an SM holds, those of its GPC, and how they come.

A line that the SM does not hold comes from its GPC, which serves its SMs in turn; there what a launch tells its kernel
(bank 0) lies from the beginning, and other lines come from L2.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.servers import GIVERS, SEEKERS, serve
from gpusim.engine.state import columns as S
from gpusim.engine.state.geometry import bits_of
from gpusim.hardware.fixed import CONSTANT_LINE

CONSTANT_LINE_BITS = bits_of(CONSTANT_LINE)
BANK_AT = 32  # bits of a line's number below those of its bank


@inline
def line_of(bank, offset):
    """Number of the line that holds a byte of a constant bank."""
    return np.int64(bank) << BANK_AT | (np.int64(offset) & 0xFFFFFFFF) >> CONSTANT_LINE_BITS


@jit
def line_at(m, sm, line, t):
    """Tick from ``t`` on at which an SM holds a line of constants; one that it does not is fetched (timed runs)."""
    if not m.shape[S.TIMED]:
        return t
    own, lines, held = m.sms[sm], m.constant_lines[sm], m.shape[S.CONSTANT_LINES]
    for k in range(held):
        if lines[k] == line:
            return max(t, lines[held + k])
    k = own[S.LINE_TURN]
    own[S.LINE_TURN] = (k + 1) % held
    begin = serve(m.servers, GIVERS, own[S.GPC], t, m.rates[S.GPC_GIVES])
    if line >> BANK_AT:
        begin = gpc_line_at(m, own[S.GPC], line, begin)
    lines[k], lines[held + k] = line, begin + m.rates[S.CONSTANT_FETCH]
    return lines[held + k]


@inline
def gpc_line_at(m, gpc, line, t):
    """Tick from ``t`` on at which a GPC holds a line of constants."""
    lines, misses = m.gpc_lines[gpc, line % m.gpc_lines.shape[1]], m.shape[S.GPC_MISSES]
    if lines[0] != line:
        seeker = gpc * misses + line % misses
        begin = serve(m.servers, SEEKERS, seeker, t, m.rates[S.CONSTANT_SEEK] + m.rates[S.CONSTANT_FETCH])
        lines[0], lines[1] = line, begin + m.rates[S.CONSTANT_SEEK]
    return max(t, lines[1])
