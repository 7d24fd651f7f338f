"""The machine: SMs go through windows of time, all through the same one, by as many threads as there are.

In a window each SM is simulated by itself, and what SMs asked L2 for in the window before is answered beside that.  No
SM hears of what it asked for sooner than two windows later; so it does not matter which thread does what, nor when.
Between two windows one thread alone hands out blocks, gives SMs constants, and looks whether all is done.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import typeof

from gpusim.engine.compiling.jit import cold, compile_whole, inline, jit, whole
from gpusim.engine.compiling.threads import APART, MET, TAKEN, meet, take_task
from gpusim.engine.core.answers import hear
from gpusim.engine.core.barriers import stuck
from gpusim.engine.core.blocks import first_wave, next_given, refill, remove_all
from gpusim.engine.core.cluster_barrier import tell_of_cluster
from gpusim.engine.core.helper import helper
from gpusim.engine.core.host_prefetch import PREFETCH_STEPS, prefetch_awake, prefetch_timed
from gpusim.engine.core.mbarriers import sleeper, tell_of_sleeper
from gpusim.engine.core.sm import go_through
from gpusim.engine.core.warpgroups import tell_of_warpgroup
from gpusim.engine.hierarchy.constant_cache import find_all
from gpusim.engine.hierarchy.outbox import O_COUNT
from gpusim.engine.load_store.below import handle_all
from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.arrays import Machine, aligned
from gpusim.engine.state.faults import fail, first_fault
from gpusim.engine.state.reference import machine_of, table

GO, AGAIN, ENOUGH, OVER = range(4)
"""What all threads do next: a window; what is left of it, for SMs that stood still; nothing, for now or for good."""


@jit
def decide(m, queue, limits):
    """What all threads do next; the window before is over."""
    if first_fault(m):
        return OVER
    if seen(m, S.SEEN_SEEKS):
        find_all(m)
        forget(m, AGAIN)
        return AGAIN
    if seen(m, S.SEEN_LEFT):
        remove_all(m)
    now, first = m.misc[S.HORIZON], first_to_come(m)
    if m.misc[S.HANDED] == 0:
        first_wave(m, queue)
        first = now
    if refill(m, queue, now):
        first = now
    if seen(m, S.STEPS) > m.shape[S.LIMIT]:
        too_long(m)
        return OVER
    begins = max(now, min(next_given(m, queue), first))
    if seen(m, S.SEEN_ASKED):
        begins = now
    elif begins >= S.NEVER:
        if m.misc[S.FINISHED_BLOCKS] < m.misc[S.HANDED]:
            note_deadlock(m)
        return OVER
    if seen(m, S.STEPS) >= limits[0] or m.misc[S.HANDED] >= limits[1]:
        return ENOUGH
    m.misc[S.HORIZON] = begins + m.rates[S.AHEAD]
    m.misc[S.FILLING] = 1 - m.misc[S.FILLING]
    forget(m, GO)
    return GO


@inline
def seen(m, column):
    """What all threads together have seen of a kind in the window."""
    total = np.int64(0)
    for k in range(len(m.crew)):
        total += m.crew[k, column]
    return total


@inline
def first_to_come(m):
    """Tick at which an SM next has something to do, NEVER if none has."""
    first = S.NEVER
    for k in range(len(m.crew)):
        first = min(first, m.crew[k, S.SEEN_FIRST])
    return first


@inline
def forget(m, what):
    """Threads begin to look what SMs do; in the rest of a window only what they have not seen before."""
    for k in range(len(m.crew)):
        m.crew[k, S.SEEN_SEEKS] = 0
        if what == GO:
            m.crew[k, S.SEEN_FIRST], m.crew[k, S.SEEN_LEFT], m.crew[k, S.SEEN_ASKED] = S.NEVER, 0, 0


@inline
def note_sm(m, sm):
    """Note of an SM what matters between two windows."""
    own, mine = m.sms[sm], m.misc
    mine[S.SEEN_FIRST] = min(mine[S.SEEN_FIRST], own[S.COMES])
    mine[S.SEEN_LEFT] |= own[S.LEFT]
    mine[S.SEEN_SEEKS] |= own[S.SEEKS]
    mine[S.SEEN_ASKED] |= m.outboxes[sm, O_COUNT] | m.outboxes[len(m.sms) + sm, O_COUNT]


@cold
def note_deadlock(m):
    """Nothing can go on any more: note a warp that waits for ever, for an mbarrier if there is one.

    Who waits at the barrier of a cluster may do so because others wait for something else.
    """
    w = sleeper(m, I.SYNCS_PHASECHK)
    if w >= 0:
        tell_of_sleeper(m, w)
        return
    w = stuck(m, S.AT_BARRIER)
    if w < 0 and sleeper(m, I.CLUSTER_WAIT) >= 0:
        tell_of_cluster(m, sleeper(m, I.CLUSTER_WAIT))
        return
    alone = sleeper(m, I.WARPGROUP_ARRIVE)
    if w < 0 and alone >= 0:
        tell_of_warpgroup(m, alone)
        return
    w = max(w, 0)
    fail(m, E.BARRIER_DEADLOCK, m.warps[w, S.PC] - 1, 0, w // m.shape[S.WARPS], m.warps[w, S.BAR_NUMBER], w)


@jit
def too_long(m):
    """The launch has more instructions than it may have: note one that runs."""
    for w in range(len(m.warps)):
        if m.warps[w, S.STATE] == S.READY:
            fail(m, E.TOO_LONG, m.warps[w, S.PC], 0, w // m.shape[S.WARPS], 0, w)
            return
    fail(m, E.TOO_LONG, np.int64(0), 0, np.int64(0), 0, np.int64(0))


@jit
def one_sm(m, what, sm, after, out_of_line):
    """Take an SM through a window, or through the rest of it; the host fetches what the one ``after`` it needs."""
    if what == GO:
        hear(m, sm)
    horizon, step_ticks = m.crew[0, S.HORIZON], m.rates[S.AHEAD] // PREFETCH_STEPS
    if m.shape[S.TIMED]:
        for step in range(PREFETCH_STEPS):
            if after < len(m.sms):
                prefetch_timed(m, after, horizon, step)
            go_through(m, sm, horizon - step_ticks * (PREFETCH_STEPS - 1 - step), out_of_line)
    else:
        if after < len(m.sms):
            prefetch_awake(m, after, horizon)
        go_through(m, sm, horizon, out_of_line)
    note_sm(m, sm)


@jit
def work(m, what, thread, threads, out_of_line):
    """Do what no other thread does: answer what was asked for in the window before, and take SMs through this one.

    The first thread answers.  Each begins with the SMs that it had before, neighbours, whose state is in the caches of
    its processor; then it takes those that others have not come to.
    """
    if m.shape[S.ONE_BY_ONE]:
        if thread == threads - 1:
            for sm in range(len(m.sms)):
                one_sm(m, what, sm, sm + 1, out_of_line)
        if thread == 0 and what == GO:
            handle_all(m, 1 - m.crew[0, S.FILLING])
        return
    if thread == 0 and what == GO:
        handle_all(m, 1 - m.crew[0, S.FILLING])
    if m.shape[S.CLUSTER] > 1:
        work_by_gpc(m, what, out_of_line)
        return
    for k in range(threads):
        whose = (thread + k) % threads
        first, end = whose * len(m.sms) // threads, (whose + 1) * len(m.sms) // threads
        sm = first + take_task(m.gate, whose)
        while sm < end:
            after = first + take_task(m.gate, whose)
            one_sm(m, what, sm, after if after < end else len(m.sms), out_of_line)
            sm = after


@jit
def work_by_gpc(m, what, out_of_line):
    """Take the SMs of one GPC after another through the window, in their order: clusters have theirs in one GPC."""
    gpc = take_task(m.gate, 0)
    while gpc < m.shape[S.N_GPCS]:
        for sm in range(len(m.sms)):
            if m.sms[sm, S.GPC] == gpc:
                one_sm(m, what, sm, len(m.sms), out_of_line)
        gpc = take_task(m.gate, 0)


@jit
def advance(words, queue, limits, thread, threads, out_of_line):
    """:func:`driver`, for one thread, given its machine's table and what runs what a program has out of line."""
    m = machine_of(words)
    while True:
        if thread == 0:
            for k in range(threads):
                m.gate[TAKEN + APART * k] = 0
            m.misc[S.WHAT] = decide(m, queue, limits)
        meet(m.gate, threads)
        what = m.crew[0, S.WHAT]
        if what >= ENOUGH:
            return what == OVER
        work(m, what, thread, threads, out_of_line)
        meet(m.gate, threads)


