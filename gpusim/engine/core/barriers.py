"""Barriers of a block: sixteen, for all its threads or as many as are named, with a reduction or without.

A warp counts as a whole: the threads a barrier is for are a multiple of 32.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.core.host_prefetch import prefetch_operands
from gpusim.engine.core.scheduler_entries import ready_at, rouse
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import fields as I

FULL = 0xFFFFFFFF


@jit
def reach(c, warp, block, number, threads, yes, on):
    """BAR: note which barrier a warp has come to, and what it says in the reduction.

    Parameters
    ----------
    c, warp, block : rows of the instruction, the warp and its block
    number, threads : int
        Of the barrier; 0 threads: the whole block.
    yes, on : int
        Lanes whose predicate holds, and lanes that take part.
    """
    b = number & (S.N_BARRIERS - 1)
    warp[S.BAR_NUMBER], warp[S.BAR_MODE] = b, (c[I.SUB] >> 8) & 3
    block[S.EXPECTED + b] = (threads + S.LANES - 1) // S.LANES
    block[S.YES + b] += popcount(yes)
    block[S.VOTERS + b] += popcount(on)


@inline
def is_full(block, b):
    """Whether all that barrier ``b`` is for are there."""
    expected = block[S.EXPECTED + b] if block[S.EXPECTED + b] else block[S.B_ALIVE]
    return block[S.ARRIVED + b] > 0 and block[S.ARRIVED + b] >= expected


@inline
def enter(m, slot, b, t):
    """Count a warp as arrived at tick ``t``; an SM takes one after the other."""
    block = m.blocks[slot]
    block[S.ARRIVED + b] += 1
    block[S.WAITING] += 1
    if m.shape[S.TIMED]:
        sm = m.sms[slot // m.shape[S.SLOTS]]
        t = max(t, sm[S.BAR_FREE]) + m.rates[S.BARRIER_WARP]
        sm[S.BAR_FREE] = t
    block[S.LAST + b] = max(block[S.LAST + b], t)


@jit
def result(mode, yes, voters):
    """What B2R gives after a barrier."""
    if mode == I.RED_POPC:
        return yes
    holds = yes == voters if mode == I.RED_AND else yes > 0
    return np.int64(FULL) if holds else np.int64(0)


@inline
def resume(m, w, t):
    """When a warp that may pass its barrier at tick ``t`` goes on: it has run ahead as far as nothing could show it."""
    turn, bar = m.turns[w], m.code[m.warps[w, S.PC] - 1]
    return max(t - bar[I.LATENCY] * S.TICKS, ready_at(turn))


@jit
def release(m, slot, b):
    """Let the warps that wait at barrier ``b`` go on.

    It takes a wavefront, unless the block has sent the load/store pipe nothing since the one before.
    """
    block, n = m.blocks[slot], m.shape[S.WARPS]
    awake = block[S.LAST + b] + m.rates[S.BARRIER]
    if not m.shape[S.TIMED]:
        awake += m.rates[S.BARRIER_WARP] * n
    for w in range(slot * n, (slot + 1) * n):
        warp = m.warps[w]
        if warp[S.STATE] == S.AT_BARRIER and warp[S.BAR_NUMBER] == b:
            warp[S.STATE] = S.READY
            if m.shape[S.TIMED]:
                rouse(m, w, resume(m, w, awake))
                m.awake[w] = min(m.awake[w], awake)
            else:
                rouse(m, w, awake)
                prefetch_operands(m, w)
            if warp[S.BAR_MODE]:
                warp[S.BAR_RESULT] = result(warp[S.BAR_MODE], block[S.YES + b], block[S.VOTERS + b])
    block[S.WAITING] -= block[S.ARRIVED + b]
    block[S.PHASE] += 1
    clear(block, b)
    m.counts[block[S.KIND], C.SH_OTHER_WAVES] += block[S.SENT]
    block[S.SENT] = 0


@inline
def clear(block, b):
    """Nobody is at barrier ``b``."""
    block[S.ARRIVED + b], block[S.LAST + b], block[S.YES + b], block[S.VOTERS + b] = 0, 0, 0, 0


@cold
def pass_by(m, slot, b, t):
    """BAR.ARV: be counted at a barrier without waiting."""
    enter(m, slot, b, t)
    if is_full(m.blocks[slot], b):
        release(m, slot, b)


@cold
def after_exit(m, slot, t):
    """A warp has left: the barriers that waited for it alone open."""
    block = m.blocks[slot]
    for b in range(S.N_BARRIERS):
        if block[S.ARRIVED + b] == 0:
            continue
        block[S.LAST + b] = max(block[S.LAST + b], t)
        if is_full(block, b):
            release(m, slot, b)


@cold
def stuck(m, state):
    """A warp that waits in such a state for ever; -1 if there is none."""
    for w in range(len(m.warps)):
        if m.blocks[w // m.shape[S.WARPS], S.ID] >= 0 and m.warps[w, S.STATE] == state:
            return w
    return -1
