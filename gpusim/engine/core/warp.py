"""A warp runs until it must wait: the interpreter of the instruction set."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.floating import finished, nearest
from gpusim.engine.alu.integer import multiply_add
from gpusim.engine.alu.operands import FULL, at, guarded, put, put_real, word
from gpusim.engine.alu.routines import call
from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline, jit, spliced
from gpusim.engine.compiling.lanes import pointer
from gpusim.engine.core.flow import branch, leave, meet, open_meeting, where_true
from gpusim.engine.core.lane_exchange import shuffle, vote
from gpusim.engine.core.paths import give_way
from gpusim.engine.core.special_registers import passes_data_stage, special
from gpusim.engine.hierarchy.constant_cache import line_at, line_of
from gpusim.engine.hierarchy.outbox import has_room, set_tick
from gpusim.engine.load_store.async_groups import groups_done
from gpusim.engine.load_store.constants import load_constant
from gpusim.engine.load_store.global_memory import load_global, store_global
from gpusim.engine.load_store.pipe import caught_up_at, lets_go_in, pass_through, take_pipe, take_special
from gpusim.engine.load_store.shared_memory import access_shared
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail, first_row

PATIENCE, LONGEST = 96 * S.TICKS, 512 * S.TICKS
"""How finely warps of an SM take turns where pace alone is modelled: a shorter wait for a scoreboard does not hand the
SM to another warp, and one that computes for as long as the second without waiting lets others look in."""
ROUNDS_FIELD = 4  # bits of a column ROUNDS that are part of a round


@inline
def count_instruction(c, mask, on, count):
    """An instruction, and those the counting image left out before it."""
    active = lanes_of(mask)
    skipped = np.int64(c[I.SKIP])
    count[C.INST] += 1 + skipped
    count[C.THREAD_INST] += active * (1 + skipped)
    count[C.THREAD_ON] += (active if on == mask else lanes_of(on)) + active * skipped


@inline
def lanes_of(mask):
    """Lanes in a mask, mostly all."""
    return np.int64(S.LANES) if mask == FULL else popcount(mask)


@spliced
def memory_instruction(m, c, index, w, block, sm, on, t, count):
    """Dispatch of the load/store pipe; returns the tick the result is there, or -1."""
    op = c[0]
    repeat = np.int64(c[I.REPEAT])
    if op == I.LDG:
        count[C.INST_LDG] += 1
        if on:
            return load_global(m, c, index, w, block, sm, on, t, count)
        count[C.SH_OTHER_WAVES] += 1
        return pass_through(m, sm, t, 1)
    if op == I.STG:
        count[C.INST_STG] += 1
        if on:
            return store_global(m, c, index, w, block, sm, on, t, count)
        count[C.SH_OTHER_WAVES] += 1
        return pass_through(m, sm, t, 1)
    if op == I.LDS or op == I.STS:
        if op == I.LDS:
            count[C.INST_LDS] += repeat
        else:
            count[C.INST_STS] += repeat
        count[C.INST] += repeat - 1
        count[C.THREAD_INST] += (repeat - 1) * popcount(m.warps[w, S.MASK])
        count[C.THREAD_ON] += (repeat - 1) * popcount(on)
        if on:
            return access_shared(m, c, op, index, w, block, sm, on, t, count)
        count[C.SH_OTHER_WAVES] += repeat
        return pass_through(m, sm, t, repeat)
    if op == I.SHFL:
        count[C.SH_OTHER_WAVES] += 1
        shuffle(c, m.regs, first_row(m, w), m.bits[0], m.preds[w], on)
        take_pipe(m, sm, t, S.TICKS, 1)
        return t + m.rates[S.SHUFFLE]
    if op == I.S2R:
        count[C.SH_OTHER_WAVES] += passes_data_stage(c[I.SUB])
        special(c[I.SUB], m.regs[at(c[I.DST], first_row(m, w))], m.shape, m.blocks[block], w, sm, on)
        return take_special(m, sm, t, 1) + m.rates[S.SHUFFLE]
    if op == I.LDC:
        load_constant(c, m.regs, first_row(m, w), on)
        begin = take_special(m, sm, t, 1)
        return line_at(m, sm, line_of(c[I.SUB], c[I.OFFSET]), begin) + m.rates[S.CONSTANT]
    if op != I.MEMBAR:
        fail(m, E.UNSUPPORTED, index, 0, block, op, w)
        return S.FAILURE
    count[C.SH_OTHER_WAVES] += c[I.SUB]
    return t


@spliced
def compute(m, c, op, w, on):
    """Everything that touches only registers; False if the engine does not know it.

    The commonest run right here.  An instruction of the uniform pipe acts once a warp: for all lanes alike, so
    that a uniform register holds the same in each.
    """
    if op == I.VOTE:
        vote(c, m.regs, first_row(m, w), m.preds[w], on, m.shape[S.UNIFORM])
        return True
    row, u, base, preds = pointer(c), pointer(m.regs), np.int64(first_row(m, w)), pointer(m.preds[w])
    acting = FULL if c[I.PIPE] == I.UNIFORM else on
    if (op == I.FFMA or op == I.FADD or op == I.FMUL) and not c[I.SUB]:
        put_real(row, u, base, finished(row, nearest(row, u, base)), acting)
    elif op == I.IMAD:
        multiply_add(row, u, base, preds, acting)
    elif op == I.MOV and c[I.WIDTH] != 8:
        put(row, u, base, word(row, u, base, 0), acting)
    else:
        routine = m.routines[op]
        if not routine:
            return False
        call(routine, row, u, base, preds, pointer(m.scratch), acting)
    return True


@spliced
def control(m, c, op, index, w, block, on, count):
    """Branches, convergence, leaving, the block's barrier; returns why to stop, or -1 to go on."""
    warp = m.warps[w]
    count[C.BRANCHES] += c[I.IS_BRANCH]
    if op == I.BRA:
        split = branch(warp, c[I.TARGET], np.int64(where_true(m.preds[w], c, on, count)))
        if split < 0:
            fail(m, E.SPLITS, index, 0, block, 0, w)
            return S.FAILED
        count[C.DIVERGED] += split
    elif op == I.BSSY:
        open_meeting(warp, c[I.SUB])
    elif op == I.BSYNC:
        if not meet(warp, c[I.SUB]):
            fail(m, E.DEADLOCK, index, 0, block, 0, w)
            return S.FAILED
    elif op == I.EXIT:
        if not leave(warp, np.int64(where_true(m.preds[w], c, on, count))):
            if warp[S.ALIVE]:
                fail(m, E.DEADLOCK, index, 0, block, 0, w)
                return S.FAILED
            return S.FINISHED
    elif op == I.BAR:
        warp[S.PC] += 1
        if on and np.int64(on) != warp[S.ALIVE]:
            fail(m, E.DIVERGENT_BARRIER, index, 0, block, 0, w)
            return S.FAILED
        warp[S.BAR_NUMBER], warp[S.BAR_MODE] = c[I.SUB], 0
        return S.AT_BLOCK_BARRIER if on and not m.shape[S.WITHOUT] & S.NO_BARRIERS else -1
    elif op == I.NOP:
        if c[I.SUB]:
            give_way(warp)
        else:
            warp[S.PC] += 1
    else:
        fail(m, E.PAST_END if op == I.END else E.UNSUPPORTED, index, 0, block, op, w)
        return S.FAILED
    return -1


