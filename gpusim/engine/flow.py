"""Control flow of a warp: branches, divergence and reconvergence, leaving.

A warp runs one path, ``(pc, mask)``; others are set aside on a stack or wait at
a convergence barrier (BSSY names the lanes, BSYNC lets them meet).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from gpusim.engine.jit import INLINE
from gpusim.engine.state import MAX_SPLITS, N_CONVERGENCE

ZERO = np.uint32(0)
FULL = np.uint32(0xFFFFFFFF)


@njit(**INLINE)
def popcount(x):
    """Set bits of a 32-bit mask."""
    v = np.int64(x)
    v = v - ((v >> 1) & 0x55555555)
    v = (v & 0x33333333) + ((v >> 2) & 0x33333333)
    v = (v + (v >> 4)) & 0x0F0F0F0F
    return ((v * 0x01010101) & 0xFFFFFFFF) >> 24


@njit(**INLINE)
def set_aside(warps, w, pc, mask):
    """Keep a path for later; False when there is no room."""
    n = warps.n_split[w]
    if n >= MAX_SPLITS:
        return False
    warps.split_pc[w, n] = pc
    warps.split_mask[w, n] = mask
    warps.n_split[w] = n + 1
    return True


@njit(**INLINE)
def take_next_path(warps, w):
    """Go on with another path of the warp; False when none can run."""
    while warps.n_split[w] > 0:
        n = warps.n_split[w] - 1
        warps.n_split[w] = n
        mask = warps.split_mask[w, n] & warps.alive[w]
        if mask:
            warps.pc[w] = warps.split_pc[w, n]
            warps.mask[w] = mask
            return True
    for b in range(N_CONVERGENCE):
        here = warps.meet_here[w, b] & warps.alive[w]
        if here and here == warps.meet_mask[w, b] & warps.alive[w]:
            warps.pc[w] = warps.meet_pc[w, b] + 1
            warps.mask[w] = here
            warps.meet_here[w, b] = ZERO
            return True
    return False


@njit(**INLINE)
def branch(warps, w, target, taken):
    """BRA; returns 1 where the warp split, 0 where it did not, -1 out of room."""
    mask = warps.mask[w]
    rest = mask & (taken ^ FULL)
    if taken == 0:
        warps.pc[w] += 1
        return 0
    if rest == 0:
        warps.pc[w] = target
        return 0
    if not set_aside(warps, w, warps.pc[w] + 1, rest):
        return -1
    warps.pc[w] = target
    warps.mask[w] = taken
    return 1


@njit(**INLINE)
def open_meeting(warps, w, b):
    """BSSY: the lanes now active are to meet at barrier ``b``."""
    warps.meet_mask[w, b] = warps.mask[w]
    warps.meet_here[w, b] = ZERO
    warps.pc[w] += 1


@njit(**INLINE)
def meet(warps, w, b):
    """BSYNC: wait for the others; False when nothing else of the warp can run."""
    warps.meet_here[w, b] |= warps.mask[w]
    here = warps.meet_here[w, b] & warps.alive[w]
    if here == warps.meet_mask[w, b] & warps.alive[w]:
        warps.mask[w] = here
        warps.meet_here[w, b] = ZERO
        warps.pc[w] += 1
        return True
    warps.meet_pc[w, b] = warps.pc[w]
    return take_next_path(warps, w)


@njit(**INLINE)
def leave(warps, w, lanes):
    """EXIT of some lanes; False when the warp has nothing left to run."""
    warps.alive[w] &= lanes ^ FULL
    warps.mask[w] &= lanes ^ FULL
    if warps.mask[w]:
        warps.pc[w] += 1
        return True
    return take_next_path(warps, w)


@njit(**INLINE)
def start(warps, w, lanes, ready):
    """A fresh warp with its first ``lanes`` lanes active."""
    mask = FULL if lanes >= 32 else np.uint32((np.int64(1) << lanes) - 1)
    warps.pc[w] = 0
    warps.mask[w] = mask
    warps.alive[w] = mask
    warps.n_split[w] = 0
    for b in range(N_CONVERGENCE):
        warps.meet_here[w, b] = ZERO
        warps.meet_mask[w, b] = ZERO
    for p in range(warps.preds.shape[1]):
        warps.preds[w, p] = FULL if p == 7 or p == 15 else ZERO
    for b in range(warps.board.shape[1]):
        warps.board[w, b] = 0
    warps.ready[w] = ready
