"""Control flow that few kernels have: calls, jumps by register, named barriers and masks of lanes."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import FULL, at, predicate
from gpusim.engine.compiling.bits import first_lane, popcount
from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.core.barriers import pass_by, reach
from gpusim.engine.core.flow import (
    NOWHERE,
    STUCK,
    are_among,
    branch,
    break_off,
    jump,
    named,
    part,
    sync_lanes,
    where_true,
)
from gpusim.engine.core.lane_exchange import fill
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail, first_row


@cold
def move_barrier(warp, c, u, base, on):
    """BMOV: read the lanes of a convergence barrier, or set them."""
    place = S.MEET_MASK + c[I.SUB]
    if c[I.A] != I.NO_ROW:
        warp[place] = np.int64(u[at(c[I.A], base), first_lane(on)])
        return
    fill(u[at(c[I.DST], base)], np.uint32(warp[place]), on)
    if c[I.FLAGS] & I.CLEAR:
        warp[place] = 0


@jit
def indirect_control(m, c, op, index, w, block, on, t, count):
    """Control flow; returns WENT or a reason to stop (-1 less the reason)."""
    warp, base, went = m.warps[w], first_row(m, w), np.int64(0)
    if op == I.BAR:
        return barrier(m, c, index, w, block, on, t)
    if op == I.WARPSYNC:
        came, exclusive = warp[S.MASK], (c[I.FLAGS] & I.EXCLUSIVE) != 0
        went = sync_lanes(warp, m.regs[at(c[I.A], base)], exclusive)
        if went == 0 and not exclusive and warp[S.PC] == index + 1 and warp[S.MASK] & ~came:
            count_again(warp[S.MASK], count)
    elif op == I.BREAK:
        break_off(warp, c[I.SUB], np.int64(on & predicate(m.preds[w], c[I.P0])))
    elif op == I.BRA:
        lanes = np.int64(where_true(m.preds[w], c, on, count))
        together = meets_mask(c, m.regs, base, lanes, warp[S.MASK], warp[S.ALIVE])
        if c[I.SUB]:
            went = branch(warp, c[I.TARGET], warp[S.MASK] if lanes else np.int64(0))
        elif c[I.FLAGS] & I.CONVERGED:
            went = branch(warp, c[I.TARGET], lanes if together else np.int64(0))
        else:
            went = branch(warp, c[I.TARGET], np.int64(0) if together else warp[S.MASK])
    else:
        went = go(m, c, warp, base, np.int64(where_true(m.preds[w], c, on, count)))
    if went < 0:
        fail(m, E.BAD_JUMP if went == NOWHERE else E.DEADLOCK if went == STUCK else E.SPLITS, index, 0, block, 0, w)
        return S.FAILURE
    count[C.DIVERGED] += went
    return S.WENT


@inline
def count_again(met, count):
    """Lanes that came to a WARPSYNC by different ways execute it once more, together.

    Source: an H200 (gpusim/data/microbenchmarks/meetings.cu).
    """
    count[C.INST] += 1
    count[C.THREAD_INST] += popcount(met)
    count[C.THREAD_ON] += popcount(met)


@cold
def go(m, c, warp, base, lanes):
    """CALL, BRX, RET by some lanes; returns as :func:`~gpusim.engine.core.flow.jump`."""
    if not lanes:
        warp[S.PC] += 1
        return np.int64(0)
    if c[I.A] == I.NO_ROW:
        return np.int64(part(warp, c[I.TARGET], lanes))
    return jump(warp, m.regs[at(c[I.A], base)], np.int64(c[I.OFFSET]), m.place, lanes)


@inline
def barrier_named(m, c, w, lane):
    """Which barrier a BAR names, and for how many threads, 0: all of the block.

    Where registers give both, the number of threads is in the upper half of its own.
    """
    base = first_row(m, w)
    number = np.int64(c[I.SUB] & 15) + np.int64(m.regs[at(c[I.A], base), lane])
    threads = np.int64(m.regs[at(c[I.B], base), lane])
    if c[I.B] >= 0 and c[I.A] >= 0:
        threads = (threads >> 16) & 0xFFF
    return number & (S.N_BARRIERS - 1), threads


@jit
def barrier(m, c, index, w, block, on, t):
    """BAR; the same."""
    warp = m.warps[w]
    warp[S.PC] += 1
    if not on or m.shape[S.WITHOUT] & S.NO_BARRIERS:
        return S.WENT
    if on != warp[S.ALIVE]:
        fail(m, E.DIVERGENT_BARRIER, index, 0, block, 0, w)
        return S.FAILURE
    lane = first_lane(on)
    number, threads = barrier_named(m, c, w, lane)
    if number >= m.shape[S.BARRIERS]:
        fail(m, E.BAD_BARRIER, index, lane, block, number, w)
        return S.FAILURE
    reach(c, warp, m.blocks[block], number, threads, on & predicate(m.preds[w], c[I.P0]), on)
    if c[I.FLAGS] & I.ARRIVE:
        pass_by(m, block, warp[S.BAR_NUMBER], t)
        return S.WENT
    return -1 - S.AT_BLOCK_BARRIER


@cold
def meets_mask(c, u, base, lanes, active, alive):
    """Whether all lanes of BRA.DIV's or BRA.CONV's mask a that are alive are among ``lanes``."""
    value = np.int64(u[at(c[I.A], base), first_lane(np.uint32(active))])
    if c[I.MODS] & 1:
        value ^= np.int64(FULL)
    return are_among(named(value), lanes, alive)
