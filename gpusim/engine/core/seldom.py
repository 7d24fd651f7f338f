"""Instructions that few kernels have (:data:`gpusim.isa.opcodes.SELDOM`), kept out of the interpreter's loop.

The loop calls these by an address that it is given, so they are no part of it, and are compiled only when a program
has one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import int64, uint32

from gpusim.engine.alu.operands import FULL, at, predicate, set_predicate
from gpusim.engine.compiling.bits import first_lane
from gpusim.engine.compiling.jit import compile_for_calls, inline, jit, kept
from gpusim.engine.core.barriers import pass_by, reach
from gpusim.engine.core.flow import (
    NOWHERE,
    STUCK,
    are_among,
    branch,
    break_off,
    jump,
    named,
    part,
    sync_lanes,
    where_true,
)
from gpusim.engine.core.lane_exchange import (
    fill,
    match,
    pack_predicates,
    reduce_lanes,
    spread,
    unpack_predicates,
)
from gpusim.engine.core.special_registers import other_special, passes_data_stage, special
from gpusim.engine.hierarchy.access_patterns import PAT_LINES, PAT_N_LINES, PAT_SECTORS, PAT_WORDS, SEEN, coalesce
from gpusim.engine.hierarchy.l1 import l1_read, l1_row, reads
from gpusim.engine.load_store.async_copy import copy_async
from gpusim.engine.load_store.async_groups import close_group
from gpusim.engine.load_store.atomics import atomic_global, atomic_shared
from gpusim.engine.load_store.buffers import find_array, wide_addresses
from gpusim.engine.load_store.constants import indexed_at, load_indexed
from gpusim.engine.load_store.global_memory import load_global, store_global
from gpusim.engine.load_store.local_memory import access_local
from gpusim.engine.load_store.matrices import access_matrices, transpose
from gpusim.engine.load_store.pipe import pass_through, take_special
from gpusim.engine.load_store.shared_memory import access_shared
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail, first_row
from gpusim.engine.state.reference import MACHINE

ZERO = np.uint32(0)
IN_GLOBAL, IN_SHARED, IN_LOCAL = (I.LDG, I.STG, I.ATOMG), (I.LDS, I.STS, I.ATOMS), (I.LDL, I.STL, I.UNKNOWN)
"""What LD, ST and ATOM are, space by space."""


def needed(code: np.ndarray) -> Callable[..., Any]:
    """What runs the seldom instructions of a program's code, of which there may be none."""
    return seldom if np.any(code[:, I.PIPE] == I.SELDOM_PIPE) else none_needed


def helper(code: np.ndarray) -> Any:
    """The same, compiled."""
    return _compiled(needed(code))


@kept
def _compiled(function: Callable[..., Any]) -> Any:
    return compile_for_calls(function, int64(MACHINE, int64, int64, int64, int64, uint32, int64))


def none_needed(m, index, w, block, sm, on, t):
    """For programs that have no such instructions."""
    return S.FAILURE


def seldom(m, index, w, block, sm, on, t):
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
        return generic(m, c, index, w, block, sm, on, t, count)
    if op in (I.LDL, I.STL, I.LDGSTS, I.LDSM, I.STSM, I.ATOMG, I.RED, I.ATOMS):
        return access(m, c, op, index, w, block, sm, on, t, count)
    if op in (I.BRA, I.CALL, I.BRX, I.RET, I.BREAK, I.WARPSYNC, I.BAR):
        return seldom_control(m, c, op, index, w, block, on, t, count)
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
        return close_group(m.warps[w], t)
    elif on:
        count[C.SH_OTHER_WAVES] += op == I.MOVM
        exchange(c, op, m.regs, first_row(m, w), m.preds[w], m.warps[w], on, m.shape[S.UNIFORM], m.bits)
    return t + m.rates[S.SHUFFLE]


@inline
def all_if_uniform(m, c, on):
    """Lanes an instruction writes: all of a uniform register, unless its guard is false."""
    return FULL if on and c[I.DST] >= m.shape[S.UNIFORM] else on


@jit
def access(m, c, op, index, w, block, sm, on, t, count):
    """Memory instructions; returns the tick the result is there, or FAILURE."""
    count_access(op, count)
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


@jit
def generic(m, c, index, w, block, sm, on, t, count):
    """LD, ST, ATOM: space by space; no counter of instructions is of one space and counts these."""
    rest, done = on, t
    while True:
        op, part = generic_part(c, m.regs, first_row(m, w), m.patterns[index], m.scratch[33], rest)
        if not part:
            return done
        if op == I.LDG:
            back = load_global(m, c, index, w, block, sm, part, t, count)
        elif op == I.STG:
            back = store_global(m, c, index, w, block, sm, part, t, count)
        elif op == I.LDL or op == I.STL:
            back = access_local(m, c, op, index, w, block, sm, part, t, count)
        elif op == I.ATOMG:
            count[C.SH_OTHER_WAVES] += 1
            back = atomic_global(m, c, index, w, block, sm, part, t, count)
        elif op == I.ATOMS:
            back = shared_at_large(m, c, index, w, block, sm, part, t, count)
        else:
            back = access_shared(m, c, op, index, w, block, sm, part, t, count)
        if back < 0:
            return back
        done, rest = max(done, back), rest ^ part
        if not rest:
            return done


