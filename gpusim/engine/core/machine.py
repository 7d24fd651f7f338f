"""The machine: hands out blocks, lets the SM that is furthest behind go on, stops when all is done.

SMs are kept in a tournament tree by the tick at which each next has something to
do.  The one furthest behind goes on for as long as no other can affect it; a step
lets one of its warps run until it must wait.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import typeof

from gpusim.engine.compiling.jit import cold, compile_whole, inline, jit, spliced, whole
from gpusim.engine.compiling.lane_moves import SIXTEEN, least, load_sixteen, numbers
from gpusim.engine.compiling.lanes import pointer, select
from gpusim.engine.core.barriers import after_exit, clear, enter, is_full, release, stuck
from gpusim.engine.core.block_queue import any_left, take_block
from gpusim.engine.core.flow import start
from gpusim.engine.core.free_slots import TICK_OF, add_free_slot, handout_tick, take_free_slot
from gpusim.engine.core.host_prefetch import PREFETCH_STEPS, prefetch_awake, prefetch_registers, prefetch_timed
from gpusim.engine.core.instruction_fetch import stagger_first_code
from gpusim.engine.core.issue import begin, earliest, issue, pick, wake
from gpusim.engine.core.out_of_line import helper
from gpusim.engine.core.scheduler_entries import rouse, warp_of
from gpusim.engine.core.tournament import tree_first, tree_set
from gpusim.engine.core.warp import run
from gpusim.engine.hierarchy.servers import ENDED, STARTERS, serve
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state.arrays import Machine
from gpusim.engine.state.columns import (
    AHEAD,
    AT_BARRIER,
    AT_BLOCK_BARRIER,
    B_ALIVE,
    BAR_NUMBER,
    BLOCK_X,
    BLOCK_Y,
    BLOCK_Z,
    DISPATCHED,
    DONE,
    END,
    FAILED,
    FINISHED,
    FINISHED_BLOCKS,
    FIRST_AT,
    FREE_AT,
    GPC,
    GRID_X,
    GRID_Y,
    HANDED,
    ID,
    IN_TURN,
    KIND,
    LANES,
    LAST_END,
    LAUNCH,
    LIMIT,
    N_BARRIERS,
    N_SCHEDULERS,
    N_STRETCH,
    NEVER,
    NEXT,
    NOW,
    PAUSED,
    PC,
    PHASE,
    READY,
    READY_AT,
    REFILL_DELAY,
    RESIDENT,
    SLOT,
    SLOTS,
    START_GAP,
    STARTED,
    STATE,
    STEPS,
    TICKS,
    TIMED,
    TIMELESS,
    TRY_AT,
    TURNOVER,
    WAITING,
    WARP_APART,
    WARP_TICKS,
    WARPS,
    X,
    Y,
    Z,
)
from gpusim.engine.state.faults import fail
from gpusim.engine.state.reference import machine_of, table
from gpusim.engine.state.ticks import CYCLE, next_cycle


@jit
def place(m, slot, number, kind, age, t):
    """Start block ``number`` in ``slot``."""
    block, shape = m.blocks[slot], m.shape
    block[ID], block[KIND], m.ages[slot] = number, kind, age
    block[X] = number % shape[GRID_X]
    block[Y] = number // shape[GRID_X] % shape[GRID_Y]
    block[Z] = number // (shape[GRID_X] * shape[GRID_Y])
    block[B_ALIVE], block[PHASE], block[WAITING] = shape[WARPS], 0, 0
    for b in range(N_BARRIERS):
        clear(block, b)
    for k in range(m.touched.shape[1]):
        m.touched[slot, k, 0] = 0
        m.touched[slot, k, 1] = 0
    threads = shape[BLOCK_X] * shape[BLOCK_Y] * shape[BLOCK_Z]
    for k in range(shape[WARPS]):
        w = slot * shape[WARPS] + k
        start(m.warps[w], m.preds[w], min(LANES, threads - k * LANES))
        m.warps[w, STATE] = READY
        if shape[TIMED]:
            begin(m, w, slot, age, t + k * m.rates[WARP_APART])
        else:
            m.awake[w] = t
    block[STARTED] = t
    m.sms[slot // shape[SLOTS], RESIDENT] += shape[WARPS]
    m.counts[kind, C.BLOCKS] += 1
    m.counts[kind, C.WARPS] += shape[WARPS]


@inline
def first_up(m, slot):
    """Warp of a block that can run first, the highest of several, and when; -1 and NEVER if none can."""
    n, first, warp, tick = m.shape[WARPS], slot * m.shape[WARPS], np.int64(-1), NEVER
    for k in range(0, n, SIXTEEN):
        awake = load_sixteen(pointer(m.awake), first + k)
        awake = select(numbers(awake) < n - k, awake, NEVER)
        soonest = least(awake)
        if soonest <= tick and soonest < NEVER:
            warp, tick = first + k - least(select(awake == soonest, -numbers(awake), 0)), soonest
    return warp, tick


@inline
def choose(m, sm):
    """Warp of ``sm`` to run next: of those ready one of the oldest block, else the first to be ready.

    Where the schedulers and their units hold warps up, not the load/store pipe, they go in the order in which they were
    ready: who has a scheduler keeps it as long as it can, so older blocks are not much ahead.  Inside a block the one
    that has waited longest goes first, so that its warps stay together; among equals the higher one, as measured.

    Returns
    -------
    warp : int
        -1 when none waits for anything but a barrier.
    tick : int
        When it can run.
    """
    slots, now, in_turn = m.shape[SLOTS], m.sms[sm, NOW], m.sms[sm, IN_TURN]
    best, tick, best_age, ready, since = np.int64(-1), NEVER, NEVER, False, NEVER
    for slot in range(sm * slots, (sm + 1) * slots):
        age = m.ages[slot]
        if age == NEVER or (ready and not in_turn and age > best_age):
            continue
        first, soonest = first_up(m, slot)
        if soonest <= now:
            if not in_turn or soonest < since or (soonest == since and age < best_age):
                best, tick, best_age, ready, since = first, now, age, True, soonest
        elif not ready and (soonest < tick or (soonest == tick and age < best_age)):
            best, tick, best_age = first, soonest, age
    return best, tick


@inline
def runner_up(m, sm, w):
    """Warp of ``sm`` that would run if ``w`` were not there, or ``w``."""
    awake = m.awake[w]
    m.awake[w] = NEVER
    other, _ = choose(m, sm)
    m.awake[w] = awake
    return other if other >= 0 else w


@spliced
def settle(m, why, w, slot):
    """Book what a warp's stop means for its block; True when the block is done."""
    block = m.blocks[slot]
    if why == AT_BLOCK_BARRIER:
        b = m.warps[w, BAR_NUMBER]
        m.warps[w, STATE] = AT_BARRIER
        enter(m, slot, b, m.awake[w])
        rouse(m, w, NEVER)
        if is_full(block, b):
            release(m, slot, b)
    elif why == FINISHED:
        m.warps[w, STATE] = DONE
        block[B_ALIVE] -= 1
        end = m.awake[w]
        rouse(m, w, NEVER)
        if block[B_ALIVE] == 0:
            return True
        if block[WAITING]:
            after_exit(m, slot, end)
    return False


