"""The load/store pipe of an SM: who has it when, and the wire from it to L2."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline
from gpusim.engine.state import columns as S
from gpusim.engine.state.events import note_unit


@inline
def pipe_free(row):
    """Tick from which the pipe of an SM has room: it takes an instruction in every so often, and works meanwhile."""
    return max(row[S.LSU], row[S.LSU_TAKES])


@inline
def goes_for_nothing(m):
    """Whether the instruction of this turn is spared what it costs, in a run without a cause of time."""
    return m.shape[S.WITHOUT] & S.SPARES and m.misc[S.RIDES]


@inline
def tags_free(row):
    """The same of its tag stage."""
    return max(row[S.TAGS], row[S.TAGS_TAKE])


@inline
def caught_up_at(m, row):
    """When the pipe of an SM is behind by no more than its queues hold, in a run that is not timed."""
    tags = max(row[S.TAGS] - m.rates[S.TAG_QUEUE], row[S.TAGS_TAKE] - lets_go_in(m, m.shape[S.LG_DEPTH]))
    return max(pipe_free(row) - lets_go_in(m, m.shape[S.MIO_DEPTH]), tags)


@inline
def lets_go_in(m, n):
    """Ticks in which the pipe takes in ``n`` accesses of each scheduler of an SM."""
    return n * m.shape[S.N_SCHEDULERS] * m.rates[S.LSU_RATE]


@inline
def take_pipe(m, sm, t, busy, n):
    """Have the pipe for ``busy`` ticks from ``t`` on, for ``n`` instructions; returns when that begins."""
    row = m.sms[sm]
    free = pipe_free(row)
    row[S.LSU] = max(free, row[S.NOW]) + busy
    row[S.LSU_TAKES] = max(row[S.LSU_TAKES], row[S.NOW]) + m.rates[S.LSU_RATE] * n
    note_unit(m, sm, S.ON_LSU, row[S.LSU] - busy, busy)
    return max(t, free)


@inline
def between_shared(m, row):
    """Ticks that a shared access loses behind a global one that itself came behind a shared one."""
    lost = m.rates[S.BETWEEN_SHARED] if m.shape[S.TIMED] and row[S.SINCE_SHARED] == 1 else np.int64(0)
    row[S.SINCE_SHARED] = 0
    return lost


@inline
def pass_through(m, sm, t, n):
    """Have the data stage for ``n`` accesses in which no lane takes part, a cycle each; returns when they are done."""
    return take_pipe(m, sm, t, n * S.TICKS, n) + m.rates[S.NOBODY]


@inline
def take_special(m, sm, t, n):
    """Have the unit that reads special registers and constants for ``n`` of them; returns when that begins."""
    row = m.sms[sm]
    begin = max(t, row[S.SPECIALS])
    row[S.SPECIALS] = begin + n * m.rates[S.SPECIAL]
    return begin


@inline
def take_tags(m, sm, t, tags, waves):
    """Have the tag stage for ``tags`` ticks, and the data stage after it for ``waves``; returns when the former begins.

    The tag stage goes on while the data stage is behind by no more than the pipe holds.
    """
    row = m.sms[sm]
    free = tags_free(row)
    begin = max(t, free)
    row[S.SINCE_SHARED] += 1
    row[S.LSU] = max(row[S.LSU], row[S.NOW]) + waves
    row[S.TAGS] = max(max(free, row[S.NOW]) + tags, row[S.LSU] - m.rates[S.QUEUE])
    row[S.TAGS_TAKE] = max(row[S.NOW], row[S.TAGS_TAKE]) + m.rates[S.LSU_RATE]
    note_unit(m, sm, S.ON_TAGS, begin, tags)
    note_unit(m, sm, S.ON_LSU, row[S.LSU] - waves, waves)
    return begin


@inline
def data_apart(m, waves, passes):
    """From the first of a load's data to the last; each lane gets its registers one after another, in as many passes.

    Other accesses have the pipe in between.
    """
    return (waves - 1) * m.rates[S.WAVE_APART] + (passes - 1) * S.TICKS


@inline
def pass_again(m, sm, busy):
    """Have the data stage for ``busy`` ticks more of an access, when these will be is not known yet."""
    m.sms[sm, S.LSU] += busy


@inline
def send_out(m, sm, t, whole, broken, along):
    """Send sectors of a line to L2, written whole or in part.  The tag stage waits while the wire is full.

    Returns
    -------
    int
        Tick at which they are on their way.
    """
    row = m.sms[sm]
    begin = max(t, row[S.OUT])
    line = np.int64(0) if along else m.rates[S.OUT_LINE]
    busy = line + whole * m.rates[S.OUT_SECTOR] + broken * m.rates[S.OUT_BROKEN]
    row[S.OUT] = begin + busy
    row[S.OUT_BUSY] += busy
    note_unit(m, sm, S.ON_OUT, begin, busy)
    row[S.TAGS] = max(row[S.TAGS], row[S.OUT] - m.rates[S.OUT_HELD])
    return begin
