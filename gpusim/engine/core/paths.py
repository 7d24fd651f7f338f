"""Paths of a warp: those set aside, what each waits for, and which runs next.

A warp runs one path, ``(pc, mask)``; others are set aside on a stack, some of them
waiting for lanes to come to a WARPSYNC or to a convergence barrier (BSSY names the
lanes, BSYNC lets them meet).  What a path waits for is the mask of the lanes and,
above it, the number of the barrier plus one: lanes that meet at one barrier on
different levels of a recursion wait for different ones.

The order is an H100's, where it is known: see ``calibration/data/spin_loops``.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.state.columns import (
    ALIVE,
    MASK,
    MAX_SPLITS,
    MEET_MASK,
    N_SPLIT,
    PC,
    SPINS,
    SPLIT_MASK,
    SPLIT_PC,
    SPLIT_WAIT,
)

FULL = 0xFFFFFFFF
NOTHING, YIELDED, FREED = 0, -1, -2
"""What a path waits for that can run; that has met a YIELD, for which the others' turn is first; and that can run again
after a YIELD, its own or another's.  Paths of the latter two that are at one place go on together."""


@inline
def set_aside(warp, pc, mask, awaited=NOTHING):
    """Keep a path for later, for when what it awaits is there; False when there is no room."""
    n = warp[N_SPLIT]
    if n >= MAX_SPLITS:
        return False
    warp[SPLIT_PC + n] = pc
    warp[SPLIT_MASK + n] = mask
    warp[SPLIT_WAIT + n] = awaited
    warp[N_SPLIT] = n + 1
    return True


@inline
def drop(warp, k):
    """Take path ``k`` off the stack."""
    for n in range(k + 1, warp[N_SPLIT]):
        warp[SPLIT_PC + n - 1] = warp[SPLIT_PC + n]
        warp[SPLIT_MASK + n - 1] = warp[SPLIT_MASK + n]
        warp[SPLIT_WAIT + n - 1] = warp[SPLIT_WAIT + n]
    warp[N_SPLIT] -= 1


@cold
def all_there(warp, awaited):
    """Whether every lane that is waited for and alive waits as well."""
    missing = awaited & FULL & warp[ALIVE]
    for n in range(warp[N_SPLIT]):
        if warp[SPLIT_WAIT + n] == awaited:
            missing &= warp[SPLIT_MASK + n] ^ FULL
    return missing == 0


@cold
def join(warp, pc, awaited):
    """Lanes of the paths that waited for ``awaited`` at ``pc``; those that did elsewhere can run from now on."""
    lanes = np.int64(0)
    for n in range(warp[N_SPLIT] - 1, -1, -1):
        if warp[SPLIT_WAIT + n] != awaited:
            continue
        warp[SPLIT_WAIT + n] = NOTHING
        if warp[SPLIT_PC + n] == pc:
            lanes |= warp[SPLIT_MASK + n]
            drop(warp, n)
    return lanes


@cold
def take_next_path(warp):
    """Go on with another path of the warp, one that has yielded if there is no other; False when none can run."""
    return take_ready(warp) or (wake_yielded(warp) and take_ready(warp))


@cold
def take_ready(warp):
    """Go on with the latest path that waits for nothing, or for lanes that have come; False when there is none."""
    for n in range(warp[N_SPLIT] - 1, -1, -1):
        pc, mask, awaited = warp[SPLIT_PC + n], warp[SPLIT_MASK + n] & warp[ALIVE], warp[SPLIT_WAIT + n]
        if mask == 0:
            drop(warp, n)
        elif awaited in (NOTHING, FREED):
            drop(warp, n)
            warp[PC], warp[MASK] = pc, mask | join_others(warp, pc)
            return True
        elif awaited != YIELDED and all_there(warp, awaited):
            warp[PC], warp[MASK] = pc, join(warp, pc, awaited) & warp[ALIVE]
            if awaited > FULL:
                await_less(warp, (awaited >> 32) - 1, warp[MASK])
            return True
    return False


