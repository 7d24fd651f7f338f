"""The load/store pipe of an SM: who has it when, and the wire from it to L2."""

from __future__ import annotations

from gpusim.engine import state as S
from gpusim.engine.jit import inline
from gpusim.engine.trace import note_unit


@inline
def take_pipe(m, sm, t, busy):
    """Have the pipe for ``busy`` ticks from ``t`` on; returns when that begins."""
    row = m.sms[sm]
    begin = max(t, row[S.LSU])
    row[S.LSU] = max(row[S.LSU], row[S.NOW]) + busy
    note_unit(m, sm, S.ON_LSU, row[S.LSU] - busy, busy)
    return begin


@inline
def take_tags(m, sm, t, busy, waves):
    """Have the tag stage for ``busy`` ticks, and the pipe for ``waves``; returns when that begins."""
    row = m.sms[sm]
    begin = max(t, row[S.TAGS])
    row[S.TAGS] = begin + busy
    row[S.LSU] = max(row[S.LSU], row[S.NOW]) + waves
    note_unit(m, sm, S.ON_TAGS, begin, busy)
    note_unit(m, sm, S.ON_LSU, row[S.LSU] - waves, waves)
    return begin


@inline
def send_out(m, sm, t, whole, broken):
    """Send sectors of a line to L2, written whole or in part.  The tag stage waits while the wire is full.

    Returns
    -------
    int
        Tick at which they are on their way.
    """
    row = m.sms[sm]
    begin = max(t, row[S.OUT])
    busy = m.rates[S.OUT_LINE] + whole * m.rates[S.OUT_SECTOR] + broken * m.rates[S.OUT_BROKEN]
    row[S.OUT] = begin + busy
    row[S.OUT_BUSY] += busy
    note_unit(m, sm, S.ON_OUT, begin, busy)
    row[S.TAGS] = max(row[S.TAGS], row[S.OUT] - m.rates[S.OUT_HELD])
    return begin
