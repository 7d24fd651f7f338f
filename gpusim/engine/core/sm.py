"""An SM goes through a window of time: warps issue, or run until they must wait, one after another."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at, guarded
from gpusim.engine.compiling.jit import inline, jit, spliced
from gpusim.engine.compiling.lane_moves import SIXTEEN, least, load_sixteen, numbers
from gpusim.engine.compiling.lanes import pointer, select
from gpusim.engine.core.barriers import after_exit, enter, is_full, release
from gpusim.engine.core.blocks import leave
from gpusim.engine.core.host_prefetch import prefetch_registers
from gpusim.engine.core.issue import earliest, issue, pick, wake
from gpusim.engine.core.scheduler_entries import rouse, warp_of
from gpusim.engine.core.warp import run
from gpusim.engine.hierarchy.outbox import has_room
from gpusim.engine.load_store.constants import must_seek
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import first_row, keep_fault
from gpusim.engine.state.ticks import CYCLE, next_cycle


@inline
def first_up(m, slot):
    """Warp of a block that can run first, the highest of several, and when; -1 and S.NEVER if none can."""
    n, first, warp, tick = m.shape[S.WARPS], slot * m.shape[S.WARPS], np.int64(-1), S.NEVER
    for k in range(0, n, SIXTEEN):
        awake = load_sixteen(pointer(m.awake), first + k)
        awake = select(numbers(awake) < n - k, awake, S.NEVER)
        soonest = least(awake)
        if soonest <= tick and soonest < S.NEVER:
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
    slots, now, in_turn = m.shape[S.SLOTS], m.sms[sm, S.NOW], m.sms[sm, S.IN_TURN]
    best, tick, best_age, ready, since = np.int64(-1), S.NEVER, S.NEVER, False, S.NEVER
    for slot in range(sm * slots, (sm + 1) * slots):
        age = m.ages[slot]
        if age == S.NEVER or (ready and not in_turn and age > best_age):
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
    m.awake[w] = S.NEVER
    other, _ = choose(m, sm)
    m.awake[w] = awake
    return other if other >= 0 else w


@spliced
def settle(m, why, w, slot):
    """Book what a warp's stop means for its block; True when the block is done."""
    block = m.blocks[slot]
    if why == S.AT_BLOCK_BARRIER:
        b = m.warps[w, S.BAR_NUMBER]
        m.warps[w, S.STATE] = S.AT_BARRIER
        enter(m, slot, b, m.awake[w])
        rouse(m, w, S.NEVER)
        if is_full(block, b):
            release(m, slot, b)
    elif why == S.SLEEPS:
        m.warps[w, S.STATE] = S.ASLEEP
        rouse(m, w, S.NEVER)
    elif why == S.FINISHED:
        m.warps[w, S.STATE] = S.DONE
        block[S.B_ALIVE] -= 1
        end = m.awake[w]
        rouse(m, w, S.NEVER)
        if block[S.B_ALIVE] == 0:
            return True
        if block[S.WAITING]:
            after_exit(m, slot, end)
    return False


@inline
def stands_still(m, w, sm, now):
    """Whether an SM stands still before the next instruction of a warp, until its GPC has given it constants."""
    index = m.warps[w, S.PC]
    c = m.code[index]
    if c[0] != I.LDC:
        return False
    on = guarded(np.uint32(m.warps[w, S.MASK]), m.preds[w], c[I.GUARD])
    return must_seek(m, c, m.regs[at(c[I.A], first_row(m, w))], sm, on, now)


@inline
def leaves_cluster(m, w, slot, sm, end, out_of_line):
    """A warp has left at tick ``end``: its cluster waits for it no more."""
    out_of_line(m, np.int64(S.LEAVE), np.int64(w), np.int64(slot), np.int64(sm), np.uint32(0), np.int64(end))