@cold
def join_others(warp, pc):
    """Lanes of the paths at ``pc`` that have yielded or are freed, which come along with one that goes on there."""
    lanes = np.int64(0)
    for n in range(warp[N_SPLIT] - 1, -1, -1):
        if warp[SPLIT_PC + n] == pc and warp[SPLIT_WAIT + n] < 0:
            lanes |= warp[SPLIT_MASK + n]
            drop(warp, n)
    return lanes & warp[ALIVE]


@cold
def wake_yielded(warp):
    """All paths that have yielded are ready again, each after those before it; False when there is none."""
    woken = False
    for n in range(warp[N_SPLIT]):
        if warp[SPLIT_WAIT + n] == YIELDED:
            pc, mask = warp[SPLIT_PC + n], warp[SPLIT_MASK + n]
            drop(warp, n)
            set_last(warp, pc, mask, FREED)
            woken = True
    return woken


@cold
def set_last(warp, pc, mask, awaited):
    """Keep a path that can run for when no other can run."""
    n = warp[N_SPLIT]
    for k in range(n, 0, -1):
        warp[SPLIT_PC + k] = warp[SPLIT_PC + k - 1]
        warp[SPLIT_MASK + k] = warp[SPLIT_MASK + k - 1]
        warp[SPLIT_WAIT + k] = warp[SPLIT_WAIT + k - 1]
    warp[SPLIT_PC], warp[SPLIT_MASK], warp[SPLIT_WAIT] = pc, mask, awaited
    warp[N_SPLIT] = n + 1


@cold
def give_way(warp):
    """YIELD: the warp's other paths go first; where all of them wait, those that have waited longest do so no more."""
    warp[PC], warp[SPINS] = warp[PC] + 1, 0
    if warp[N_SPLIT] == 0 or not set_aside(warp, warp[PC], warp[MASK], YIELDED):
        return
    if not take_ready(warp):
        if n_yielded(warp) == 1:
            let_longest_go(warp)
        take_next_path(warp)


@cold
def n_yielded(warp):
    """Paths that have yielded."""
    n = 0
    for k in range(warp[N_SPLIT]):
        n += warp[SPLIT_WAIT + k] == YIELDED
    return n


@cold
def let_longest_go(warp):
    """Lanes at the convergence barrier where one waits longest execute its BSYNC again, and nobody is waited for there.

    But for a barrier that a function has saved, as a recursion does: what is restored would still name them.
    """
    for n in range(warp[N_SPLIT]):
        awaited = warp[SPLIT_WAIT + n]
        b = (awaited >> 32) - 1
        if awaited > FULL and waiting_at(warp, b) == awaited:
            let_go(warp, awaited)
            warp[MEET_MASK + b] = 0
            return


@cold
def let_go(warp, awaited):
    """Those that wait for ``awaited`` are ready to execute again what they wait at."""
    for n in range(warp[N_SPLIT]):
        if warp[SPLIT_WAIT + n] == awaited:
            warp[SPLIT_WAIT + n] = FREED
            warp[SPLIT_PC + n] -= 1


@inline
def await_less(warp, b, lanes):
    """Nobody waits for ``lanes`` at convergence barrier ``b`` any longer."""
    now_awaits(warp, b, warp[MEET_MASK + b] & (lanes ^ FULL))


@jit
def now_awaits(warp, b, mask):
    """Convergence barrier ``b`` waits for the lanes of ``mask`` from now on; so do those that wait there."""
    before = waiting_at(warp, b)
    warp[MEET_MASK + b] = mask
    for n in range(warp[N_SPLIT]):
        if warp[SPLIT_WAIT + n] == before:
            warp[SPLIT_WAIT + n] = waiting_at(warp, b)


@inline
def waiting_at(warp, b):
    """What a path at convergence barrier ``b`` waits for."""
    return (np.int64(b) + 1) << 32 | warp[MEET_MASK + b]