@jit
def hand_out(m, slot, queue, t):
    """Start the next block of the queue in ``slot``, and note in the tree when its SM next has something to do."""
    number, kind, age = take_block(m, queue)
    place(m, slot, number, kind, age, t)
    sm = slot // m.shape[SLOTS]
    own = m.sms[sm]
    if m.shape[TIMED]:
        wake(m, sm, t)
        _, tick = earliest(own)
    else:
        own[NEXT], tick = choose(m, sm)
    tree_set(m.tree, len(m.tree) // 2, sm, tick)


@inline
def launch_time(m, sm, t):
    """When a block starts on an SM that has room for it from tick ``t`` on; each GPC starts its own."""
    t = max(t, m.sms[sm, FREE_AT])
    if not m.shape[TIMELESS]:
        t = serve(m.servers, STARTERS, m.sms[sm, GPC], t, m.rates[LAUNCH])
    m.sms[sm, FREE_AT] = t + m.rates[START_GAP]
    return t


@cold
def first_wave(m, queue):
    """Fill the machine in the order in which the hardware hands blocks out."""
    slots = m.shape[SLOTS]
    for sm in m.order:
        if not any_left(m, queue):
            break
        slot = sm * slots
        while m.blocks[slot, ID] >= 0:
            slot += 1
        t = launch_time(m, sm, np.int64(0))
        if slot == sm * slots:
            m.sms[sm, FIRST_AT] = t
        hand_out(m, slot, queue, t)
    if m.shape[TIMED]:
        stagger_first_code(m)


@inline
def remove(m, slot, end):
    """A block is done: another one may have its place, once the GPU, which takes them one by one, has heard of it."""
    if not m.shape[TIMELESS]:
        end = serve(m.servers, ENDED, 0, end, m.rates[LAUNCH])
    m.misc[FINISHED_BLOCKS] += 1
    m.misc[END] = max(m.misc[END], end)
    m.blocks[slot, ID], m.ages[slot] = -1, NEVER
    m.sms[slot // m.shape[SLOTS], RESIDENT] -= m.shape[WARPS]
    add_free_slot(m.free_slots, handout_tick(m, slot // m.shape[SLOTS], end + m.blocks[slot, REFILL_DELAY]), slot)
    m.blocks[slot, REFILL_DELAY] = 0


@spliced
def refill(m, queue):
    """Put blocks that are left in the places that are given one by now."""
    while m.free_slots[0, 0] and any_left(m, queue) and m.free_slots[1, TICK_OF] <= m.tree[1]:
        given = m.free_slots[1, TICK_OF]
        slot = take_free_slot(m.free_slots)
        sm = slot // m.shape[SLOTS]
        t = launch_time(m, sm, given + m.rates[TURNOVER])
        hand_out(m, slot, queue, t)


def driver(m: Machine, queue: np.ndarray) -> Callable[[int], bool]:
    """What runs up to so many steps of a machine, in each of which one warp issues or runs until it waits.

    Parameters
    ----------
    m : Machine
        Must outlive what is returned.
    queue : int64 array, shape (stretches, N_STRETCH)
        Blocks in launch order, as :mod:`gpusim.engine.core.block_queue` has them.

    Returns
    -------
    callable
        Takes the number of steps; returns whether everything is done (or failed: see ``m.misc[E_CODE]``).
    """
    words, out_of_line, run_on = table(m), helper(m.code), whole(advance)
    return lambda steps: bool(run_on(words, queue, steps, out_of_line))


def load(code: np.ndarray) -> None:
    """Compile what runs a program's code, or load it, before a machine runs."""
    words, queue = np.zeros(1, np.int64), np.zeros((1, N_STRETCH), np.int64)
    compile_whole(advance, tuple(typeof(x) for x in (words, queue, 1, helper(code))))


@spliced
def cycle(m, sm, scheduler, now, out_of_line):
    """Let a scheduler of an SM, its ``scheduler``-th, issue at tick ``now``; returns whether that failed."""
    own = m.sms[sm]
    row = m.schedulers[sm * m.shape[N_SCHEDULERS] + scheduler]
    entry, soon = pick(row, now)
    own[TRY_AT + scheduler] = next_cycle(soon)
    if entry >= 0:
        w = warp_of(m, sm, scheduler, entry)
        slot = m.turns[w, SLOT]
        why = issue(m, w, slot, sm, row, entry, now, out_of_line)
        again = next_cycle(row[READY_AT + entry]) if why == PAUSED else NEVER
        own[TRY_AT + scheduler] = max(row[DISPATCHED] & CYCLE, min(own[TRY_AT + scheduler], again))
        m.misc[STEPS] += 1
        if why != PAUSED:
            if why == FAILED:
                return True
            end = m.awake[w]
            if why == FINISHED:
                own[WARP_TICKS] += end - m.blocks[slot, STARTED]
                own[LAST_END] = max(own[LAST_END], end)
            if settle(m, why, w, slot):
                remove(m, slot, end)
            wake(m, sm, now + TICKS)
        elif m.misc[STEPS] > m.shape[LIMIT]:
            fail(m, E.TOO_LONG, m.warps[w, PC], 0, slot, 0, w)
            return True
    return False


@jit
def go_on(m, sm, until, out_of_line):
    """Let an SM issue up to some tick.

    Returns
    -------
    tick : int
        When it next has something to do.
    steps : int
    failed : bool
    """
    steps, failed, own = 0, False, m.sms[sm]
    scheduler, tick = earliest(own)
    while tick <= until and not failed:
        steps += 1
        failed = cycle(m, sm, scheduler, tick, out_of_line)
        scheduler, tick = earliest(own)
    return tick, steps, failed


@jit
def advance(words, queue, steps, out_of_line):
    """:func:`driver`, given the machine's table and what runs the program's instructions out of line."""
    m = machine_of(words)
    size = len(m.tree) // 2
    if m.misc[HANDED] == 0:
        first_wave(m, queue)
    while steps > 0:
        refill(m, queue)
        if m.tree[1] >= NEVER:
            if m.misc[FINISHED_BLOCKS] < m.misc[HANDED]:
                w = max(stuck(m), 0)
                fail(m, E.BARRIER_DEADLOCK, m.warps[w, PC] - 1, 0, w // m.shape[WARPS], m.warps[w, BAR_NUMBER], w)
            return True
        sm = tree_first(m.tree, size)
        tick = m.tree[size + sm]
        horizon = tick + m.rates[AHEAD]
        if m.shape[TIMED]:
            tree_set(m.tree, size, sm, horizon)
            after = tree_first(m.tree, size)
            for step in range(PREFETCH_STEPS):
                prefetch_timed(m, after, m.tree[size + after] + m.rates[AHEAD], step)
                until = horizon - m.rates[AHEAD] * (PREFETCH_STEPS - 1 - step) // PREFETCH_STEPS
                tick, taken, failed = go_on(m, sm, until, out_of_line)
                steps -= taken
                if failed:
                    return True
            tree_set(m.tree, size, sm, tick)
            continue
        if size > 1:
            tree_set(m.tree, size, sm, horizon)
            after = tree_first(m.tree, size)
            prefetch_awake(m, after, m.tree[size + after] + m.rates[AHEAD])
        while tick <= horizon:
            steps -= 1
            m.sms[sm, NOW] = max(m.sms[sm, NOW], tick)
            w = m.sms[sm, NEXT]
            slot = w // m.shape[WARPS]
            prefetch_registers(m, runner_up(m, sm, w))
            why = run(m, w, slot, sm, out_of_line)
            if why == FAILED or m.misc[STEPS] > m.shape[LIMIT]:
                fail(m, E.TOO_LONG, m.warps[w, PC], 0, slot, 0, w)
                return True
            end = m.awake[w]
            if settle(m, why, w, slot):
                remove(m, slot, end)
            m.sms[sm, NEXT], tick = choose(m, sm)
            tick = max(tick, m.sms[sm, NOW])
        tree_set(m.tree, size, sm, tick)
    return False
