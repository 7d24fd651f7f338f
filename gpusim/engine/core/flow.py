"""Control flow of a warp: branches, divergence and reconvergence, leaving."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import predicate
from gpusim.engine.compiling.bits import first_lane, popcount
from gpusim.engine.compiling.jit import cold, inline
from gpusim.engine.core.paths import (
    FULL,
    NOTHING,
    await_less,
    join,
    let_longest_go,
    now_awaits,
    set_aside,
    set_last,
    take_next_path,
    take_ready,
    waiting_at,
    wake_yielded,
)
from gpusim.engine.state import counts as C
from gpusim.engine.state import fields as I
from gpusim.engine.state.columns import (
    ALIVE,
    AWAITS,
    BOARD,
    CAME_LANES,
    COPIED,
    GIVEN_BACK,
    LANES,
    MASK,
    MAX_SPLITS,
    MEET_AT,
    MEET_MASK,
    MULTIPLIED,
    N_GROUPS,
    N_MEETINGS,
    N_PRODUCT_GROUPS,
    N_SCOREBOARDS,
    N_SPLIT,
    PC,
    SPINS,
)  # fmt: skip

SPUN, SPUN_LONG = 4096, 1 << 20
"""Backward branches after which a path without a YIELD lets the warp's others run, as it may spin for one of them; and
beyond which even lanes that wait at a convergence barrier go on."""
NO_ROOM, NOWHERE, STUCK = -1, -2, -3


@inline
def where_true(preds, c, on, count):
    """Lanes in which p0 of a jump or an EXIT holds besides its guard; the others do not count as executing it."""
    lanes = np.uint32(on & predicate(preds, c[I.P0]))
    count[C.THREAD_ON] -= 0 if lanes == on else popcount(on ^ lanes)
    return lanes


@inline
def branch(warp, target, taken):
    """BRA; returns 1 where the warp split, 0 where it did not, NO_ROOM."""
    if warp[MASK] & (taken ^ FULL) == 0 and target <= warp[PC] and warp[MASK] != warp[ALIVE]:
        warp[SPINS] += 1
        if warp[SPINS] >= SPUN:
            return let_others_run(warp, target)
    return part(warp, target, taken)


@inline
def part(warp, target, taken):
    """Some of the lanes that run go to ``target``, the others on: the fewer first; returns as :func:`branch`.

    Where that is the next instruction all go on together: an H100 executes it once.
    """
    rest = warp[MASK] & (taken ^ FULL)
    if taken == 0:
        warp[PC] += 1
        return 0
    if rest == 0 or target == warp[PC] + 1:
        warp[PC] = target
        return 0
    after, few = warp[PC] + 1, popcount(taken) < popcount(rest)
    if not (set_aside(warp, after, rest) if few else set_aside(warp, target, taken)):
        return NO_ROOM
    warp[PC], warp[MASK] = (target, taken) if few else (after, rest)
    return 1


@cold
def let_others_run(warp, pc):
    """A path that may spin goes on at ``pc``, but others of the warp first; returns 0 as :func:`branch`."""
    n, mask = warp[N_SPLIT], warp[MASK]
    warp[PC] = pc
    if n >= MAX_SPLITS:
        return 0
    set_last(warp, pc, mask, NOTHING)
    take_next_path(warp)
    if warp[MASK] != mask:
        warp[SPINS] = 0
    elif warp[SPINS] >= SPUN_LONG:
        let_longest_go(warp)
    return 0


@cold
def jump(warp, to, offset, place, on):
    """BRX, RET, CALL by register: lanes ``on`` go where their byte address in ``to`` says, together where they agree.

    Returns
    -------
    int
        Whether the warp split (1 or 0), NO_ROOM or NOWHERE.
    """
    rest = warp[MASK] & (on ^ FULL)
    after, paths = warp[PC] + 1, 0
    if rest and not set_aside(warp, after, rest):
        return NO_ROOM
    while on:
        first = first_lane(on)
        address = (np.int64(to[first]) + offset) & FULL
        target = address >> 4
        if (
            address == 0 or target >= len(place) or address & 15
        ):  # 0: a null pointer, no way back into the kernel's start
            return NOWHERE
        lanes = with_equal(to, on, first)
        on ^= lanes
        paths += 1
        if not set_aside(warp, place[target], lanes):
            return NO_ROOM
    take_next_path(warp)
    return np.int64(paths + (rest != 0) > 1)


@cold
def sync_lanes(warp, masks, exclusive):
    """WARPSYNC: each lane that runs waits for those of its own mask; 0 of a mask stands for all lanes.

    Lanes whose masks are complete go on together; with ``exclusive`` those of one mask alone, and those of the others
    when they meet or leave.

    Returns
    -------
    int
        0, NO_ROOM, or STUCK when nothing of the warp can run.
    """
    after, left, ready = warp[PC] + 1, warp[MASK], np.int64(0)
    while left:
        first = first_lane(left)
        lanes = with_equal(masks, left, first)
        left ^= lanes
        awaited = named(np.int64(masks[first]))
        complete = are_among(awaited, warp[MASK], warp[ALIVE])
        if complete and (lanes == warp[MASK] or not exclusive):
            ready |= lanes
            continue
        if not set_aside(warp, after, lanes, np.int64(NOTHING) if complete else awaited):
            return NO_ROOM
    if ready:
        warp[PC], warp[MASK] = after, ready
        return 0
    return 0 if take_next_path(warp) else STUCK


@inline
def named(mask):
    """Lanes of a mask that an instruction waits for or looks at: all where it is 0."""
    return mask if mask else np.int64(FULL)


@inline
def are_among(awaited, lanes, alive):
    """Whether all lanes that are waited for and alive are among ``lanes``."""
    return awaited & alive & (lanes ^ np.int64(FULL)) == 0


@inline
def with_equal(values, lanes, one):
    """Those of ``lanes`` that have the value that lane ``one`` has."""
    found = np.int64(0)
    for lane in range(LANES):
        found |= (lanes & (np.int64(1) << lane)) * (values[lane] == values[one])
    return found


@inline
def break_off(warp, b, lanes):
    """BREAK: these lanes will not come to convergence barrier ``b``; who waits there waits for the rest."""
    await_less(warp, b, lanes)
    warp[PC] += 1


@inline
def open_meeting(warp, b):
    """BSSY: the lanes now active are to meet at barrier ``b``, with those from this BSSY that have not yet."""
    before = warp[MEET_MASK + b] if warp[MEET_AT + b] == warp[PC] else np.int64(0)
    now_awaits(warp, b, before | warp[MASK])
    warp[MEET_AT + b] = warp[PC]
    warp[PC] += 1


@inline
def meet(warp, b):
    """BSYNC: wait for the others; False when nothing else of the warp can run.

    Lanes that it does not wait for (they broke off) go on, and so do those whose others have all yielded.
    """
    named_lanes = warp[MEET_MASK + b]
    if warp[MASK] & named_lanes == 0 or warp[MASK] == named_lanes & warp[ALIVE]:
        await_less(warp, b, warp[MASK])
        warp[PC] += 1
        return True
    after, awaited = warp[PC] + 1, waiting_at(warp, b)
    if not set_aside(warp, after, warp[MASK], awaited):
        return False
    if take_ready(warp):
        return True
    if not wake_yielded(warp):
        return False
    warp[PC], warp[MASK] = after, join(warp, after, awaited) & warp[ALIVE]
    warp[MEET_MASK + b] = 0
    return True


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
    warp[N_SPLIT], warp[SPINS], warp[COPIED], warp[N_GROUPS] = 0, 0, 0, 0
    warp[MULTIPLIED], warp[N_PRODUCT_GROUPS], warp[GIVEN_BACK] = 0, 0, 0
    warp[AWAITS], warp[CAME_LANES] = 0, 0
    for b in range(N_SCOREBOARDS):
        warp[BOARD + b] = 0
    for b in range(N_MEETINGS):
        warp[MEET_MASK + b] = 0
    for p in range(len(preds)):
        preds[p] = np.uint32(FULL) if p == 7 or p == 15 else np.uint32(0)