@spliced
def cycle(m, sm, scheduler, now, out_of_line):
    """Let a scheduler of an SM, its ``scheduler``-th, issue at tick ``now``; returns whether the SM cannot go on."""
    own = m.sms[sm]
    row = m.schedulers[sm * m.shape[S.N_SCHEDULERS] + scheduler]
    entry, soon = pick(row, now)
    if entry >= 0:
        w = warp_of(m, sm, scheduler, entry)
        if stands_still(m, w, sm, now):
            return True
    own[S.TRY_AT + scheduler] = next_cycle(soon)
    if entry >= 0:
        slot = m.turns[w, S.SLOT]
        why = issue(m, w, slot, sm, row, entry, now, out_of_line)
        own[S.SOUGHT_AT] = 0
        again = next_cycle(row[S.READY_AT + entry]) if why == S.PAUSED else S.NEVER
        own[S.TRY_AT + scheduler] = max(row[S.DISPATCHED] & CYCLE, min(own[S.TRY_AT + scheduler], again))
        m.misc[S.STEPS] += 1
        if why != S.PAUSED:
            if why == S.FAILED:
                return True
            end = m.awake[w]
            if why == S.FINISHED:
                own[S.WARP_TICKS] += end - m.blocks[slot, S.STARTED]
                own[S.LAST_END] = max(own[S.LAST_END], end)
                if m.shape[S.AMONG]:
                    leaves_cluster(m, w, slot, sm, end, out_of_line)
            if settle(m, why, w, slot):
                leave(m, slot, end)
            wake(m, sm, now + S.TICKS)
    return False


@jit
def issue_until(m, sm, until, out_of_line):
    """Let an SM issue up to some tick; returns when it next has something to do."""
    own, stopped = m.sms[sm], False
    scheduler, tick = earliest(own)
    while tick < until and not stopped and has_room(m, sm):
        stopped = cycle(m, sm, scheduler, tick, out_of_line)
        scheduler, tick = earliest(own)
    return tick


@jit
def run_until(m, sm, until, out_of_line):
    """Let warps of an SM run up to some tick, where pace alone is modelled; returns when one next can."""
    own = m.sms[sm]
    w, tick = choose(m, sm)
    tick = max(tick, own[S.NOW])
    while tick < until and has_room(m, sm):
        own[S.NOW] = max(own[S.NOW], tick)
        slot = w // m.shape[S.WARPS]
        prefetch_registers(m, runner_up(m, sm, w))
        why = run(m, w, slot, sm, out_of_line)
        if why == S.FAILED:
            break
        end = m.awake[w]
        if why == S.FINISHED and m.shape[S.AMONG]:
            leaves_cluster(m, w, slot, sm, end, out_of_line)
        if settle(m, why, w, slot):
            leave(m, slot, end)
        w, tick = choose(m, sm)
        tick = max(tick, own[S.NOW])
    return tick


@inline
def warps_go_on(m, sm, until, out_of_line):
    """Let the warps of an SM go on up to some tick; returns when one next can."""
    if m.shape[S.TIMED]:
        return issue_until(m, sm, until, out_of_line)
    return run_until(m, sm, until, out_of_line)


@inline
def copies_go_on(m, sm, t, out_of_line):
    """Complete the copies of an SM that are due by tick ``t``; returns when there is something to do next of them."""
    return out_of_line(m, np.int64(S.GO_ON), np.int64(0), np.int64(0), np.int64(sm), np.uint32(0), np.int64(t))


@jit
def go_through(m, sm, until, out_of_line):
    """Simulate an SM up to some tick; once it has failed it does nothing any more."""
    own, done = m.sms[sm], np.int64(S.NEVER)
    if own[S.COPIES]:
        done = copies_go_on(m, sm, np.int64(-1), out_of_line)
    comes = warps_go_on(m, sm, min(done, until), out_of_line)
    while done < until and comes >= done:
        done = copies_go_on(m, sm, done, out_of_line)
        comes = warps_go_on(m, sm, min(done, until), out_of_line)
    if own[S.COPIES]:
        comes = min(comes, copies_go_on(m, sm, np.int64(-1), out_of_line))
    own[S.COMES] = comes
    if keep_fault(m, sm):
        own[S.COMES] = S.NEVER