@inline
def pending(warp, c):
    """Latest tick among what an instruction waits for: scoreboards, and groups of copies or products."""
    t, wait = np.int64(0), c[I.WAIT]
    for b in range(S.N_SCOREBOARDS):
        if (wait >> b) & 1:
            t = max(t, warp[S.BOARD + b])
    if wait & I.ASYNC:
        t = max(t, groups_done(warp, c))
    return t


@jit
def perform(m, c, index, w, block, sm, on, t, count, out_of_line):
    """Do what one instruction does, at tick ``t``.

    Returns
    -------
    int
        The tick its result is there (``t`` or less: as soon as its pipe has it); or WENT, if it has moved the warp on
        itself; or why the warp stops (-1 less the reason).
    """
    op, pipe = c[0], c[I.PIPE]
    if pipe == I.CONTROL:
        stop = control(m, c, op, index, w, block, on, count)
        return np.int64(S.WENT) if stop < 0 else np.int64(-1 - stop)
    if pipe == I.LSU:
        m.blocks[block, S.SENT] |= op != I.MEMBAR and op != I.LDC
        return memory_instruction(m, c, index, w, block, sm, on, t, count)
    if pipe >= I.CHECKED_PIPE:
        return out_of_line(m, index, np.int64(w), np.int64(block), np.int64(sm), np.uint32(on), np.int64(t))
    if on and not compute(m, c, op, w, on):
        fail(m, E.UNSUPPORTED, index, 0, block, op, w)
        return np.int64(S.FAILURE)
    return np.int64(0)


