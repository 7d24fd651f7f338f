"""What an SM asks of what all SMs share, in a window of time, and what it hears of it two windows later.

No SM affects another one, or itself by way of L2, sooner than that.  So all SMs go through a window at the same time,
each by itself; what they ask for is then handled in the order of its ticks (:mod:`gpusim.engine.load_store.below`),
while they go through the next.

A tick that is not known yet is a reference: `PENDING` or more, the number of what was asked for in the bits from
`NUMBER_AT` on, and below them ticks that are to be added.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.state import columns as S
from gpusim.engine.state.geometry import ALL_SECTORS

# Columns of Machine.asked, what an SM has asked for in a window, in its order; a cache line each.  A_WHAT: its kind,
# sectors, those that a write goes along with or how an atomic changes them (hierarchy.l2), and the row of counts of its
# block's kind; A_TICK: when it goes out, or
# its first part did; A_WHOSE: instruction and array that it counts for, -1: none; A_ROW: the row of L1 that a read is
# for, -1: none; the words that a write changes; the first row that a LOAD waits for, up to itself; A_ALSO, A_BESIDES:
# other ticks, or references, that it waits for too; A_DONE, A_GONE: what is heard of it (of an atomic, when L2 takes
# it)
A_WHAT, A_TICK, A_LINE, A_WHOSE, A_ROW, A_ALSO, A_BESIDES, A_DONE = range(8)
A_WORDS, A_FIRST, A_GONE = A_ROW, A_ROW, A_BESIDES
N_ASKED = S.lines_of(A_DONE + 1)
SECTORS_AT, BEFORE_AT, COUNTED_AT, ARRAY_BITS = 4, 8, 12, 32
"""Where the parts of A_WHAT begin; bits of A_WHOSE that are the array."""
READ, ALONG, ALONE, WRITE, UPDATE, JOIN, LOAD = range(7)
"""Kinds: a read, more of the line of an earlier one, a read for several SMs, which none joins, a write, an atomic;
what comes with an earlier read, and what waits for all of an instruction's.  The last two are the SM's own affair."""

# Columns of Machine.outboxes, two an SM, filled in turns: O_COUNT: rows of `asked`; O_NUMBER: number of the first one;
# O_WAITERS: rows of `waiters`
O_COUNT, O_NUMBER, O_WAITERS = range(3)
N_OUTBOX = 8

# Columns of Machine.waiters: places that hold references, a warp's number, a column of Machine.warps, and the block
W_WARP, W_COLUMN, W_BLOCK = range(3)
N_WAITER = 4

MOST_ASKED, ROOM = 1216, 192  # rows of an outbox, and those that the next instruction may need
N_HEARD = 4096  # latest answers that an SM keeps
NUMBER_AT, NUMBERS = 40, 0xFFFF
OFFSET = (np.int64(1) << NUMBER_AT) - 1


@inline
def is_pending(t):
    """Whether a tick is a reference; NEVER is none."""
    return S.PENDING <= t < S.NEVER


@inline
def rows_of_outbox(m):
    """Rows of `Machine.asked` that an outbox has."""
    return m.asked.shape[0] // m.outboxes.shape[0]


@inline
def outbox_of(m, sm):
    """The outbox that an SM fills."""
    return m.crew[0, S.FILLING] * len(m.sms) + sm


@inline
def has_room(m, sm):
    """Whether an SM may go on: what any instruction asks for has room."""
    return m.outboxes[outbox_of(m, sm), O_COUNT] + ROOM <= rows_of_outbox(m)


@inline
def asked_so_far(m, sm):
    """Rows in the outbox that an SM fills."""
    return m.outboxes[outbox_of(m, sm), O_COUNT]


@inline
def kind_of(row):
    """The kind of what was asked."""
    return row[A_WHAT] & ((1 << SECTORS_AT) - 1)


@inline
def sectors_of(row):
    """Sectors that were asked for, or written."""
    return (row[A_WHAT] >> SECTORS_AT) & ALL_SECTORS


@inline
def before_of(row):
    """Sectors of its line that a write goes along with."""
    return (row[A_WHAT] >> BEFORE_AT) & ALL_SECTORS


@inline
def counted_in(row):
    """Row of `Machine.counts` that counts it."""
    return row[A_WHAT] >> COUNTED_AT


@inline
def post(m, sm, what, t):
    """Put one more row into an SM's outbox; its number in `Machine.asked`."""
    box = outbox_of(m, sm)
    k = m.outboxes[box, O_COUNT]
    m.outboxes[box, O_COUNT] = k + 1
    k += box * rows_of_outbox(m)
    row = m.asked[k]
    row[A_WHAT], row[A_TICK], row[A_ALSO], row[A_BESIDES], row[A_DONE] = what, t, 0, 0, 0
    return k


