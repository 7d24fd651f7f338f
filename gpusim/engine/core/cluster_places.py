"""Places for a cluster: as many SMs of one GPC as it has blocks, each with room for one.

As measured on an H100, a cluster has both SMs of a TPC where it can, and TPCs that follow one another in the GPC; where
these are taken, SMs of several are put together.  `Machine.free_slots` is scratch here.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.core.free_slots import SLOT_OF, TICK_OF
from gpusim.engine.state import columns as S
from gpusim.hardware.fixed import TPC_SMS


@inline
def soonest_place(m, sm):
    """The place of an SM that may be given a block first, and when; NEVER where all are taken."""
    best, tick = np.int64(-1), S.NEVER
    for slot in range(sm * m.shape[S.SLOTS], (sm + 1) * m.shape[S.SLOTS]):
        if m.blocks[slot, S.ID] < 0 and m.blocks[slot, S.FREE_FROM] < tick:
            best, tick = slot, m.blocks[slot, S.FREE_FROM]
    return best, tick


@jit
def soonest_places(m):
    """When the next cluster may be given places, NEVER if none may, and in which GPC."""
    best, gpc = S.NEVER, np.int64(-1)
    for g in range(m.shape[S.N_GPCS]):
        tick = all_free_at(m, g)
        if tick < best:
            best, gpc = tick, np.int64(g)
    return best, gpc


@jit
def all_free_at(m, gpc):
    """When as many SMs of a GPC have room as a cluster has blocks."""
    n, size, heap = 0, m.shape[S.CLUSTER], m.free_slots
    for sm in range(len(m.sms)):
        if m.sms[sm, S.GPC] != gpc:
            continue
        _, tick = soonest_place(m, sm)
        if tick < S.NEVER:
            n += 1
            k = n
            while k > 1 and heap[k - 1, TICK_OF] > tick:
                heap[k, TICK_OF] = heap[k - 1, TICK_OF]
                k -= 1
            heap[k, TICK_OF] = tick
    return heap[size, TICK_OF] if n >= size else S.NEVER


@jit
def take_places(m, gpc, t):
    """List a place on each of the SMs of a GPC that a cluster is given at tick ``t``, in their order."""
    n = add_places(m, gpc, t, True, 0)
    n = add_places(m, gpc, t, False, n)
    sort_places(m, n)


@jit
def add_places(m, gpc, t, both, n):
    """Add SMs to the ``n`` that are listed, until these are enough: both of a TPC, or any that is not among them."""
    size, heap = m.shape[S.CLUSTER], m.free_slots
    for sm in range(len(m.sms)):
        if n == size:
            break
        slot, tick = soonest_place(m, sm)
        if m.sms[sm, S.GPC] != gpc or tick > t:
            continue
        if both and not has_neighbour(m, sm, t, size - n):
            continue
        if not both and is_listed(heap, n, slot):
            continue
        n += 1
        heap[n, SLOT_OF] = slot
    return n


@inline
def has_neighbour(m, sm, t, left):
    """Whether the other SM of a TPC has room at tick ``t`` as well, and so many blocks are left for both."""
    other = sm - sm % TPC_SMS + (sm + 1) % TPC_SMS
    if other >= len(m.sms) or left < TPC_SMS - sm % TPC_SMS:
        return False
    _, tick = soonest_place(m, other)
    return tick <= t


@inline
def is_listed(heap, n, slot):
    """Whether a place is among the first so many."""
    found = False
    for k in range(1, n + 1):
        found = found or heap[k, SLOT_OF] == slot
    return found


@inline
def sort_places(m, n):
    """Put the places that are listed into the order of their SMs."""
    heap = m.free_slots
    for k in range(2, n + 1):
        slot, j = heap[k, SLOT_OF], k
        while j > 1 and heap[j - 1, SLOT_OF] > slot:
            heap[j, SLOT_OF] = heap[j - 1, SLOT_OF]
            j -= 1
        heap[j, SLOT_OF] = slot