@inline
def shared_load_waits(m, own, c, waves):
    """What a warp waits for shared loads, one after another, in code that a counting image leaves out.

    N warps that each have the pipe for D cycles of a loop and spend Z elsewhere take N D at least (the asymptotic bound
    of a closed queue; Denning and Buzen, "The Operational Analysis of Queueing Network Models", Computing Surveys
    1978): what that is more than Z they wait in the queues, as long as these have room.  Z of such code is its own
    time and its share of what warps spend outside of it.

    Parameters
    ----------
    c : int32 array
        The last of the loads.
    waves : int
        Wavefronts of all of them.

    Returns
    -------
    alone, queued : int
        Ticks until the data is there, and those that loads wait besides.
    """
    alone = max((c[I.ROUNDS] * m.rates[S.SHARED] >> ROUNDS_FIELD) - c[I.OVERLAP] * S.TICKS, 0)
    own_time = alone + c[I.BESIDE] * S.TICKS
    own[S.WARPS_LOADED] += own_time
    elsewhere = np.int64(own_time * max(own[S.WARPS_RAN] / own[S.WARPS_LOADED], 1.0))
    room = c[I.ROUNDS] * lets_go_in(m, m.shape[S.MIO_DEPTH]) >> ROUNDS_FIELD
    return alone, min(max(own[S.RESIDENT] * waves * S.TICKS - elsewhere, 0), room)


@spliced
def run(m, w, block, sm, out_of_line):
    """Run warp ``w`` from where it stands until it must wait, or leaves.

    The SM's pipes are charged for what it issued; its own clock follows stall
    counts and scoreboards.  One function, however long: its clock and the pipes'
    charges live in machine registers from one instruction to the next.  For ``out_of_line`` see
    :mod:`gpusim.engine.core.out_of_line`.

    Returns
    -------
    why : int
        WAITS, AT_BLOCK_BARRIER, FINISHED, FAILED or PAUSED; ``warp[AWAKE]`` is set.
    """
    warp, rates, code = m.warps[w], m.rates, m.code
    count = m.counts[m.blocks[block, S.KIND]]
    begin = max(m.sms[sm, S.NOW], m.awake[w])
    m.sms[sm, S.NOW] = begin
    t = begin
    issue, alu, fma, xu = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    waves, queued = np.int64(0), np.int64(0)
    own, why, steps, asleep = m.sms[sm], S.PAUSED, 0, np.int64(0)
    while t - begin < LONGEST and has_room(m, sm):
        index = np.int64(warp[S.PC])
        c = code[index]
        if c[I.WAIT]:
            until = pending(warp, c)
            if until >= S.PENDING:
                asleep, why = until, S.WAITS
                break
            if until > t:
                t = until
                if until - begin > PATIENCE:
                    why = S.WAITS
                    break
        mask = np.uint32(warp[S.MASK])
        on = guarded(mask, m.preds[w], c[I.GUARD])
        count_instruction(c, mask, on, count)
        issue += rates[S.ISSUE] * (1 + c[I.SKIP])
        t += (np.int64(c[I.STALL]) + c[I.SKIP_ISSUE]) * S.TICKS
        pipe = c[I.PIPE]
        steps += 1
        done = perform(m, c, index, w, block, sm, on, t, count, out_of_line)
        if done == S.WENT:
            continue
        if done < 0:
            why = -done - 1
            break
        if pipe == I.LSU or pipe >= I.CHECKED_PIPE:
            issue += rates[S.ISSUE] * (c[I.REPEAT] - 1)
            if c[0] == I.LDS:
                waves += m.misc[S.LATEST_WAVES] & (1 << S.WAVES_FIELD) - 1
            if c[I.READ_SB] < S.N_SCOREBOARDS:
                set_tick(m, sm, w, S.BOARD + c[I.READ_SB], t + rates[S.READ_BY])
        else:
            done = t + rates[S.SHUFFLE]
            alu += rates[S.ALU_RATE] * (pipe == I.ALU)
            fma += rates[S.FMA_RATE] * (pipe == I.FMA)
            xu += rates[S.XU_RATE] * (pipe == I.XU)
        if c[I.WRITE_SB] < S.N_SCOREBOARDS:
            set_tick(m, sm, w, S.BOARD + c[I.WRITE_SB], done)
        if c[I.ROUNDS]:
            alone, waits = shared_load_waits(m, own, c, waves)
            t, queued, waves = t + alone + waits, queued + waits, np.int64(0)
        warp[S.PC] += 1
    m.misc[S.STEPS] += steps
    m.awake[w], m.turns[w, S.LAST_AT] = max(t, asleep), t
    own[S.WARPS_RAN] += t - begin - queued
    busy = max(max(issue, alu), max(fma, xu))
    own[S.ISSUES] = max(own[S.ISSUES], begin) + busy
    units, pipe = own[S.ISSUES] - rates[S.ISSUE_QUEUE], caught_up_at(m, own)
    own[S.IN_TURN], own[S.NOW] = units >= pipe, max(begin, max(units, pipe))
    return why
