"""LDGSTS: copies from global to shared memory that pass the registers by.

The data moves at once; what is late is the tick at which a wait for the copy ends.
A program that reads before it has waited is not found out.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import predicate
from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.access_patterns import PAT_N_LINES, PAT_N_SECTORS, PAT_WAVES, coalesce
from gpusim.engine.hierarchy.bank_conflicts import ideal_wavefronts
from gpusim.engine.hierarchy.l1 import find_lines
from gpusim.engine.hierarchy.outbox import set_tick
from gpusim.engine.load_store.buffers import array_touched, own_offset, refuse_stray, short_addresses, wide_addresses
from gpusim.engine.load_store.copied_lines import (
    ask_for_copy,
    pair_lines,
    requests_of_pairs,
    wavefronts_by_turn,
    wavefronts_of_pairs,
)
from gpusim.engine.load_store.global_memory import prefetch_below, read_lines
from gpusim.engine.load_store.pipe import take_pipe, take_tags
from gpusim.engine.load_store.shared_memory import check_shared, without_conflicts
from gpusim.engine.load_store.traffic import LOADS, note_access
from gpusim.engine.load_store.unwritten import is_unwritten
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail, first_row

ONE, ZERO = np.uint32(1), np.uint32(0)


@jit
def copy_async(m, c, index, w, block, sm, on, t, count):
    """LDGSTS; returns the tick it is issued, or -1.

    A lane whose p0 is false writes zeros and reads nothing.  Copies past L1 have the data stage for these only, and a
    wavefront that no counter has.
    """
    base, source, target, width = first_row(m, w), m.scratch[S.ADDRESSES], m.scratch[S.TARGETS], np.int64(c[I.WIDTH])
    wide_addresses(m.regs, base, c[I.B], c[I.C_], c[I.TARGET], c[I.FLAGS] & I.NARROW, source)
    short_addresses(m.regs, base, c[I.A], I.NO_ROW, 0, own_offset(m, c, block), target)
    reads = on & predicate(m.preds[w], c[I.P0])
    zeros = m.scratch[S.ZEROS]
    take_zeros(c[I.FLAGS] & I.ZFILL, source, width, zeros)
    if not check_shared(m, index, w, block, target, on, width, True, False):
        return S.FAILURE
    past = c[I.CACHE] == I.CG
    waves, written = np.int64(0), on & ~reads if past else on
    if written:
        waves = copy_wavefronts(m, index, sm, source, target, ZERO if past else reads, written, width)
        ideal = min(ideal_wavefronts(written, width), waves)
        waves = without_conflicts(m, waves, ideal)
        count[C.SH_ASYNC_WAVES] += waves
        count[C.SH_ASYNC_IDEAL] += ideal
    if reads:
        done = fetch_copy(m, c, index, w, block, sm, source, target, reads, t, waves + past, count)
    else:
        done = t if m.shape[S.TIMELESS] else take_pipe(m, sm, t, waves * S.TICKS, 1)
    if done < 0:
        return done
    if not c[I.LIGHT] and not move_copy(m, index, w, block, source, target, zeros, width, reads, on):
        return S.FAILURE
    set_tick(m, sm, w, S.COPIED, done)
    return t


@inline
def take_zeros(fills, source, width, zeros):
    """With ZFILL the low bits of an address say how many bytes at the end are zero."""
    for lane in range(S.LANES):
        zeros[lane] = source[lane] & (width - 1) if fills else 0
        source[lane] -= zeros[lane]


@jit
def copy_wavefronts(m, index, sm, source, target, reads, on, width):
    """Wavefronts of the data stage for what lanes ``on`` write, of which some read through L1."""
    p, _ = coalesce(m.patterns[m.shape[S.N_CODE] + index], target, on, width, False, False, m.scratch)
    waves = p[PAT_WAVES]
    if reads:
        p, origin = coalesce(m.patterns[index], source, reads, width, False, False, m.scratch)
        if find_lines(m, sm, p, origin, m.scratch[0]) > 1:
            waves = wavefronts_by_turn(p, origin, source, target, reads, on, width, m.scratch)
    return waves


@jit
def fetch_copy(m, c, index, w, block, sm, source, target, on, t, waves, count):
    """The global side: counted as a load; the tick its data is there."""
    p, origin = coalesce(m.patterns[index], source, on, c[I.WIDTH], False, False, m.scratch)
    array = array_touched(m, c, p, origin, index, w, block, source, on)
    if array < 0:
        return S.FAILURE
    if not c[I.LIGHT] and not m.bounds[array, S.HELD]:
        return refuse_stray(m, index, on, block, source, w)
    n, looked_up, sectors = 0, p[PAT_N_LINES], p[PAT_N_SECTORS]
    tags, past = find_lines(m, sm, p, origin, m.scratch[0]), c[I.CACHE] == I.CG
    if past:
        looked_up = pair_lines(p, origin, source, target, on, m.scratch)
        tags = wavefronts_of_pairs(p, looked_up, m.scratch)
        n, sectors = requests_of_pairs(source, target, on, looked_up, m.scratch)
    prefetch_below(m, index, sm, p, origin)
    count[C.LD_REQ] += 1
    count[C.LD_SECTORS] += sectors
    count[C.LD_TAGS] += tags
    count[C.LINES] += looked_up
    note_access(m, index, array, p, sectors, popcount(on) * c[I.WIDTH], LOADS)
    if m.shape[S.TIMELESS]:
        return t
    begin = take_tags(m, sm, t, tags * S.TICKS, waves * S.TICKS)
    if past:
        return ask_for_copy(m, index, w, p, array, sm, origin, n, tags, begin)
    return read_lines(m, c, index, w, p, array, sm, origin, 1, begin, count)


@jit
def move_copy(m, index, w, block, source, target, zeros, width, reads, on):
    """Words from global to shared memory, zeros where nothing is read and in the last ``zeros`` bytes."""
    shared = m.shared[block]
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        for k in range(width >> 2):
            value = np.uint32(0)
            if (reads >> np.uint32(lane)) & ONE:
                word = ((source[lane] - S.GLOBAL_BASE) >> 2) + k
                value = m.data[word] & kept_bits(width - zeros[lane] - 4 * k)
                if m.shape[S.CHECKED] and is_unwritten(m, word):
                    return fail(m, E.UNWRITTEN_GLOBAL, index, lane, block, source[lane], w)
            shared[(target[lane] >> 2) + k] = value
    return True


@inline
def kept_bits(nbytes):
    """Mask of the first bytes of a word."""
    if nbytes >= 4:
        return np.uint32(0xFFFFFFFF)
    return np.uint32((np.int64(1) << np.int64(8 * max(nbytes, 0))) - 1)
