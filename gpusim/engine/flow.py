"""Control flow of a warp: branches, divergence and reconvergence, leaving.

A warp runs one path, ``(pc, mask)``; others are set aside on a stack, some of them
waiting for lanes to come to a WARPSYNC or to a convergence barrier (BSSY names the
lanes, BSYNC lets them meet).  What a path waits for is the mask of the lanes and,
above it, the number of the barrier plus one: lanes that meet at one barrier on
different levels of a recursion wait for different ones.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine import counts as C
from gpusim.engine import fields as I
from gpusim.engine.bits import first_lane, popcount
from gpusim.engine.jit import inline, jit
from gpusim.engine.operands import predicate
from gpusim.engine.state import (
    ALIVE,
    BOARD,
    COPIED,
    LANES,
    MASK,
    MAX_SPLITS,
    MEET_AT,
    MEET_MASK,
    N_GROUPS,
    N_MEETINGS,
    N_SPLIT,
    PC,
    SPINS,
    SPLIT_MASK,
    SPLIT_PC,
    SPLIT_WAIT,
)  # fmt: skip

FULL = 0xFFFFFFFF
SPUN, SPUN_LONG = 4096, 1 << 20
"""Backward branches after which a path without a YIELD lets the warp's others run, as it may spin for one of them; and
beyond which even lanes that wait at a convergence barrier go on."""
YIELDED = -1
"""What a path waits for that has met a YIELD: that the others have had their turn."""
NO_ROOM, NOWHERE, STUCK = -1, -2, -3


@inline
def set_aside(warp, pc, mask):
    """Keep a path for later; False when there is no room."""
    n = warp[N_SPLIT]
    if n >= MAX_SPLITS:
        return False
    warp[SPLIT_PC + n] = pc
    warp[SPLIT_MASK + n] = mask
    warp[SPLIT_WAIT + n] = 0
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


@jit
def all_there(warp, awaited):
    """Whether every lane that is waited for and alive waits as well."""
    missing = awaited & FULL & warp[ALIVE]
    for n in range(warp[N_SPLIT]):
        if warp[SPLIT_WAIT + n] == awaited:
            missing &= warp[SPLIT_MASK + n] ^ FULL
    return missing == 0


@jit
def join(warp, pc, awaited):
    """Lanes of the paths that waited for ``awaited`` at ``pc``; those that did elsewhere can run from now on."""
    lanes = np.int64(0)
    for n in range(warp[N_SPLIT] - 1, -1, -1):
        if warp[SPLIT_WAIT + n] != awaited:
            continue
        warp[SPLIT_WAIT + n] = 0
        if warp[SPLIT_PC + n] == pc:
            lanes |= warp[SPLIT_MASK + n]
            drop(warp, n)
    return lanes


@jit
def take_next_path(warp):
    """Go on with another path of the warp, one that has yielded if there is no other; False when none can run."""
    return take_ready(warp) or (wake_yielded(warp) and take_ready(warp))


@jit
def take_ready(warp):
    """Go on with the latest path that waits for nothing, or for lanes that have come; False when there is none."""
    for n in range(warp[N_SPLIT] - 1, -1, -1):
        pc, mask, awaited = warp[SPLIT_PC + n], warp[SPLIT_MASK + n] & warp[ALIVE], warp[SPLIT_WAIT + n]
        if mask == 0:
            drop(warp, n)
        elif awaited == 0:
            drop(warp, n)
            warp[PC], warp[MASK] = pc, mask | join_ready(warp, pc)
            return True
        elif awaited != YIELDED and all_there(warp, awaited):
            warp[PC], warp[MASK] = pc, join(warp, pc, awaited) & warp[ALIVE]
            if awaited > FULL:
                await_less(warp, (awaited >> 32) - 1, warp[MASK])
            return True
    return False


@jit
def join_ready(warp, pc):
    """Lanes of the paths at ``pc`` that wait for nothing or have yielded, which come along with one that goes on."""
    lanes = np.int64(0)
    for n in range(warp[N_SPLIT] - 1, -1, -1):
        if warp[SPLIT_PC + n] == pc and (warp[SPLIT_WAIT + n] == 0 or warp[SPLIT_WAIT + n] == YIELDED):
            lanes |= warp[SPLIT_MASK + n]
            drop(warp, n)
    return lanes & warp[ALIVE]


@jit
def wake_yielded(warp):
    """All paths that have yielded are ready again, each after those before it; False when there is none."""
    woken = False
    for n in range(warp[N_SPLIT]):
        if warp[SPLIT_WAIT + n] == YIELDED:
            pc, mask = warp[SPLIT_PC + n], warp[SPLIT_MASK + n]
            drop(warp, n)
            set_last(warp, pc, mask)
            woken = True
    return woken


@jit
def set_last(warp, pc, mask):
    """Keep a path for when no other can run."""
    n = warp[N_SPLIT]
    for k in range(n, 0, -1):
        warp[SPLIT_PC + k] = warp[SPLIT_PC + k - 1]
        warp[SPLIT_MASK + k] = warp[SPLIT_MASK + k - 1]
        warp[SPLIT_WAIT + k] = warp[SPLIT_WAIT + k - 1]
    warp[SPLIT_PC], warp[SPLIT_MASK], warp[SPLIT_WAIT] = pc, mask, 0
    warp[N_SPLIT] = n + 1


@jit
def give_way(warp):
    """YIELD: the warp's other paths go first; where all of them wait, those that have waited longest do so no more."""
    n = warp[N_SPLIT]
    warp[PC], warp[SPINS] = warp[PC] + 1, 0
    if n == 0 or not set_aside(warp, warp[PC], warp[MASK]):
        return
    warp[SPLIT_WAIT + n] = YIELDED
    if not take_ready(warp):
        let_longest_go(warp)
        take_next_path(warp)