@jit
def generic_part(c, regs, base, kept, address, on):
    """Of a generic access the lanes in the space of the first one, and the instruction that it is there.

    Shared and local addresses are the lower words of generic ones.

    Returns
    -------
    op : int
    lanes : uint32
    """
    kind = 0 if c[0] == I.LD else 1 if c[0] == I.ST else 2
    if not on:
        return IN_GLOBAL[kind], on
    kept[:, SEEN] = 0  # wavefronts depend on the space
    wide_addresses(regs, base, c[I.A], c[I.C_], c[I.OFFSET], c[I.FLAGS] & I.NARROW, address)
    window = window_of(address[first_lane(on)] >> 32)
    lanes = ZERO
    for lane in range(S.LANES):
        lanes |= np.uint32(window_of(address[lane] >> 32) == window) << np.uint32(lane)
    op = IN_GLOBAL[kind]
    if window == S.SHARED_WINDOW_HI:
        op = IN_SHARED[kind]
    elif window == S.LOCAL_WINDOW_HI:
        op = IN_LOCAL[kind]
    return op, lanes & on


@jit
def shared_at_large(m, c, index, w, block, sm, on, t, count):
    """ATOM in shared memory; on packed halves it is refused there, and q0 says so."""
    if c[I.FLAGS] & I.HALF:
        set_predicate(m.preds[w], c[I.Q0], ZERO, on)
        return t
    return atomic_shared(m, c, index, w, block, sm, on, t, count)


@inline
def window_of(high):
    """The window an upper word names, 0 for global memory."""
    return high if high == S.SHARED_WINDOW_HI or high == S.LOCAL_WINDOW_HI else np.int64(0)


@jit
def prefetch(m, c, index, w, block, sm, on, t, count):
    """PREFETCH: each lane's sector, fetched as a load would; what lies in no array is passed over."""
    address = m.scratch[33]
    wide_addresses(m.regs, first_row(m, w), c[I.A], c[I.C_], c[I.OFFSET], c[I.FLAGS] & I.NARROW, address)
    good = on
    for lane in range(S.LANES):
        address[lane] &= -4
        if find_array(m.bounds, m.shape[S.N_BUFFERS], address[lane], 4) < 0:
            good &= (np.uint32(1) << np.uint32(lane)) ^ FULL
    if not good or m.shape[S.TIMELESS]:
        return t
    p, origin = coalesce(m.patterns[index], address, good, 4, False, m.scratch)
    count[C.PREFETCH_WAVES] += 1
    count[C.LINES] += p[PAT_N_LINES]
    reads(m, sm, w)
    for j in range(p[PAT_N_LINES]):
        line = origin + p[PAT_LINES + j]
        row, sectors, words = l1_row(m, sm, line), p[PAT_SECTORS + j], p[PAT_WORDS + j]
        l1_read(m, sm, row, line, sectors, words, c[I.CACHE] == I.CG, t, count)
    return t


@jit
def in_space(m, c, w, on):
    """QSPC: q0 = the generic address lies in the space asked for."""
    address, found = m.scratch[33], ZERO
    wide_addresses(m.regs, first_row(m, w), c[I.A], c[I.C_], c[I.OFFSET], c[I.FLAGS] & I.NARROW, address)
    wanted = (np.int64(0), np.int64(S.SHARED_WINDOW_HI), np.int64(S.LOCAL_WINDOW_HI))[c[I.SUB]]
    for lane in range(S.LANES):
        found |= np.uint32(window_of(address[lane] >> 32) == wanted) << np.uint32(lane)
    set_predicate(m.preds[w], c[I.Q0], found, on)


@jit
def move_barrier(warp, c, u, base, on):
    """BMOV: read the lanes of a convergence barrier, or set them."""
    place = S.MEET_MASK + c[I.SUB]
    if c[I.A] != I.NO_ROW:
        warp[place] = np.int64(u[at(c[I.A], base), first_lane(on)])
        return
    fill(u[at(c[I.DST], base)], np.uint32(warp[place]), on)
    if c[I.FLAGS] & I.CLEAR:
        warp[place] = 0


