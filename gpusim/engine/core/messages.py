"""What an SM hears of others in its cluster, and of its own copies: arrivals and bytes at mbarriers, phases that end.

What comes from elsewhere lies among the copies of the SM that hears it, complete at a tick that is known.  So an SM
goes through it in the order of time, whenever the one that sent it went through that.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.atomic_values import arrived
from gpusim.engine.alu.operands import guarded
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.core.mbarriers import change, contents, put, resume
from gpusim.engine.core.paths import wake_yielded
from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.copies import (
    BRINGS,
    COUNTS,
    DUE,
    K_ARRIVALS,
    K_BARRIER,
    K_BLOCK,
    K_BLOCKS,
    K_BYTES,
    K_CLUSTER,
    K_DONE,
    K_KIND,
    K_LEAVING,
    K_POSTED,
    K_REFERENCE,
    K_REQUESTS,
    K_SITE,
    K_SLOT,
    K_STATE,
    K_WARP,
    MOST_COPIES,
    OPENS,
    WAKES,
)
from gpusim.engine.state.faults import fail

ONE = np.int64(1)


@jit
def send(m, slot, kind, barrier, arrivals, nbytes, leaving, index, w, t):
    """Have the block in ``slot`` hear of something at tick ``t``; returns whether that could be.

    Parameters
    ----------
    kind : int
        OPENS, WAKES; or BRINGS: an mbarrier lacks so many arrivals and bytes less from then on.
    barrier, arrivals, nbytes, leaving : int
        As columns of :mod:`gpusim.engine.state.copies` say.
    index, w : int
        Instruction and warp that it comes from.
    """
    sm = slot // m.shape[S.SLOTS]
    own = m.sms[sm]
    own[S.COMES] = min(own[S.COMES], t)
    m.misc[S.SEEN_FIRST] = min(m.misc[S.SEEN_FIRST], t)
    if m.shape[S.TIMELESS]:
        if kind == OPENS:
            return open_phase(m, sm, slot, t)
        return change(m, sm, index, 0, w, slot, barrier, arrivals, -nbytes, leaving, t)
    if own[S.COPIES] >= MOST_COPIES:
        return fail(m, E.COPIES_FULL, index, 0, w // m.shape[S.WARPS], 0, w)
    x = m.copies[sm * (MOST_COPIES + 1) + own[S.COPIES]]
    x[K_STATE], x[K_KIND], x[K_SLOT], x[K_BLOCK], x[K_WARP], x[K_SITE] = DUE, kind, slot, m.blocks[slot, S.ID], w, index
    x[K_BARRIER], x[K_ARRIVALS], x[K_BYTES], x[K_LEAVING], x[K_BLOCKS] = barrier, arrivals, nbytes, leaving, 0
    x[K_REQUESTS], x[K_POSTED], x[K_REFERENCE], x[K_DONE] = 0, 0, 0, t
    own[S.COPIES] += 1
    return True


@jit
def complete(m, x, sm, t):
    """What is in a row of an SM's copies is complete at tick ``t``: who is told of it hears that.

    Returns whether that could be.
    """
    slot, barrier = x[K_SLOT], x[K_BARRIER]
    if x[K_BLOCKS]:
        return tell_all(m, x, t)
    if m.blocks[slot, S.ID] != x[K_BLOCK]:
        return True
    if x[K_KIND] == OPENS:
        return open_phase(m, sm, slot, t)
    if x[K_KIND] == WAKES:
        resume(m, sm, x[K_WARP], t)
        return True
    if barrier < 0:
        return True
    if x[K_KIND] == COUNTS:
        return count_arrivals(m.shared[slot], barrier, x[K_ARRIVALS])
    if slot // m.shape[S.SLOTS] != sm:
        return send(m, slot, BRINGS, barrier, 0, x[K_BYTES], 0, x[K_SITE], x[K_WARP], t + m.rates[S.REMOTE_ARRIVE])
    return change(
        m, sm, x[K_SITE], 0, x[K_WARP], slot, barrier, x[K_ARRIVALS], -x[K_BYTES], x[K_LEAVING], t
    )  # fmt: skip


@jit
def count_arrivals(shared, address, arrivals):
    """So many arrive at an mbarrier that counts no bytes."""
    word = np.uint64(contents(shared, address))
    for _ in range(arrivals):
        word = arrived(word)
    put(shared, address, np.int64(word))
    return True


@jit
def tell_all(m, x, t):
    """A copy has brought its bytes to several blocks of a cluster, whose mbarriers hear of them at tick ``t``."""
    of, going = x[K_CLUSTER], True
    barrier, nbytes, blocks, index, w = x[K_BARRIER], x[K_BYTES], x[K_BLOCKS], x[K_SITE], x[K_WARP]
    for rank in range(m.shape[S.CLUSTER]):
        mate = m.clusters[of, S.MATES + rank]
        if (blocks >> rank) & ONE and m.blocks[mate, S.OF_CLUSTER] == of and m.blocks[mate, S.B_ALIVE]:
            going = going and send(m, mate, BRINGS, barrier, 0, nbytes, 0, index, w, t)
    return going


@jit
def open_phase(m, sm, slot, t):
    """A phase of the barrier of its cluster is over for a block at tick ``t``: its warps that wait go on."""
    block = m.blocks[slot]
    block[S.HEARD_PHASES] += 1
    block[S.PHASE] += 1
    for w in range(slot * m.shape[S.WARPS], (slot + 1) * m.shape[S.WARPS]):
        warp = m.warps[w]
        if warp[S.STATE] != S.ASLEEP:
            continue
        c = m.code[warp[S.PC] - 1]
        if c[0] == I.CLUSTER_WAIT and 0 < warp[S.AWAITS] <= block[S.HEARD_PHASES]:
            have_waited(warp, guarded(np.uint32(warp[S.MASK]), m.preds[w], c[I.GUARD]))
        elif warp[S.N_SPLIT] and wake_yielded(warp):
            warp[S.PC] -= 1
        else:
            continue
        resume(m, sm, w, t)
    return True


@inline
def have_waited(warp, lanes):
    """Lanes of a warp have waited for the barrier of its cluster."""
    warp[S.CAME_LANES] &= ~np.int64(lanes)
    if warp[S.CAME_LANES] == 0:
        warp[S.AWAITS] = 0
