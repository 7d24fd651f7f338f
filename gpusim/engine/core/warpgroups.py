"""What warps of a warpgroup do together: products of matrices, on tensor cores that work while the warps go on."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import FULL
from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.core.mbarriers import resume
from gpusim.engine.core.products import queue
from gpusim.engine.load_store.async_groups import close_products
from gpusim.engine.load_store.warpgroup import lie_within, multiply
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail
from gpusim.hardware.fixed import DATA_STAGE
from gpusim.isa import warpgroup as G


@jit
def product(m, c, index, w, block, on, t, count):
    """HGMMA, QGMMA, IGMMA; returns the tick it is issued, or FAILURE.

    One that takes tensor cores no time ends a group, and multiplies nothing.
    """
    count[C.INST_WARPGROUP] += 1
    if not on:
        return t
    if not are_whole(m, index, w, block, on):
        return S.FAILURE
    if c[I.LIGHT]:
        if c[I.BUSY] and not lie_within(m, c, index, w, block):
            return S.FAILURE
    elif c[I.DST] >= 0 and not multiply(m, c, index, w, block, on):
        return S.FAILURE
    if c[I.BUSY]:
        if w == first_of(m, w):
            count[C.SH_PRODUCT_WAVES] += wavefronts(c[I.SUB])
        queue(m, c, w, t)
    if c[I.SUB] & G.COMMITS:
        close_products(m.warps[w])
    return t


@inline
def first_of(m, w):
    """First warp of a warp's warpgroup."""
    return w - w % m.shape[S.WARPS] % G.WARPS


@inline
def are_whole(m, index, w, block, on):
    """Whether a warp is one of four, and all of its lanes take part; else that is noted."""
    if on == FULL and w % m.shape[S.WARPS] // G.WARPS < m.shape[S.WARPS] // G.WARPS:
        return True
    return fail(m, E.WARPGROUP, index, 0, block, 0, w)


@jit
def meet(m, index, w, block, sm, on, t):
    """WARPGROUP_ARRIVE: sleep until the other warps are there; the last one has them go on.

    So none of them falls a whole phase of an mbarrier behind, which the others would have used again.
    """
    if not are_whole(m, index, w, block, on):
        return np.int64(S.FAILURE)
    first = first_of(m, w)
    for other in range(first, first + G.WARPS):
        if other != w and not waits_for_others(m, other):
            m.warps[w, S.PC] += 1
            return np.int64(-1 - S.SLEEPS)
    for other in range(first, first + G.WARPS):
        if other != w:
            resume(m, sm, other, t)
    return t


@inline
def waits_for_others(m, w):
    """Whether a warp sleeps until the others of its warpgroup are there."""
    warp = m.warps[w]
    return warp[S.STATE] == S.ASLEEP and m.code[warp[S.PC] - 1, I.OP] == I.WARPGROUP_ARRIVE


@cold
def tell_of_warpgroup(m, w):
    """Note that warp ``w`` waits for ever for others of its warpgroup: a bit for each warp of the block not there."""
    slot, missing = w // m.shape[S.WARPS], np.int64(0)
    first = first_of(m, w)
    for other in range(first, first + G.WARPS):
        if not waits_for_others(m, other):
            missing |= np.int64(1) << np.int64(other % m.shape[S.WARPS])
    fail(m, E.WARPGROUP_DEADLOCK, m.warps[w, S.PC] - 1, 0, slot, missing, w)


@inline
def wavefronts(sub):
    """Wavefronts in which the matrices of a product come from shared memory: a row, or a column, has 32 bytes."""
    rows = (sub >> G.N_TILES & G.TILE_MASK) * G.TILE + (sub & G.A_SHARED != 0) * G.WARPS * G.OWN_ROWS
    return rows * G.ROW_BYTES // DATA_STAGE
