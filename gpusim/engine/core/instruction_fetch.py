"""When code is there: each scheduler's first comes from its GPC, more of it in lines that an SM fetches ahead.

A GPC gives its TPCs first code one after another, a scheduler each time; so where a launch begins on
all SMs at once their schedulers, even those of one SM, begin apart.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.core.scheduler_entries import entries_of, rouse, warp_of
from gpusim.engine.hierarchy.servers import GIVERS, serve
from gpusim.engine.state import columns as S
from gpusim.engine.state.geometry import CODE_LINE_BITS
from gpusim.engine.state.ticks import next_cycle
from gpusim.hardware.fixed import TPC_SMS


@inline
def fetch_code(m, sm, index, now):
    """Tick at which the SM has the line of code of an instruction; those after it are fetched ahead."""
    line, ready, ran = index >> CODE_LINE_BITS, m.fetched[sm], m.ran[sm]
    for k in range(line, min(line + m.shape[S.CODE_AHEAD] + 1, len(ready))):
        if ready[k] == 0:
            ready[k] = next_cycle(now + m.rates[S.FETCH_NEXT])
            ran[k] = now
            if len(ready) > m.shape[S.CODE_LINES]:
                make_room(m, sm, k)
    ran[line] = now
    return ready[line]


@jit
def make_room(m, sm, line):
    """An SM has fetched a line of code: give up another one if it holds too many, the one that ran longest ago."""
    own, ready, ran = m.sms[sm], m.fetched[sm], m.ran[sm]
    own[S.CODE_HELD] += 1
    if own[S.CODE_HELD] <= m.shape[S.CODE_LINES]:
        return
    oldest = np.int64(-1)
    for k in range(len(ready)):
        if ready[k] and k != line and (oldest < 0 or ran[k] < ran[oldest]):
            oldest = k
    ready[oldest] = 0
    own[S.CODE_HELD] -= 1


@inline
def first_code(m, scheduler, now):
    """Tick at which a scheduler has its first code, if a warp arrives there at tick ``now``."""
    row = m.schedulers[scheduler]
    if row[S.CODE_AT] == 0:
        row[S.CODE_AT] = next_cycle(now + m.rates[S.FETCH])
        first_lines_come(m, scheduler // m.shape[S.N_SCHEDULERS], row[S.CODE_AT])
    return row[S.CODE_AT]


@inline
def first_lines_come(m, sm, t):
    """The first lines come to an SM at tick ``t``, unless they come sooner."""
    ready = m.fetched[sm]
    for k in range(min(m.shape[S.CODE_AHEAD] + 1, len(ready))):
        ready[k] = min(ready[k], t) if ready[k] else t


@cold
def stagger_first_code(m):
    """All SMs have got blocks at once: put off the first code of their schedulers by the turns that GPCs take."""
    for gpc in range(m.shape[S.N_GPCS]):
        now, turn = np.int64(0), np.int64(0)
        while True:
            scheduler, asked = next_scheduler(m, gpc, turn, now)
            if scheduler < 0:
                break
            now = max(now, asked)
            begins = now + m.rates[S.FETCH]
            m.schedulers[scheduler, S.CODE_AT] = -begins
            serve(m.servers, GIVERS, gpc, begins, m.rates[S.GPC_GIVES])
            now += m.rates[S.GPC_GIVES]
            turn = scheduler // m.shape[S.N_SCHEDULERS] // TPC_SMS + 1
    m.fetched[:] = 0
    for scheduler in range(len(m.schedulers)):
        if m.schedulers[scheduler, S.CODE_AT] < 0:
            begin_at(m, scheduler, -m.schedulers[scheduler, S.CODE_AT])


@inline
def next_scheduler(m, gpc, turn, now):
    """Scheduler that a GPC serves next, and when it asked; -1: none.

    Of the TPCs from number ``turn`` on, round and round, the first with one that has asked by ``now``, and there the
    one that asked first; if none has, whoever will.
    """
    n_schedulers, sms = m.shape[S.N_SCHEDULERS], len(m.sms)
    tpcs = (sms + TPC_SMS - 1) // TPC_SMS
    best, soonest = np.int64(-1), np.int64(S.NEVER)
    for k in range(tpcs):
        tpc = (turn + k) % tpcs
        found, first = np.int64(-1), np.int64(S.NEVER)
        for scheduler in range(tpc * TPC_SMS * n_schedulers, min((tpc + 1) * TPC_SMS, sms) * n_schedulers):
            asked = m.schedulers[scheduler, S.CODE_AT] - m.rates[S.FETCH]
            if (
                m.schedulers[scheduler, S.CODE_AT] > 0
                and m.sms[scheduler // n_schedulers, S.GPC] == gpc
                and asked < first
            ):
                found, first = scheduler, asked
        if found >= 0 and first <= now:
            return found, first
        if first < soonest:
            best, soonest = found, first
    return best, soonest


@inline
def begin_at(m, scheduler, t):
    """A scheduler has its first code at tick ``t``: so do the warps there."""
    t = next_cycle(t)
    n_schedulers = m.shape[S.N_SCHEDULERS]
    sm = scheduler // n_schedulers
    m.schedulers[scheduler, S.CODE_AT] = t
    first_lines_come(m, sm, t)
    for entry in range(entries_of(m, scheduler - sm * n_schedulers)):
        w = warp_of(m, sm, scheduler - sm * n_schedulers, entry)
        turn = m.turns[w]
        if m.schedulers[scheduler, S.READY_AT + entry] < S.NEVER:
            turn[S.FETCHED_AT] = t
            rouse(m, w, max(turn[S.COUNT_AT], t))
