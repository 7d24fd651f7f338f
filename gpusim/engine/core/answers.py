"""What an SM hears of what it asked for two windows ago: references become ticks, and warps that wait go on."""

from __future__ import annotations

from gpusim.engine.compiling.cache_hints import prefetch
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.core.issue import awaited
from gpusim.engine.core.scheduler_entries import entry_of, ready_at
from gpusim.engine.core.warp import pending
from gpusim.engine.hierarchy.l1 import l1_answer
from gpusim.engine.hierarchy.outbox import (
    A_ALSO,
    A_BESIDES,
    A_DONE,
    A_FIRST,
    A_GONE,
    A_ROW,
    A_TICK,
    A_WHOSE,
    ALONE,
    JOIN,
    LOAD,
    N_HEARD,
    NUMBER_AT,
    NUMBERS,
    O_COUNT,
    O_NUMBER,
    O_WAITERS,
    UPDATE,
    W_BLOCK,
    W_COLUMN,
    W_WARP,
    WRITE,
    empty_outbox,
    heard,
    is_of,
    is_pending,
    kind_of,
    outbox_of,
    rows_of_outbox,
)
from gpusim.engine.state import columns as S
from gpusim.engine.state.ticks import next_cycle

AHEAD = 6  # answers for which the host fetches rows of L1


@jit
def hear(m, sm):
    """Take in the answers to what is in an SM's outbox, and empty it."""
    box = outbox_of(m, sm)
    first = box * rows_of_outbox(m)
    for k in range(m.outboxes[box, O_COUNT]):
        asked, number = m.asked[first + k], m.outboxes[box, O_NUMBER] + k
        prefetch_row_of_l1(m, first + min(k + AHEAD, m.outboxes[box, O_COUNT] - 1))
        if kind_of(asked) == WRITE:
            taken(m, sm, asked, asked[A_DONE], asked[A_GONE])
        elif kind_of(asked) == UPDATE:
            taken(m, sm, asked, asked[A_GONE], asked[A_GONE])
            m.heard[sm, number & (N_HEARD - 1)] = asked[A_DONE]
        else:
            m.heard[sm, number & (N_HEARD - 1)] = answer(m, sm, first, asked, k, number)
    for k in range(m.outboxes[box, O_WAITERS]):
        waiter = m.waiters[box, k]
        w = waiter[W_WARP]
        if m.blocks[w // m.shape[S.WARPS], S.ID] == waiter[W_BLOCK]:
            if is_of(m, box, m.warps[w, waiter[W_COLUMN]]):
                m.warps[w, waiter[W_COLUMN]] = heard(m, sm, m.warps[w, waiter[W_COLUMN]])
            go_on_after(m, sm, w)
    empty_outbox(m, sm)


@inline
def prefetch_row_of_l1(m, k):
    """Have the host fetch the row of L1 that a read is for."""
    if kind_of(m.asked[k]) <= ALONE:
        prefetch(m.l1, max(m.asked[k, A_ROW], 0), 0)


@inline
def taken(m, sm, asked, t, done):
    """L2 has taken a write or an atomic: the wire is free again, and the launch does not end before it is done."""
    if asked[A_WHOSE] >= 0:
        own = m.sms[sm]
        own[S.OUT] = max(own[S.OUT], t - m.rates[S.L2_NEAR])
        m.misc[S.END] = max(m.misc[S.END], done)


@inline
def answer(m, sm, first, asked, k, number):
    """The tick that a reference becomes."""
    kind = kind_of(asked)
    if kind == LOAD:
        asked[A_DONE] = max(asked[A_TICK], max(heard(m, sm, asked[A_ALSO]), heard(m, sm, asked[A_BESIDES])))
        for other in range(asked[A_FIRST], k):
            asked[A_DONE] = max(asked[A_DONE], m.asked[first + other, A_DONE])
        return asked[A_DONE]
    if kind == JOIN:
        asked[A_DONE] = heard(m, sm, asked[A_ALSO])
        return asked[A_DONE]
    return l1_answer(m, sm, asked, S.PENDING + ((number & NUMBERS) << NUMBER_AT))


@inline
def go_on_after(m, sm, w):
    """A warp that slept for want of an answer wakes up when what it waits for is there."""
    warp, turn = m.warps[w], m.turns[w]
    c = m.code[warp[S.PC]]
    if not m.shape[S.TIMED]:
        if is_pending(m.awake[w]):
            until = pending(warp, c)
            m.awake[w] = until if is_pending(until) else max(until, turn[S.LAST_AT])
            if not is_pending(until):
                m.sms[sm, S.WARPS_RAN] += m.awake[w] - turn[S.LAST_AT]
    elif turn[S.BOARDS_AT] >= S.PENDING:
        turn[S.BOARDS_AT], turn[S.BOARDS_WHY] = next_cycle(pending(warp, c)), awaited(warp, turn, c)
        if warp[S.STATE] == S.READY:
            t, (scheduler, entry) = max(ready_at(turn), m.awake[w]), entry_of(m, w)
            m.schedulers[scheduler, S.READY_AT + entry] = t
            k = S.TRY_AT + scheduler % m.shape[S.N_SCHEDULERS]
            m.sms[sm, k] = min(m.sms[sm, k], next_cycle(t))
