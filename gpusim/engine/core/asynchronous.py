"""Instructions of Hopper's asynchronous machine, out of the interpreter's loop: mbarriers, bulk copies, clusters."""

from __future__ import annotations

from gpusim.engine.compiling.jit import jit
from gpusim.engine.core.bulk_copies import arrive_after_copies, start_copy
from gpusim.engine.core.cluster_barrier import arrive_in_cluster, fence, wait_in_cluster
from gpusim.engine.core.mbarriers import arrive, check_phase, exchange_mbarrier
from gpusim.engine.core.remote_mbarriers import arrive_remotely, store_remotely
from gpusim.engine.core.warpgroups import meet
from gpusim.engine.load_store.async_groups import close_group
from gpusim.engine.state import columns as S
from gpusim.engine.state import fields as I

OPS = tuple(range(I.WARPGROUP_ARRIVE, I.REDAS + 1))
"""Opcodes that are run here."""


@jit
def run_asynchronous(m, c, index, w, block, sm, on, t):
    """Run one instruction whose lanes ``on`` pass the guard, at tick ``t``; when its result is there, or why not."""
    op = c[0]
    if op == I.UTMACMDFLUSH:
        return close_group(m, sm, w, t)
    if not on:
        return t
    if op == I.WARPGROUP_ARRIVE:
        return meet(m, index, w, block, sm, on, t)
    if op == I.SYNCS_ARRIVE:
        if c[I.SUB] & I.REMOTE_ARRIVAL and m.shape[S.CLUSTER] > 1:
            return arrive_remotely(m, c, index, w, block, sm, on, t)
        return arrive(m, c, index, w, block, sm, on, t)
    if op == I.SYNCS_PHASECHK:
        return check_phase(m, c, index, w, block, sm, on, t)
    if op == I.SYNCS_EXCH or op == I.SYNCS_CCTL:
        return exchange_mbarrier(m, c, index, w, block, on, t)
    if op == I.ARRIVES:
        return arrive_after_copies(m, c, index, w, block, sm, on, t)
    if op >= I.CLUSTER_ARRIVE:
        return run_in_cluster(m, c, op, index, w, block, sm, on, t)
    return start_copy(m, c, index, w, block, sm, on, t)


@jit
def run_in_cluster(m, c, op, index, w, block, sm, on, t):
    """The same of what blocks of a cluster have to do with one another."""
    if op == I.CLUSTER_ARRIVE:
        return arrive_in_cluster(m, index, w, block, on, t)
    if op == I.CLUSTER_WAIT:
        return wait_in_cluster(m, index, w, block, on, t)
    if op == I.CLUSTER_FENCE:
        return fence(m, index, w, block, sm, t)
    return store_remotely(m, c, op, index, w, block, sm, on, t)
