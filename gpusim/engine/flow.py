"""Control flow of a warp: branches, divergence and reconvergence, leaving.

A warp runs one path, ``(pc, mask)``; others are set aside on a stack or wait at
a convergence barrier (BSSY names the lanes, BSYNC lets them meet).
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.jit import inline, jit
from gpusim.engine.state import (
    ALIVE,
    BOARD,
    MASK,
    MAX_SPLITS,
    MEET_HERE,
    MEET_MASK,
    MEET_PC,
    N_MEETINGS,
    N_SPLIT,
    PC,
    SPLIT_MASK,
    SPLIT_PC,
)  # fmt: skip

FULL = 0xFFFFFFFF


@inline
def popcount(x):
    """Set bits of a 32-bit mask."""
    v = np.int64(x)
    v = v - ((v >> 1) & 0x55555555)
    v = (v & 0x33333333) + ((v >> 2) & 0x33333333)
    v = (v + (v >> 4)) & 0x0F0F0F0F
    return ((v * 0x01010101) & 0xFFFFFFFF) >> 24


@inline
def set_aside(warp, pc, mask):
    """Keep a path for later; False when there is no room."""
    n = warp[N_SPLIT]
    if n >= MAX_SPLITS:
        return False
    warp[SPLIT_PC + n] = pc
    warp[SPLIT_MASK + n] = mask
    warp[N_SPLIT] = n + 1
    return True


@jit
def take_next_path(warp):
    """Go on with another path of the warp; False when none can run."""
    while warp[N_SPLIT] > 0:
        n = warp[N_SPLIT] - 1
        warp[N_SPLIT] = n
        mask = warp[SPLIT_MASK + n] & warp[ALIVE]
        if mask:
            warp[PC] = warp[SPLIT_PC + n]
            warp[MASK] = mask
            return True
    for b in range(N_MEETINGS):
        here = warp[MEET_HERE + b] & warp[ALIVE]
        if here and here == warp[MEET_MASK + b] & warp[ALIVE]:
            warp[PC] = warp[MEET_PC + b] + 1
            warp[MASK] = here
            warp[MEET_HERE + b] = 0
            return True
    return False


@inline
def branch(warp, target, taken):
    """BRA; returns 1 where the warp split, 0 where it did not, -1 out of room."""
    rest = warp[MASK] & (taken ^ FULL)
    if taken == 0:
        warp[PC] += 1
        return 0
    if rest == 0:
        warp[PC] = target
        return 0
    if not set_aside(warp, warp[PC] + 1, rest):
        return -1
    warp[PC] = target
    warp[MASK] = taken
    return 1


@inline
def open_meeting(warp, b):
    """BSSY: the lanes now active are to meet at barrier ``b``."""
    warp[MEET_MASK + b] = warp[MASK]
    warp[MEET_HERE + b] = 0
    warp[PC] += 1


@inline
def meet(warp, b):
    """BSYNC: wait for the others; False when nothing else of the warp can run."""
    warp[MEET_HERE + b] |= warp[MASK]
    here = warp[MEET_HERE + b] & warp[ALIVE]
    if here == warp[MEET_MASK + b] & warp[ALIVE]:
        warp[MASK] = here
        warp[MEET_HERE + b] = 0
        warp[PC] += 1
        return True
    warp[MEET_PC + b] = warp[PC]
    return take_next_path(warp)


@inline
def leave(warp, lanes):
    """EXIT of some lanes; False when the warp has nothing left to run."""
    warp[ALIVE] &= lanes ^ FULL
    warp[MASK] &= lanes ^ FULL
    if warp[MASK]:
        warp[PC] += 1
        return True
    return take_next_path(warp)


@inline
def start(warp, preds, lanes):
    """A fresh warp with its first ``lanes`` lanes active."""
    mask = (np.int64(1) << lanes) - 1
    warp[PC] = 0
    warp[MASK] = mask
    warp[ALIVE] = mask
    warp[N_SPLIT] = 0
    for b in range(6):
        warp[BOARD + b] = 0
    for b in range(N_MEETINGS):
        warp[MEET_HERE + b] = 0
        warp[MEET_MASK + b] = 0
    for p in range(len(preds)):
        preds[p] = np.uint32(FULL) if p == 7 or p == 15 else np.uint32(0)
