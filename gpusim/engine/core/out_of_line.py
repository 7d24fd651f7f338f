"""Instructions that few kernels have (``out_of_line`` in the table of opcodes), kept out of the interpreter's loop.

The loop calls these by an address that it is given, so they are no part of it, and are compiled only when a program
has one.
"""

from __future__ import annotations

from gpusim.engine.alu.operands import at
from gpusim.engine.compiling.bits import first_lane
from gpusim.engine.compiling.jit import jit
from gpusim.engine.core.asynchronous import run_asynchronous
from gpusim.engine.core.bulk_copies import go_on
from gpusim.engine.core.cluster_barrier import leave_cluster
from gpusim.engine.core.indirect_control import indirect_control, move_barrier
from gpusim.engine.core.lane_exchange import exchange
from gpusim.engine.core.registers_shared_out import share_registers
from gpusim.engine.core.special_registers import all_if_uniform, passes_data_stage, read_special
from gpusim.engine.core.system_calls import system_call
from gpusim.engine.core.warpgroups import product
from gpusim.engine.load_store.async_copy import copy_async
from gpusim.engine.load_store.async_groups import close_group
from gpusim.engine.load_store.atomics import atomic_global, atomic_shared
from gpusim.engine.load_store.constants import indexed_at, load_indexed
from gpusim.engine.load_store.generic_space import generic, in_space
from gpusim.engine.load_store.local_memory import access_local
from gpusim.engine.load_store.matrices import access_matrices
from gpusim.engine.load_store.pipe import pass_through, take_special
from gpusim.engine.load_store.prefetch import prefetch
from gpusim.engine.load_store.remote_shared import generic_in_cluster
from gpusim.engine.load_store.textures import fetch
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail, first_row


def out_of_line(m, index, w, block, sm, on, t):
    """Run one instruction of warp ``w`` whose lanes ``on`` pass the guard, at tick ``t``.

    Returns
    -------
    int
        The tick the result is there; or WENT; or FAILURE or another reason to stop (-1 less the reason).
    """
    c, count = m.code[index], m.counts[m.blocks[block, S.KIND]]
    op = c[0]
    count[C.BRANCHES] += c[I.IS_BRANCH]
    if op == I.LD or op == I.ST or op == I.ATOM:
        m.blocks[block, S.SENT] = 1
        return generic(m, c, index, w, block, sm, on, t, count)
    if op == I.TEX:
        m.blocks[block, S.SENT] = 1
        return fetch(m, c, index, w, block, sm, on, t, count)
    if I.VPRINTF <= op <= I.FREE:
        return system_call(m, c, index, w, block, on, t, count)
    if op in (I.LDL, I.STL, I.LDGSTS, I.LDSM, I.STSM, I.ATOMG, I.RED, I.ATOMS):
        return access(m, c, op, index, w, block, sm, on, t, count)
    if op in (I.BRA, I.CALL, I.BRX, I.RET, I.BREAK, I.WARPSYNC, I.BAR):
        return indirect_control(m, c, op, index, w, block, on, t, count)
    if op == I.TRAP or op == I.UNKNOWN:
        if on:
            fail(m, E.TRAPPED if op == I.TRAP else E.UNKNOWN, index, first_lane(on), block, 0, w)
            return S.FAILURE
    elif op == I.S2R or op == I.CS2R:
        if op == I.S2R and c[I.DST] < m.shape[S.UNIFORM]:
            count[C.SH_OTHER_WAVES] += passes_data_stage(c[I.SUB])
            t = take_special(m, sm, t, 1)
        read_special(m, c, w, block, sm, on, t)
    elif op == I.LDC:
        first, size = m.shape[S.BANK_FIRST + c[I.SUB]], m.shape[S.BANK_BYTES + c[I.SUB]]
        if c[I.DST] < m.shape[S.UNIFORM]:
            t = indexed_at(m, c, m.regs[at(c[I.A], first_row(m, w))], sm, on, t)
        load_indexed(m.constants, first, size, c, m.regs, first_row(m, w), all_if_uniform(m, c, on))
        return t + m.rates[S.CONSTANT]
    elif op == I.PREFETCH:
        return prefetch(m, c, index, w, block, sm, on, t, count)
    elif op == I.QSPC:
        in_space(m, c, w, on)
    elif op == I.BMOV:
        if on:
            move_barrier(m.warps[w], c, m.regs, first_row(m, w), on)
    elif op == I.LDGDEPBAR:
        return close_group(m, sm, w, t)
    elif op in (I.HGMMA, I.QGMMA, I.IGMMA):
        return product(m, c, index, w, block, on, t, count)
    elif op == I.USETMAXREG:
        if on and not share_registers(m, c, index, w, block):
            return S.FAILURE
    elif on:
        count[C.SH_OTHER_WAVES] += op == I.MOVM
        exchange(c, op, m.regs, first_row(m, w), m.preds[w], m.warps[w], on, m.shape[S.UNIFORM], m.bits)
    return t + m.rates[S.SHUFFLE]


_ordinary = jit(out_of_line)


def with_asynchronous(m, index, w, block, sm, on, t):
    """:func:`out_of_line` for programs with instructions of the asynchronous machine.

    An ``index`` below 0: have the copies of an SM go on (:func:`gpusim.engine.core.bulk_copies.go_on`), or a warp leave
    its cluster.
    """
    if index == S.GO_ON:
        return go_on(m, sm, t)
    if index == S.LEAVE:
        return leave_cluster(m, w, block, t)
    c = m.code[index]
    if I.WARPGROUP_ARRIVE <= c[0] <= I.REDAS:
        return run_asynchronous(m, c, index, w, block, sm, on, t)
    if m.shape[S.CLUSTER] > 1 and (c[0] == I.LD or c[0] == I.ST or c[0] == I.ATOM):
        return generic_in_cluster(m, c, index, w, block, sm, on, t, m.counts[m.blocks[block, S.KIND]])
    return _ordinary(m, index, w, block, sm, on, t)


@jit
def access(m, c, op, index, w, block, sm, on, t, count):
    """Memory instructions; returns the tick the result is there, or FAILURE."""
    count_access(op, count)
    m.blocks[block, S.SENT] = 1
    if not on:
        return pass_through(m, sm, t, 1)
    if op == I.LDL or op == I.STL:
        return access_local(m, c, op, index, w, block, sm, on, t, count)
    if op == I.LDGSTS:
        return copy_async(m, c, index, w, block, sm, on, t, count)
    if op == I.LDSM or op == I.STSM:
        return access_matrices(m, c, op, index, w, block, sm, on, t, count)
    if op == I.ATOMS:
        return atomic_shared(m, c, index, w, block, sm, on, t, count)
    return atomic_global(m, c, index, w, block, sm, on, t, count)


@jit
def count_access(op, count):
    """Count an instruction by what it is, whether or not a lane takes part."""
    count[C.INST_LDG] += op == I.LDG
    count[C.INST_STG] += op == I.STG
    count[C.INST_LDS] += op == I.LDS
    count[C.INST_STS] += op == I.STS
    count[C.INST_ATOMS] += op == I.ATOMS
    count[C.INST_LDL] += op == I.LDL
    count[C.INST_STL] += op == I.STL
    count[C.INST_LDGSTS] += op == I.LDGSTS
    count[C.INST_LDSM] += op == I.LDSM