def driver(m: Machine, queue: np.ndarray) -> Callable[..., bool]:
    """What runs a machine on.

    Parameters
    ----------
    m : Machine
        Must outlive what is returned.
    queue : int64 array, shape (stretches, N_STRETCH)
        Blocks in launch order, as :mod:`gpusim.engine.core.block_queue` has them.

    Returns
    -------
    callable
        Takes numbers of instructions and of blocks handed out, at which it stops, after the window, and how many
        threads may run it, of those it was made for; returns whether everything is done (or failed: see
        ``m.misc[E_CODE]``).
    """
    crew, out_of_line, run_on = mates(m), helper(m.code), whole(advance)
    tables = [table(each) for each in crew]
    pool = ThreadPoolExecutor(len(crew))

    def run(steps: float, handed: float = math.inf, threads: int = 1) -> bool:
        limits, threads = np.array([min(steps, S.NEVER), min(handed, S.NEVER)], np.int64), min(threads, len(crew))
        calls = [(words, queue, limits, k, threads, out_of_line) for k, words in enumerate(tables[:threads])]
        m.gate[MET] = 0
        others = [pool.submit(run_on, *call) for call in calls[1:]]
        done = bool(run_on(*calls[0]))
        for other in others:
            other.result()
        gather(crew)
        return done

    return run


def mates(m: Machine) -> list[Machine]:
    """The machine as each of its threads has it: those after the first note and work out things apart."""
    apart = ("scratch", "bits", "patterns", "counts", "arrays", "sites")
    others = m.crew[1:]
    return [m] + [
        m._replace(misc=misc, **{name: aligned(getattr(m, name).shape, getattr(m, name).dtype) for name in apart})
        for misc in others
    ]


def gather(crew: list[Machine]) -> None:
    """Add what the other threads have noted to what the first one has."""
    m, *others = crew
    for other in others:
        for name in ("counts", "arrays", "sites"):
            getattr(m, name)[:] += getattr(other, name)
            getattr(other, name)[:] = 0
        m.misc[S.STEPS] += other.misc[S.STEPS]
        m.misc[S.END] = max(m.misc[S.END], other.misc[S.END])
        other.misc[S.STEPS] = 0


def load(code: np.ndarray) -> None:
    """Compile what runs a program's code, or load it, before a machine runs."""
    words, queue = np.zeros(1, np.int64), np.zeros((1, S.N_STRETCH), np.int64)
    compile_whole(advance, tuple(typeof(x) for x in (words, queue, words, 1, 1, helper(code))))
