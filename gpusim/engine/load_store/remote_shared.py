"""Loads, stores and atomics in shared memory of other blocks of a cluster: LD, ST and ATOM at generic addresses."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.atomic_values import update
from gpusim.engine.alu.operands import FULL, at, set_predicate
from gpusim.engine.compiling.jit import jit
from gpusim.engine.load_store.cluster_memory import (
    WITHIN,
    note_from_afar,
    place_at,
    rank_of,
    send_among,
    tpc_apart,
    was_written,
)
from gpusim.engine.load_store.generic_space import generic, generic_addresses
from gpusim.engine.load_store.global_memory import extend
from gpusim.engine.load_store.pipe import take_pipe
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import first_row
from gpusim.engine.state.geometry import SECTOR_BITS

ONE = np.uint32(1)


@jit
def generic_in_cluster(m, c, index, w, slot, sm, on, t, count):
    """LD, ST, ATOM where blocks are in clusters: lanes that go to other blocks, and the others as ever."""
    afar = lanes_afar(m, c, w, slot, on)
    done = t
    if afar:
        done = access_afar(m, c, index, w, slot, sm, afar, t, count)
    rest = np.uint32(on & (afar ^ FULL))
    if done < 0 or (afar and not rest):
        return done
    back = generic(m, c, index, w, slot, sm, rest, t, count)
    return back if back < 0 else max(done, back)


@jit
def lanes_afar(m, c, w, slot, on):
    """Lanes whose address lies in the shared memory of another block; the addresses are worked out."""
    address, lanes, own = m.scratch[S.ADDRESSES], np.uint32(0), m.blocks[slot, S.CLUSTER_PLACE]
    generic_addresses(c, m.regs, first_row(m, w), address)
    for lane in range(S.LANES):
        there = (address[lane] >> 32) == S.SHARED_WINDOW_HI and rank_of(address[lane]) != own
        lanes |= np.uint32(there) << np.uint32(lane)
    return np.uint32(lanes & on)


@jit
def access_afar(m, c, index, w, slot, sm, on, t, count):
    """Access shared memory of other blocks; the tick the data is there, or FAILURE.

    Atomics on packed halves are refused there, as in a block's own.  What compilers put after it then adds whole words,
    not halves: so does an H200.
    """
    address, width, base, farthest = m.scratch[S.ADDRESSES], np.int64(c[I.WIDTH]), first_row(m, w), np.int64(0)
    if c[0] == I.ATOM and c[I.FLAGS] & I.HALF:
        set_predicate(m.preds[w], c[I.Q0], np.uint32(0), on)
        return t
    done = np.uint32(0)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        found = place_at(m, slot, address[lane] & 0xFFFFFFFF, width, width, index, lane, w, t)
        if found < 0:
            return np.int64(S.FAILURE)
        farthest = max(farthest, tpc_apart(m, sm, found))
        place = address[lane] & WITHIN
        if c[0] != I.ST and not c[I.LIGHT] and not was_written(m, found, place, width, index, lane, w, slot):
            return np.int64(S.FAILURE)
        if not c[I.LIGHT]:
            done |= np.uint32(move_afar(m, c, base, lane, found, place, width)) << np.uint32(lane)
    if c[0] == I.ATOM:
        set_predicate(m.preds[w], c[I.Q0], done, on)
    return time_afar(m, c, sm, on, farthest, t, count)


@jit
def move_afar(m, c, base, lane, found, place, width):
    """The value of one lane; returns whether it was done, as an atomic says."""
    shared = m.shared[found]
    if c[0] == I.ATOM:
        ok = update(shared, place >> 2, c, m.regs, base, lane, m.bits[1], True)
        note_from_afar(m, found, place, width)
        return ok
    first = at(c[I.DST] if c[0] == I.LD else c[I.B], base)
    if c[0] == I.ST:
        store_afar(shared, place, width, m.regs, first, lane)
        note_from_afar(m, found, place, width)
    elif width < 4:
        value = np.uint32(shared.view(np.uint8)[place] if width == 1 else shared.view(np.uint16)[place >> 1])
        m.regs[first, lane] = extend(value, width) if c[I.FLAGS] & I.SIGNED else value
    else:
        for k in range(width >> 2):
            m.regs[first + k, lane] = shared[(place >> 2) + k]
    return True


@jit
def store_afar(shared, place, width, regs, first, lane):
    """Store the value of a lane."""
    if width == 1:
        shared.view(np.uint8)[place] = np.uint8(regs[first, lane] & np.uint32(0xFF))
    elif width == 2:
        shared.view(np.uint16)[place >> 1] = np.uint16(regs[first, lane] & np.uint32(0xFFFF))
    else:
        for k in range(width >> 2):
            shared[(place >> 2) + k] = regs[first + k, lane]


@jit
def time_afar(m, c, sm, on, farthest, t, count):
    """Charge the pipe and the way to other SMs; the tick at which the data is there, of a store that it is sent."""
    count[C.SH_OTHER_WAVES] += 1
    if m.shape[S.TIMELESS]:
        return t
    begin = take_pipe(m, sm, t, np.int64(S.TICKS), 1)
    sectors = sectors_afar(m.scratch[S.ADDRESSES], on, m.scratch[S.WORKED])
    begin = send_among(m, sm, sectors << SECTOR_BITS, m.rates[S.REMOTE_STORE if c[0] == I.ST else S.REMOTE_LOAD], begin)
    if c[0] == I.ST:
        return begin
    return begin + m.rates[S.REMOTE] + farthest + (m.rates[S.REMOTE_ATOMIC] if c[0] == I.ATOM else np.int64(0))


@jit
def sectors_afar(address, on, seen):
    """Sectors in which the addresses of some lanes begin; ``seen``: scratch, a place a lane."""
    n = np.int64(0)
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        sector, known = address[lane] >> SECTOR_BITS, False
        for k in range(n):
            known = known or seen[k] == sector
        if not known:
            seen[n] = sector
            n += 1
    return n
