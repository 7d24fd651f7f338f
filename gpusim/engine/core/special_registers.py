"""Special registers: who a thread is, clocks, and what the launch says."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import FULL, at
from gpusim.engine.compiling.bits import first_lane
from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.core.lane_exchange import fill
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import first_row

ONE = np.uint32(1)


@inline
def passes_data_stage(which):
    """Whether S2R of a register costs a wavefront.

    On an H200 TID, LANEID, its masks and WARPID do; CTAID, SMID, the clock and the block's place in its cluster do not.
    """
    of_thread = which < I.CTAID_X or which == I.LANEID or which == I.WARPID or which == I.VIRTID
    return of_thread or I.LANEMASK_EQ <= which <= I.LANEMASK_GE


@jit
def special(which, d, shape, block, w, sm, on):
    """The special registers up to SMID, into the lanes ``on`` of row ``d``; ``w``: warp slot, ``block``: its row."""
    first = (w % shape[S.WARPS]) * S.LANES
    x, y = shape[S.BLOCK_X], shape[S.BLOCK_Y]
    for lane in range(S.LANES):
        thread = first + lane
        v = np.int64(0)
        if which == I.TID_X:
            v = thread % x
        elif which == I.TID_Y:
            v = thread // x % y
        elif which == I.TID_Z:
            v = thread // (x * y)
        elif which <= I.CTAID_Z:
            v = np.int64(block[S.X + which - I.CTAID_X])
        elif which == I.LANEID:
            v = np.int64(lane)
        elif which == I.WARPID:
            v = np.int64(w % shape[S.WARPS])
        elif which == I.SMID:
            v = np.int64(sm)
        if (on >> np.uint32(lane)) & ONE:
            d[lane] = np.uint32(v)


@cold
def other_special(which, d, shape, rank, w, t, on):
    """The others, of warp slot ``w`` of a block at tick ``t``; what is not listed reads as 0.

    ``rank``: the block's place in its cluster.
    """
    for lane in range(S.LANES):
        v = launch_value(shape, which, t // S.TICKS)
        if which == I.CLUSTER_RANK:
            v = rank
        if which == I.VIRTID:
            v = (w % (shape[S.SLOTS] * shape[S.WARPS])) << 8
        if I.LANEMASK_EQ <= which <= I.LANEMASK_GE:
            v = lane_mask(which, np.int64(1) << lane)
        if (on >> np.uint32(lane)) & ONE:
            d[lane] = np.uint32(v & 0xFFFFFFFF)


@inline
def lane_mask(which, bit):
    """LANEMASK_*: lanes before, after or at the lane of a bit."""
    below = bit - 1
    if which == I.LANEMASK_EQ:
        return bit
    if which == I.LANEMASK_LT:
        return below
    if which == I.LANEMASK_LE:
        return below | bit
    if which == I.LANEMASK_GT:
        return (below | bit) ^ 0xFFFFFFFF
    return below ^ 0xFFFFFFFF


@inline
def launch_value(shape, which, cycle):
    """Special registers that are the same for all threads; the timers count cycles of the pacing clock."""
    if I.NTID_X <= which <= I.NTID_Z:
        return shape[S.BLOCK_X + which - I.NTID_X]
    if I.NCTAID_X <= which <= I.NCTAID_Z:
        return shape[S.GRID_X + which - I.NCTAID_X]
    if which == I.CLOCK_LO or which == I.GLOBALTIMER_LO:
        return cycle
    if which == I.CLOCK_HI or which == I.GLOBALTIMER_HI:
        return cycle >> 32
    if which == I.SHARED_WINDOW_HI:
        return np.int64(S.SHARED_WINDOW_HI)
    if which == I.LOCAL_WINDOW_HI:
        return np.int64(S.LOCAL_WINDOW_HI)
    if which == I.SHARED_SIZE:
        return shape[S.SHARED_BYTES]
    if which == I.CLUSTER_SIZE:
        return shape[S.CLUSTER]
    return np.int64(S.LANES) if which == I.WARPSIZE else np.int64(0)


@inline
def all_if_uniform(m, c, on):
    """Lanes an instruction writes: all of a uniform register, unless its guard is false."""
    return FULL if on and c[I.DST] >= m.shape[S.UNIFORM] else on


@jit
def read_special(m, c, w, block, sm, on, t):
    """S2R, CS2R; a uniform register gets the first active lane's value in all lanes."""
    which, d, rank = c[I.SUB], at(c[I.DST], first_row(m, w)), m.blocks[block, S.CLUSTER_PLACE]
    lanes = all_if_uniform(m, c, on)
    if which > I.SMID:
        other_special(which, m.regs[d], m.shape, rank, w, t, lanes)
    else:
        special(which, m.regs[d], m.shape, m.blocks[block], w, sm, lanes)
        if c[I.DST] >= m.shape[S.UNIFORM] and on:
            fill(m.regs[d], m.regs[d, first_lane(on)], FULL)
    if c[0] == I.CS2R and c[I.WIDTH] == 8:
        pairs = which == I.CLOCK_LO or which == I.GLOBALTIMER_LO
        other_special(which + 1 if pairs else I.ZERO_REGISTER, m.regs[d + 1], m.shape, rank, w, t, lanes)
