"""mbarriers: words of shared memory that count who is still to arrive, and bytes that copies are still to bring.

A phase is complete when it lacks neither; then the next one begins.  How the 64 bits lie says
:mod:`gpusim.isa.mbarrier`.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at, guarded, set_predicate
from gpusim.engine.compiling.bits import first_lane
from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.core.issue import wake
from gpusim.engine.core.paths import YIELDED, drop, set_aside, take_ready, wake_yielded
from gpusim.engine.core.scheduler_entries import ready_at, rouse
from gpusim.engine.load_store.boxes import check_place
from gpusim.engine.load_store.buffers import own_offset, short_addresses
from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail, first_row
from gpusim.isa.mbarrier import BYTES, BYTES_AT, COUNT, EXPECTED_AT, MOST_BYTES, NBYTES, PARITY_AT, PENDING_AT

ONE, ZERO = np.uint32(1), np.uint32(0)
SIZE = np.int64(NBYTES)


@inline
def contents(shared, address):
    """The 64 bits of an mbarrier."""
    k = address >> 2
    return np.int64(shared[k]) | (np.int64(shared[k + 1]) << 32)


@inline
def put(shared, address, word):
    """Write the 64 bits of an mbarrier."""
    k = address >> 2
    shared[k], shared[k + 1] = np.uint32(word & 0xFFFFFFFF), np.uint32(word >> 32 & 0xFFFFFFFF)


@inline
def arrivals_of(word, where):
    """Arrivals in a field: those of a phase, or those that this one lacks."""
    return -(word >> where) & COUNT


@inline
def bytes_of(word):
    """Bytes that the phase lacks; fewer than none where copies brought some that nobody has said to expect."""
    n = (word >> BYTES_AT) & BYTES
    return n - (BYTES + 1) if n > BYTES >> 1 else n


@inline
def parity_of(word):
    """Parity of the phase."""
    return (word >> PARITY_AT) & 1


@inline
def word_of(expected, lacking, pending, parity):
    """An mbarrier of these arrivals a phase, bytes and arrivals that this one lacks, and parity."""
    counts = (-expected & COUNT) << EXPECTED_AT | (-pending & COUNT) << PENDING_AT
    return counts | (lacking & BYTES) << BYTES_AT | parity << PARITY_AT


@jit
def change(m, sm, index, lane, w, slot, address, arrivals, nbytes, leaving, t):
    """Arrive at an mbarrier, or change what it lacks by ``nbytes``; at tick ``t`` who waits for the phase goes on.

    ``leaving``: arrivals that later phases lack less.  Returns whether it could be done.
    """
    if not check_place(m, address, SIZE, SIZE, index, lane, w, slot):
        return False
    word = contents(m.shared[slot], address)
    expected, pending = arrivals_of(word, EXPECTED_AT), arrivals_of(word, PENDING_AT) - arrivals
    lacking, parity = bytes_of(word) + nbytes, parity_of(word)
    if expected == 0:
        return fail(m, E.NO_MBARRIER, index, lane, slot, address, w)
    if pending < 0 or leaving > expected:
        return fail(m, E.MBARRIER_ARRIVALS, index, lane, slot, address, w)
    if abs(lacking) > MOST_BYTES:
        return fail(m, E.MBARRIER_BYTES, index, lane, slot, address, w)
    expected -= leaving
    complete = pending == 0 and lacking == 0
    if complete:
        pending, parity = expected, 1 - parity
    put(m.shared[slot], address, word_of(expected, lacking, pending, parity))
    if complete:
        let_go(m, sm, slot, t)
    return True


@jit
def let_go(m, sm, slot, t):
    """A phase is complete at tick ``t``: the warps of the block that wait for it go on."""
    m.blocks[slot, S.PHASE] += 1
    for w in range(slot * m.shape[S.WARPS], (slot + 1) * m.shape[S.WARPS]):
        warp = m.warps[w]
        if warp[S.STATE] != S.ASLEEP:
            continue
        c = m.code[warp[S.PC] - 1]
        if c[0] != I.SYNCS_PHASECHK:
            continue
        on = guarded(np.uint32(warp[S.MASK]), m.preds[w], c[I.GUARD])
        phase_addresses(m, c, w)
        done = complete_lanes(m, c, w, slot, on)
        if done:
            set_predicate(m.preds[w], c[I.Q0], done, on)
        elif warp[S.N_SPLIT] and wake_yielded(warp):
            warp[S.PC] -= 1
        else:
            continue
        resume(m, sm, w, look(m, sm, t) + m.rates[S.MBARRIER])


@inline
def look(m, sm, t):
    """Tick from ``t`` on at which a warp's turn comes to look at an mbarrier's phase: an SM's warps do one by one.

    Where pace alone is modelled warps run one after another, not in the order of their ticks: none waits for a turn.
    """
    if not m.shape[S.TIMED]:
        return t
    own = m.sms[sm]
    begins = max(own[S.LOOKED_AT], t)
    own[S.LOOKED_AT] = begins + m.rates[S.LOOKS]
    return begins


@inline
def resume(m, sm, w, t):
    """A warp that waited for an mbarrier goes on at tick ``t``."""
    m.warps[w, S.STATE] = S.READY
    if m.shape[S.TIMED]:
        rouse(m, w, max(t, ready_at(m.turns[w])))
        wake(m, sm, t)
    else:
        rouse(m, w, t)


@inline
def phase_addresses(m, c, w):
    """Lane addresses of an mbarrier's instruction."""
    offset = own_offset(m, c, w // m.shape[S.WARPS])
    short_addresses(m.regs, first_row(m, w), c[I.A], c[I.C_], 0, offset, m.scratch[S.ADDRESSES])


@jit
def complete_lanes(m, c, w, slot, on):
    """Lanes of ``on`` whose phase is complete; the addresses are there."""
    parity, done = m.regs[at(c[I.B], first_row(m, w))], ZERO
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            word = contents(m.shared[slot], m.scratch[S.ADDRESSES, lane])
            done |= np.uint32(parity_of(word) != np.int64(parity[lane] >> np.uint32(31))) << np.uint32(lane)
    return done


@jit
def check_phase(m, c, index, w, slot, sm, on, t):
    """SYNCS_PHASECHK: q0; where it may wait and no lane's phase is complete, other paths of the warp go on, or none."""
    warp, word = m.warps[w], np.int64(0)
    phase_addresses(m, c, w)
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            address = m.scratch[S.ADDRESSES, lane]
            if not check_place(m, address, SIZE, SIZE, index, lane, w, slot):
                return np.int64(S.FAILURE)
            word = contents(m.shared[slot], address)
            if arrivals_of(word, EXPECTED_AT) == 0 and word << 1 == 0:
                fail(m, E.NO_MBARRIER, index, lane, slot, address, w)
                return np.int64(S.FAILURE)
    done = complete_lanes(m, c, w, slot, on)
    if done or c[I.SUB] != I.WAIT_TRY:
        set_predicate(m.preds[w], c[I.Q0], done, on)
        return look(m, sm, t) + m.rates[S.MBARRIER]
    if let_another_path_run(warp):
        return np.int64(S.WENT)
    warp[S.PC] += 1
    return np.int64(-1 - S.SLEEPS)


@cold
def let_another_path_run(warp):
    """A path that waits tries again later, if another one of the warp can run until then; returns whether one does."""
    if warp[S.N_SPLIT] == 0 or not set_aside(warp, warp[S.PC], warp[S.MASK], YIELDED):
        return False
    if take_ready(warp):
        return True
    drop(warp, warp[S.N_SPLIT] - 1)
    return False


@jit
def arrive(m, c, index, w, slot, sm, on, t):
    """SYNCS_ARRIVE: lane after lane; d = the 64 bits before each."""
    base, how = first_row(m, w), np.int64(c[I.SUB])
    phase_addresses(m, c, w)
    address, given, d = m.scratch[S.ADDRESSES], m.regs[at(c[I.B], base)], at(c[I.DST], base)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        value, kind = np.int64(given[lane]), how & 12
        arrivals = value if how & 3 == I.COUNTED else how & 3
        nbytes = value if kind == I.EXPECT else -value if kind == I.COMPLETE else np.int64(kind == I.EXPECT_ONE)
        leaving = arrivals if how & I.DROP else np.int64(0)
        if not check_place(m, address[lane], SIZE, SIZE, index, lane, w, slot):
            return np.int64(S.FAILURE)
        word, where = contents(m.shared[slot], address[lane]), address[lane]
        if not change(m, sm, index, lane, w, slot, where, arrivals, nbytes, leaving, t):
            return np.int64(S.FAILURE)
        phase_addresses(m, c, w)  # who went on has worked out its own there
        m.regs[d, lane], m.regs[d + 1, lane] = np.uint32(word & 0xFFFFFFFF), np.uint32(word >> 32 & 0xFFFFFFFF)
    return t + m.rates[S.MBARRIER]


@jit
def exchange_mbarrier(m, c, index, w, slot, on, t):
    """SYNCS_EXCH, SYNCS_CCTL: an mbarrier begins, or is one no more; once a warp."""
    base, lane = first_row(m, w), first_lane(on)
    phase_addresses(m, c, w)
    address = m.scratch[S.ADDRESSES, lane]
    if not check_place(m, address, SIZE, SIZE, index, lane, w, slot):
        return np.int64(S.FAILURE)
    word, new = contents(m.shared[slot], address), np.int64(0)
    if c[0] == I.SYNCS_EXCH:
        b = at(c[I.B], base)
        new = np.int64(m.regs[b, lane]) | np.int64(m.regs[b + 1, lane]) << 32
        d = at(c[I.DST], base)
        for k in range(S.LANES):
            m.regs[d, k], m.regs[d + 1, k] = np.uint32(word & 0xFFFFFFFF), np.uint32(word >> 32 & 0xFFFFFFFF)
    put(m.shared[slot], address, new)
    return t + m.rates[S.MBARRIER]


@cold
def sleeper(m, op):
    """A warp that sleeps at an instruction of such an opcode; -1 if there is none."""
    for w in range(len(m.warps)):
        there = m.blocks[w // m.shape[S.WARPS], S.ID] >= 0 and m.warps[w, S.STATE] == S.ASLEEP
        if there and m.code[m.warps[w, S.PC] - 1, I.OP] == op:
            return w
    return -1


@cold
def tell_of_sleeper(m, w):
    """Note that warp ``w`` waits for ever: for which mbarrier, and what that holds."""
    c, slot = m.code[m.warps[w, S.PC] - 1], w // m.shape[S.WARPS]
    lane = first_lane(guarded(np.uint32(m.warps[w, S.MASK]), m.preds[w], c[I.GUARD]))
    phase_addresses(m, c, w)
    address = m.scratch[S.ADDRESSES, lane]
    fail(m, E.MBARRIER_DEADLOCK, m.warps[w, S.PC] - 1, lane, slot, address, w)
    m.misc[S.E_HOLDS] = contents(m.shared[slot], address)