@inline
def latest(m, sm):
    """Reference to what an SM has asked for last."""
    box = m.outboxes[outbox_of(m, sm)]
    return S.PENDING + (((box[O_NUMBER] + box[O_COUNT] - 1) & NUMBERS) << NUMBER_AT)


@inline
def post_request(m, sm, kind, line, sectors, t, before, place):
    """Ask L2 for sectors of a line, or write them, for the instruction that an SM is at; the row's number.

    ``before``: sectors that a write goes along with, or how an atomic changes them; ``place``: what A_ROW or A_WORDS
    says.
    """
    own = m.sms[sm]
    counted = m.blocks[own[S.READER] // m.shape[S.WARPS], S.KIND]
    k = post(m, sm, kind | sectors << SECTORS_AT | before << BEFORE_AT | counted << COUNTED_AT, t)
    row = m.asked[k]
    row[A_LINE], row[A_ROW], row[A_WHOSE] = line, place, own[S.READS_FOR]
    return k


@inline
def at_instruction(m, sm, w, site, array):
    """What an SM asks for from here on is an instruction's of a warp, and counts for it and an array; -1: for none."""
    own = m.sms[sm]
    own[S.READER], own[S.READS_FOR], own[S.READ_REQUEST] = w, site << ARRAY_BITS | array, -1


@jit
def done_at(m, sm, first, t):
    """When all is there that an SM has asked for since there were ``first`` rows, and ``t`` has come."""
    if asked_so_far(m, sm) == first:
        return t
    m.asked[post(m, sm, LOAD, t), A_FIRST] = first
    return latest(m, sm)


@inline
def set_tick(m, sm, w, column, t):
    """A warp's column becomes ``t``, or stays what it is if that is later; either may be a reference."""
    warp = m.warps[w]
    if t < S.PENDING and warp[column] < S.PENDING:
        warp[column] = max(warp[column], t)
    else:
        refer(m, sm, w, column, t)


@jit
def refer(m, sm, w, column, t):
    """:func:`set_tick` where not both are known."""
    warp = m.warps[w]
    if not outlasts(m, sm, t, warp[column]):
        row = m.asked[post(m, sm, LOAD, np.int64(0))]
        row[A_FIRST], row[A_ALSO], row[A_BESIDES] = asked_so_far(m, sm) - 1, warp[column], t
        t = latest(m, sm)
    warp[column] = t
    box = outbox_of(m, sm)
    waiter = m.waiters[box, m.outboxes[box, O_WAITERS]]
    waiter[W_WARP], waiter[W_COLUMN], waiter[W_BLOCK] = w, column, m.blocks[w // m.shape[S.WARPS], S.ID]
    m.outboxes[box, O_WAITERS] += 1


@inline
def outlasts(m, sm, t, other):
    """Whether a reference is surely to no earlier tick than another, which is known and before what it waits for."""
    box = outbox_of(m, sm)
    last = m.asked[box * rows_of_outbox(m) + m.outboxes[box, O_COUNT] - 1]
    return t & ~OFFSET == latest(m, sm) and kind_of(last) == LOAD and other <= last[A_TICK]


@inline
def heard(m, sm, t):
    """A tick, if need be the one that a reference has become."""
    if not is_pending(t):
        return t
    return m.heard[sm, ((t - S.PENDING) >> NUMBER_AT) & (N_HEARD - 1)] + (t & OFFSET)


@inline
def is_of(m, box, t):
    """Whether a tick is a reference to what an outbox holds."""
    number = ((t - S.PENDING) >> NUMBER_AT) - m.outboxes[box, O_NUMBER]
    return is_pending(t) and (number & NUMBERS) < m.outboxes[box, O_COUNT]


@inline
def empty_outbox(m, sm):
    """Begin to fill an outbox, which has been answered."""
    box, other = m.outboxes[outbox_of(m, sm)], m.outboxes[(1 - m.crew[0, S.FILLING]) * len(m.sms) + sm]
    box[O_NUMBER] = (other[O_NUMBER] + other[O_COUNT]) & NUMBERS
    box[O_COUNT], box[O_WAITERS] = 0, 0
