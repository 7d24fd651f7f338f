"""Atomics of one warp, in global and in shared memory: checked, counted, timed, done lane by lane in order."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.atomic_values import update
from gpusim.engine.alu.operands import FULL, at, set_predicate
from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.access_patterns import (
    PAT_LINES,
    PAT_N_LINES,
    PAT_N_SECTORS,
    PAT_SECTORS,
    PAT_WAVES,
    coalesce,
)
from gpusim.engine.hierarchy.bank_conflicts import ideal_wavefronts
from gpusim.engine.hierarchy.outbox import UPDATE, asked_so_far, at_instruction, done_at, post_request
from gpusim.engine.load_store.buffers import array_touched, own_offset, refuse_stray, short_addresses, wide_addresses
from gpusim.engine.load_store.shared_memory import check_shared, shared_time
from gpusim.engine.load_store.traffic import STORES, note_access, note_shared
from gpusim.engine.load_store.unwritten import note_written
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import first_row
from gpusim.engine.state.geometry import BANKS

ONE = np.uint32(1)


@jit
def atomic_global(m, c, index, w, block, sm, on, t, count):
    """ATOMG, RED: done at L2; returns the tick the old values are there, or -1."""
    base, address = first_row(m, w), m.scratch[S.ADDRESSES]
    wide_addresses(m.regs, base, c[I.A], c[I.D], c[I.OFFSET], c[I.FLAGS] & I.NARROW, address)
    p, origin = coalesce(m.patterns[index], address, on, c[I.WIDTH], False, m.scratch)
    array = array_touched(m, c, p, origin, index, w, block, address, on)
    if array < 0:
        return S.FAILURE
    returns = c[0] != I.RED
    count[C.INST_ATOM] += 1
    count[C.ATOM_REQ if returns else C.RED_REQ] += 1
    count[C.ATOM_SECTORS if returns else C.RED_SECTORS] += p[PAT_N_SECTORS]
    passes = ideal_wavefronts(on, c[I.WIDTH] * values_sent(c))
    count[C.ATOM_WAVES] += passes * (2 if returns else 1)
    count[C.LINES] += max(p[PAT_N_LINES], passes)
    note_access(m, index, array, p, popcount(on) * c[I.WIDTH], STORES)
    if bool(c[I.LIGHT]) == bool(m.bounds[array, S.HELD]):
        return refuse_stray(m, index, on, block, address, w)
    if not c[I.LIGHT]:
        update_global(m, c, w, address, on, returns)
    if m.shape[S.TIMELESS]:
        return t
    first = asked_so_far(m, sm)
    at_instruction(m, sm, w, index, array)
    for j in range(p[PAT_N_LINES]):
        post_request(m, sm, UPDATE, origin + p[PAT_LINES + j], p[PAT_SECTORS + j], t, np.int64(0), np.int64(-1))
    return done_at(m, sm, first, t)


@inline
def values_sent(c):
    """Values that a lane sends along: what is to be compared, too."""
    kind = c[I.SUB] & 15
    return 2 if kind == I.CAS or kind == I.CAST else 1


@jit
def update_global(m, c, w, address, on, returns):
    """The values of a global atomic."""
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            word = (address[lane] - S.GLOBAL_BASE) >> 2
            update(m.data, word, c, m.regs, first_row(m, w), lane, m.bits[1], returns)
            if m.shape[S.CHECKED]:
                for k in range(max(c[I.WIDTH] >> 2, 1)):
                    note_written(m, word + k)
    set_predicate(m.preds[w], c[I.Q0], FULL, on)


@jit
def update_shared(m, c, w, block, address, on):
    """The values of a shared atomic."""
    base, shared, done = first_row(m, w), m.shared[block], np.uint32(0)
    if c[I.SUB] & 15 == I.POPC_INC:
        count_lanes(shared, m.regs[at(c[I.DST], base)], address, on)
        return
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            ok = update(shared, address[lane] >> 2, c, m.regs, base, lane, m.bits[1], True)
            done |= np.uint32(ok) << np.uint32(lane)
    set_predicate(m.preds[w], c[I.Q0], done, on)


@jit
def count_lanes(shared, d, address, on):
    """POPC_INC: every lane adds 1 and is given what was there before any of them did."""
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            d[lane] = shared[address[lane] >> 2]
    for lane in range(S.LANES):
        if (on >> np.uint32(lane)) & ONE:
            shared[address[lane] >> 2] += ONE


@jit
def atomic_shared(m, c, index, w, block, sm, on, t, count):
    """ATOMS; returns the tick the old values are there, or -1."""
    base, address, width = first_row(m, w), m.scratch[S.ADDRESSES], np.int64(c[I.WIDTH])
    short_addresses(m.regs, base, c[I.A], c[I.D], (c[I.SUB] >> 8) & 7, own_offset(m, c, block), address)
    if not check_shared(m, index, w, block, address, on, width, True, True):
        return S.FAILURE
    if not c[I.LIGHT]:
        update_shared(m, c, w, block, address, on)
    if c[I.SUB] & 15 == I.POPC_INC:
        waves = coalesce(m.patterns[index], address, on, width, False, m.scratch)[0][PAT_WAVES]
    else:
        waves = atomic_wavefronts(address, on, width, m.scratch[S.WORKED]) * values_sent(c)
    count[C.SH_ATOM_WAVES] += waves
    note_shared(m, index, waves, ideal_wavefronts(on, width) * values_sent(c))
    return shared_time(m, sm, waves, 1, 1, t)


@jit
def atomic_wavefronts(address, on, width, lanes):
    """Wavefronts of a shared atomic: of the lanes in one bank one goes at a time, those of the same word too.

    As on an H100 (calibration/data/instruction_kinds): what adds 1 to a word for several lanes at once (POPC_INC) takes
    as many as a load, and what compares and swaps twice as many.  ``lanes``: scratch, a place a bank.
    """
    words, total = max(width >> 2, 1), np.int64(0)
    group = S.LANES // words
    for first in range(0, S.LANES, group):
        for bank in range(BANKS):
            lanes[bank] = 0
        worst = np.int64(0)
        for lane in range(first, first + group):
            if (on >> np.uint32(lane)) & ONE:
                bank = (address[lane] >> 2) & (BANKS - 1)
                lanes[bank] += 1
                worst = max(worst, lanes[bank])
        total += worst
    return total