@jit
def read_special(m, c, w, block, sm, on, t):
    """S2R, CS2R; a uniform register gets the first active lane's value in all lanes."""
    which, d = c[I.SUB], at(c[I.DST], first_row(m, w))
    lanes = all_if_uniform(m, c, on)
    if which > I.SMID:
        other_special(which, m.regs[d], m.shape, w, t, lanes)
    else:
        special(which, m.regs[d], m.shape, m.blocks[block], w, sm, lanes)
        if c[I.DST] >= m.shape[S.UNIFORM] and on:
            fill(m.regs[d], m.regs[d, first_lane(on)], FULL)
    if c[0] == I.CS2R and c[I.WIDTH] == 8:
        pairs = which == I.CLOCK_LO or which == I.GLOBALTIMER_LO
        other_special(which + 1 if pairs else I.ZERO_REGISTER, m.regs[d + 1], m.shape, w, t, lanes)


@jit
def seldom_control(m, c, op, index, w, block, on, t, count):
    """Control flow; returns WENT or a reason to stop (-1 less the reason)."""
    warp, base, went = m.warps[w], first_row(m, w), np.int64(0)
    if op == I.BAR:
        return barrier(m, c, index, w, block, on, t)
    if op == I.WARPSYNC:
        went = sync_lanes(warp, m.regs[at(c[I.A], base)], (c[I.FLAGS] & I.EXCLUSIVE) != 0)
    elif op == I.BREAK:
        break_off(warp, c[I.SUB], np.int64(on & predicate(m.preds[w], c[I.P0])))
    elif op == I.BRA:
        lanes = np.int64(where_true(m.preds[w], c, on, count))
        together = meets_mask(c, m.regs, base, lanes, warp[S.MASK], warp[S.ALIVE])
        if c[I.FLAGS] & I.CONVERGED:
            went = branch(warp, c[I.TARGET], lanes if together else np.int64(0))
        else:
            went = branch(warp, c[I.TARGET], np.int64(0) if together else warp[S.MASK])
    else:
        went = go(m, c, warp, base, np.int64(where_true(m.preds[w], c, on, count)))
    if went < 0:
        fail(m, E.BAD_JUMP if went == NOWHERE else E.DEADLOCK if went == STUCK else E.SPLITS, index, 0, block, 0, w)
        return S.FAILURE
    count[C.DIVERGED] += went
    return S.WENT


@jit
def go(m, c, warp, base, lanes):
    """CALL, BRX, RET by some lanes; returns as :func:`~gpusim.engine.core.flow.jump`."""
    if not lanes:
        warp[S.PC] += 1
        return np.int64(0)
    if c[I.A] == I.NO_ROW:
        return np.int64(part(warp, c[I.TARGET], lanes))
    return jump(warp, m.regs[at(c[I.A], base)], np.int64(c[I.OFFSET]), m.place, lanes)


@jit
def barrier(m, c, index, w, block, on, t):
    """BAR; the same."""
    warp, base = m.warps[w], first_row(m, w)
    warp[S.PC] += 1
    if not on:
        return S.WENT
    if on != warp[S.ALIVE]:
        fail(m, E.DIVERGENT_BARRIER, index, 0, block, 0, w)
        return S.FAILURE
    lane = first_lane(on)
    number = np.int64(c[I.SUB] & 15) + np.int64(m.regs[at(c[I.A], base), lane])
    threads = np.int64(m.regs[at(c[I.B], base), lane])
    if c[I.B] >= 0:  # of a register
        threads = (threads >> 16) & 0xFFF
    if number & (S.N_BARRIERS - 1) >= m.shape[S.BARRIERS]:
        fail(m, E.BAD_BARRIER, index, lane, block, number & (S.N_BARRIERS - 1), w)
        return S.FAILURE
    reach(c, warp, m.blocks[block], number, threads, on & predicate(m.preds[w], c[I.P0]), on)
    if c[I.FLAGS] & I.ARRIVE:
        pass_by(m, block, warp[S.BAR_NUMBER], t)
        return S.WENT
    return -1 - S.AT_BLOCK_BARRIER


@jit
def exchange(c, op, u, base, preds, warp, on, uniform, bits):
    """Moves between kinds of registers and lanes."""
    if op == I.MATCH:
        match(c, u, base, preds, on, bits)
    elif op == I.R2UR:
        spread(c, u, base, preds, on)
    elif op == I.P2R:
        pack_predicates(u, c, base, preds, on)
    elif op == I.R2P:
        unpack_predicates(u, c, base, preds, on)
    elif op == I.B2R:
        result = np.uint32(warp[S.BAR_RESULT])
        fill(u[at(c[I.DST], base)], result, on)
        set_predicate(preds, c[I.Q0], FULL if result else ZERO, on)
    elif op == I.MOVM:
        transpose(u[at(c[I.A], base)], u[at(c[I.DST], base)], bits[0], on)
    elif op == I.REDUX:
        reduce_lanes(c, u, base, on, uniform, bits[1])


@jit
def meets_mask(c, u, base, lanes, active, alive):
    """Whether all lanes of BRA.DIV's or BRA.CONV's mask a that are alive are among ``lanes``."""
    value = np.int64(u[at(c[I.A], base), first_lane(np.uint32(active))])
    if c[I.MODS] & 1:
        value ^= np.int64(FULL)
    return are_among(named(value), lanes, alive)
