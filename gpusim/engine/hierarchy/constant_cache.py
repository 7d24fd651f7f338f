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


@inline
def place_of(m, sm, line):
    """Where an SM holds a line of constants, -1: it does not."""
    lines = m.constant_lines[sm]
    for k in range(m.shape[S.CONSTANT_LINES]):
        if lines[k] == line:
            return k
    return -1


@jit
def line_at(m, sm, line, t):
    """Tick from ``t`` on at which an SM holds a line of constants, which it has sought if it did not (timed runs)."""
    if not m.shape[S.TIMED]:
        return t
    k = place_of(m, sm, line)
    return max(t, m.constant_lines[sm, m.shape[S.CONSTANT_LINES] + k] if k >= 0 else m.sms[sm, S.SOUGHT_AT])


@jit
def seek(m, sm, line, t):
    """An SM needs a line of constants at tick ``t``: unless it holds it, it stands still until its GPC is asked."""
    own, sought = m.sms[sm], m.sought[sm]
    if place_of(m, sm, line) >= 0:
        return
    for k in range(own[S.SEEKS]):
        if sought[k] == line:
            return
    sought[own[S.SEEKS]], sought[S.LANES + own[S.SEEKS]] = line, t
    own[S.SEEKS] += 1


@jit
def find(m, sm, line, t):
    """A GPC gives an SM a line of constants that it asks for at tick ``t``."""
    own, lines, held = m.sms[sm], m.constant_lines[sm], m.shape[S.CONSTANT_LINES]
    k = own[S.LINE_TURN]
    own[S.LINE_TURN] = (k + 1) % held
    begin = serve(m.servers, GIVERS, own[S.GPC], t, m.rates[S.GPC_GIVES])
    if line >> BANK_AT:
        begin = gpc_line_at(m, own[S.GPC], line, begin)
    lines[k], lines[held + k] = line, begin + m.rates[S.CONSTANT_FETCH]
    own[S.SOUGHT_AT] = max(own[S.SOUGHT_AT], lines[held + k])


@jit
def find_all(m):
    """GPCs give SMs the lines of constants that they stand still for, in the order in which they ask."""
    while True:
        best, first = np.int64(-1), np.int64(S.NEVER)
        for sm in range(len(m.sms)):
            for k in range(m.sms[sm, S.SEEKS]):
                if m.sought[sm, S.LANES + k] < first:
                    best, first = sm * S.LANES + k, m.sought[sm, S.LANES + k]
        if best < 0:
            break
        sm, k = best // S.LANES, best % S.LANES
        find(m, sm, m.sought[sm, k], first)
        m.sought[sm, S.LANES + k] = S.NEVER
    for sm in range(len(m.sms)):
        m.sms[sm, S.SEEKS] = 0


@inline
def gpc_line_at(m, gpc, line, t):
    """Tick from ``t`` on at which a GPC holds a line of constants."""
    lines, misses = m.gpc_lines[gpc, line % m.gpc_lines.shape[1]], m.shape[S.GPC_MISSES]
    if lines[0] != line:
        seeker = gpc * misses + line % misses
        begin = serve(m.servers, SEEKERS, seeker, t, m.rates[S.CONSTANT_SEEK] + m.rates[S.CONSTANT_FETCH])
        lines[0], lines[1] = line, begin + m.rates[S.CONSTANT_SEEK]
    return max(t, lines[1])
