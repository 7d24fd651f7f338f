"""Places that blocks have left, in the order in which they are given another: a binary heap, by tick and then by place.

GPCs have their turns, in each of which those of its SMs that have room get one block each, in the order of their
numbers (measured, microbenchmarks/handout.cu): so the next block of a grid is hardly ever on the same SM.

SMs are simulated some hundred cycles at a time, so that one may find a later end before another an earlier one.
"""

from __future__ import annotations

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.state.columns import GIVEN_AT, GPC, GPC_TURN, N_GPCS

TICK_OF, SLOT_OF = 0, 1
N_FREE_SLOT = 2


@inline
def before(heap, a, b):
    """Whether entry ``a`` comes before entry ``b``."""
    if heap[a, TICK_OF] != heap[b, TICK_OF]:
        return heap[a, TICK_OF] < heap[b, TICK_OF]
    return heap[a, SLOT_OF] < heap[b, SLOT_OF]


@inline
def exchange(heap, a, b):
    """Exchange two entries."""
    for column in range(N_FREE_SLOT):
        heap[a, column], heap[b, column] = heap[b, column], heap[a, column]


@jit
def add_free_slot(heap, tick, slot):
    """Note that ``slot``, which a block has left, is given another at a tick; entry 0 counts the others."""
    heap[0, 0] += 1
    k = heap[0, 0]
    heap[k, TICK_OF], heap[k, SLOT_OF] = tick, slot
    while k > 1 and before(heap, k, k >> 1):
        exchange(heap, k, k >> 1)
        k >>= 1


@jit
def take_free_slot(heap):
    """Take the place that is given a block first; its slot."""
    slot, n = heap[1, SLOT_OF], heap[0, 0]
    exchange(heap, 1, n)
    heap[0, 0] = n - 1
    k = 1
    while 2 * k < n:
        child = 2 * k + 1 if 2 * k + 1 < n and before(heap, 2 * k + 1, 2 * k) else 2 * k
        if not before(heap, child, k):
            break
        exchange(heap, child, k)
        k = child
    return slot


@inline
def handout_tick(m, sm, end):
    """When a place of an SM that is left at tick ``end`` is given a block: in its GPC's first turn with none for it."""
    turn = m.rates[GPC_TURN]
    t = max(end, m.sms[sm, GIVEN_AT] + 1)
    t += (m.sms[sm, GPC] * turn - t) % (turn * m.shape[N_GPCS])
    m.sms[sm, GIVEN_AT] = t
    return t