@jit
def let_longest_go(warp):
    """Lanes that wait at the convergence barrier where one waits longest go on by another BSYNC.

    None of them does while another path than the latest has yielded.
    """
    latest = warp[N_SPLIT] - 1
    for n in range(latest):
        if warp[SPLIT_WAIT + n] == YIELDED:
            return
    for n in range(latest):
        awaited = warp[SPLIT_WAIT + n]
        if awaited > FULL and waiting_at(warp, (awaited >> 32) - 1) == awaited:
            return let_go(warp, awaited)


@jit
def let_go(warp, awaited):
    """Lanes that wait for ``awaited`` at a convergence barrier execute its BSYNC again, and nobody waits there."""
    for n in range(warp[N_SPLIT]):
        if warp[SPLIT_WAIT + n] == awaited:
            warp[SPLIT_WAIT + n] = 0
            warp[SPLIT_PC + n] -= 1
    warp[MEET_MASK + (awaited >> 32) - 1] = 0


@inline
def where_true(preds, c, on, count):
    """Lanes in which p0 of a jump or an EXIT holds besides its guard; the others do not count as executing it."""
    lanes = on & predicate(preds, c[I.P0])
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
    """Some of the lanes that run go to ``target``, the others on: the fewer first; returns as :func:`branch`."""
    rest = warp[MASK] & (taken ^ FULL)
    if taken == 0:
        warp[PC] += 1
        return 0
    if rest == 0:
        warp[PC] = target
        return 0
    after, few = warp[PC] + 1, popcount(taken) < popcount(rest)
    if not (set_aside(warp, after, rest) if few else set_aside(warp, target, taken)):
        return NO_ROOM
    warp[PC], warp[MASK] = (target, taken) if few else (after, rest)
    return 1


@jit
def let_others_run(warp, pc):
    """A path that may spin goes on at ``pc``, but others of the warp first; returns 0 as :func:`branch`."""
    n, mask = warp[N_SPLIT], warp[MASK]
    warp[PC] = pc
    if n >= MAX_SPLITS:
        return 0
    set_last(warp, pc, mask)
    take_next_path(warp)
    if warp[MASK] != mask:
        warp[SPINS] = 0
    elif warp[SPINS] >= SPUN_LONG:
        let_waiting_go(warp)
    return 0


@jit
def let_waiting_go(warp):
    """Lanes that wait at a convergence barrier no longer do; the path that runs comes after them.

    But for those whose barrier a function has saved, as a recursion does: what is restored would still name them.
    """
    for n in range(warp[N_SPLIT] - 1, -1, -1):
        pc, awaited = warp[SPLIT_PC + n], warp[SPLIT_WAIT + n]
        if awaited > FULL and warp[MEET_MASK + (awaited >> 32) - 1] == awaited & FULL:
            here = join(warp, pc, awaited)
            set_aside(warp, warp[PC], warp[MASK])
            warp[PC], warp[MASK] = pc, here & warp[ALIVE]
            warp[MEET_MASK + (awaited >> 32) - 1] &= here ^ FULL
            warp[SPINS] = 0
            return


@jit
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
        if target >= len(place) or address & 15:
            return NOWHERE
        lanes = with_equal(to, on, first)
        on ^= lanes
        paths += 1
        if not set_aside(warp, place[target], lanes):
            return NO_ROOM
    take_next_path(warp)
    return np.int64(paths + (rest != 0) > 1)


@jit
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
        if not set_aside(warp, after, lanes):
            return NO_ROOM
        warp[SPLIT_WAIT + warp[N_SPLIT] - 1] = np.int64(0) if complete else awaited
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
    """BSSY: the lanes now active are to meet at barrier ``b``, with those that came to this BSSY before and have not."""
    before = warp[MEET_MASK + b] if warp[MEET_AT + b] == warp[PC] else np.int64(0)
    now_awaits(warp, b, before | warp[MASK])
    warp[MEET_AT + b] = warp[PC]
    warp[PC] += 1


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


@inline
def meet(warp, b):
    """BSYNC: wait for the others; False when nothing else of the warp can run.

    Lanes that it does not wait for (they broke off) go on, and so do those whose others have all yielded.
    """
    awaited = warp[MEET_MASK + b]
    if warp[MASK] & awaited == 0 or warp[MASK] == awaited & warp[ALIVE]:
        await_less(warp, b, warp[MASK])
        warp[PC] += 1
        return True
    after, awaited = warp[PC] + 1, waiting_at(warp, b)
    if not set_aside(warp, after, warp[MASK]):
        return False
    warp[SPLIT_WAIT + warp[N_SPLIT] - 1] = awaited
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
    for b in range(6):
        warp[BOARD + b] = 0
    for b in range(N_MEETINGS):
        warp[MEET_MASK + b] = 0
    for p in range(len(preds)):
        preds[p] = np.uint32(FULL) if p == 7 or p == 15 else np.uint32(0)
