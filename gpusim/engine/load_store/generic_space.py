"""Generic addresses: LD, ST and ATOM, space by space, and QSPC.

Shared and local memory are windows of the generic space, told by the upper words of addresses.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import set_predicate
from gpusim.engine.compiling.bits import first_lane
from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.hierarchy.access_patterns import SEEN
from gpusim.engine.load_store.atomics import atomic_global, atomic_shared
from gpusim.engine.load_store.buffers import wide_addresses
from gpusim.engine.load_store.global_memory import load_global, store_global
from gpusim.engine.load_store.local_memory import access_local
from gpusim.engine.load_store.shared_memory import access_shared
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import first_row

ZERO = np.uint32(0)
IN_GLOBAL, IN_SHARED, IN_LOCAL = (I.LDG, I.STG, I.ATOMG), (I.LDS, I.STS, I.ATOMS), (I.LDL, I.STL, I.UNKNOWN)
"""What LD, ST and ATOM are, space by space."""


@jit
def generic(m, c, index, w, block, sm, on, t, count):
    """LD, ST, ATOM: space by space; no counter of instructions is of one space and counts these."""
    rest, done = on, t
    while True:
        op, part = generic_part(c, m.regs, first_row(m, w), m.patterns[index], m.scratch[S.ADDRESSES], rest)
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
        done, rest = max(done, back), np.uint32(rest ^ part)
        if not rest:
            return done


@inline
def generic_addresses(c, regs, base, address):
    """Lane addresses of LD, ST or ATOM, which has the uniform base elsewhere, since it may swap."""
    other = c[I.D] if c[0] == I.ATOM else c[I.C_]
    wide_addresses(regs, base, c[I.A], other, c[I.OFFSET], c[I.FLAGS] & I.NARROW, address)


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
    generic_addresses(c, regs, base, address)
    window = window_of(address[first_lane(on)] >> 32)
    lanes = ZERO
    for lane in range(S.LANES):
        lanes |= np.uint32(window_of(address[lane] >> 32) == window) << np.uint32(lane)
    op = IN_GLOBAL[kind]
    if window == S.SHARED_WINDOW_HI:
        op = IN_SHARED[kind]
    elif window == S.LOCAL_WINDOW_HI:
        op = IN_LOCAL[kind]
    return op, np.uint32(lanes & on)


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


@cold
def in_space(m, c, w, on):
    """QSPC: q0 = the generic address lies in the space asked for."""
    address, found = m.scratch[S.ADDRESSES], ZERO
    wide_addresses(m.regs, first_row(m, w), c[I.A], c[I.C_], c[I.OFFSET], c[I.FLAGS] & I.NARROW, address)
    shared, own = np.int64(S.SHARED_WINDOW_HI), m.blocks[w // m.shape[S.WARPS], S.CLUSTER_PLACE]
    wanted = (np.int64(0), shared, np.int64(S.LOCAL_WINDOW_HI), shared)[c[I.SUB]]
    for lane in range(S.LANES):
        there = window_of(address[lane] >> 32) == wanted
        if wanted == shared and c[I.SUB] != I.IN_CLUSTER:
            there = there and ((address[lane] & 0xFFFFFFFF) >> S.WINDOW_AT) == own
        found |= np.uint32(there) << np.uint32(lane)
    set_predicate(m.preds[w], c[I.Q0], found, on)
