"""Atomics of one warp, in global and in shared memory: checked, counted, timed, done lane by lane in order."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.atomic_values import update
from gpusim.engine.alu.operands import FULL, at, set_predicate
from gpusim.engine.compiling.bits import popcount
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.hierarchy.access_patterns import PAT_N_SECTORS, PAT_WAVES, coalesce, gather_lines, gather_words
from gpusim.engine.hierarchy.bank_conflicts import ideal_wavefronts
from gpusim.engine.hierarchy.l2 import ADDS_FLOATS, TWICE
from gpusim.engine.hierarchy.outbox import UPDATE, asked_so_far, at_instruction, done_at, post_request
from gpusim.engine.load_store.buffers import array_touched, own_offset, refuse_stray, short_addresses, wide_addresses
from gpusim.engine.load_store.pipe import send_out, tags_free, take_tags
from gpusim.engine.load_store.shared_memory import check_shared, shared_time
from gpusim.engine.load_store.traffic import STORES, note_access, note_shared
from gpusim.engine.load_store.unwritten import note_written
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import first_row
from gpusim.engine.state.geometry import BANKS
from gpusim.hardware.fixed import LINE

ONE = np.uint32(1)


@jit
def atomic_global(m, c, index, w, block, sm, on, t, count):
    """ATOMG, RED: done at L2; returns the tick the old values are there, or -1."""
    base, address = first_row(m, w), m.scratch[S.ADDRESSES]
    wide_addresses(m.regs, base, c[I.A], c[I.D], c[I.OFFSET], c[I.FLAGS] & I.NARROW, address)
    p, origin = coalesce(m.patterns[index], address, on, c[I.WIDTH], False, False, m.scratch)
    array = array_touched(m, c, p, origin, index, w, block, address, on)
    if array < 0:
        return S.FAILURE
    returns = c[0] != I.RED
    n, n_sectors = requests_of_lanes(address, on, np.int64(c[I.WIDTH]), values_sent(c), m.scratch)
    count[C.INST_ATOM] += 1
    count[C.ATOM_REQ if returns else C.RED_REQ] += 1
    count[C.ATOM_SECTORS if returns else C.RED_SECTORS] += n_sectors
    waves = n * (2 if returns else 1)
    count[C.ATOM_WAVES] += waves
    count[C.LINES] += n
    note_access(m, index, array, p, p[PAT_N_SECTORS], popcount(on) * c[I.WIDTH], STORES)
    if bool(c[I.LIGHT]) == bool(m.bounds[array, S.HELD]):
        return refuse_stray(m, index, on, block, address, w)
    if not c[I.LIGHT]:
        update_global(m, c, w, address, on, returns)
    if m.shape[S.TIMELESS] or m.shape[S.WITHOUT] & S.NO_ATOMICS:
        return t
    first, free = asked_so_far(m, sm), max(tags_free(m.sms[sm]), m.sms[sm, S.NOW])
    begin = take_tags(m, sm, t, n * S.TICKS, waves * S.TICKS)
    at_instruction(m, sm, w, index, array)
    ask_for_updates(m, c, sm, n, max(free, m.sms[sm, S.LSU] - waves * S.TICKS), begin - free)
    return done_at(m, sm, first, begin)


LINES_OF, SECTORS_OF, WORDS_OF = range(3)
"""Rows of scratch: the line of each request, its sectors and words."""


@jit
def requests_of_lanes(address, on, width, sent, scratch):
    """What a warp's atomic asks L2 for: a line in one request is changed by one lane at each address.

    As an H200 counts (atomics.cu): lanes at the same address go one after another, each with those at other addresses
    of its line; a request carries as many bytes as a line has.  ``sent``: values of ``width`` bytes that a lane sends.

    Returns
    -------
    n, n_sectors : int
        Requests, in the first rows of ``scratch``, and the sectors of all.
    """
    lines, sectors, turns = scratch[S.TARGETS], scratch[S.ZEROS], scratch[S.TURNS]
    n, n_sectors = 0, 0
    for k in range(lanes_by_turn(address, on, LINE // (width * sent), turns)):
        lanes = np.uint32(turns[k])
        found, own = gather_lines(address, lanes, lines, sectors)
        gather_words(address, lanes, width, lines, found, scratch[WORDS_OF, n:])
        n_sectors += own
        for j in range(found):
            scratch[LINES_OF, n], scratch[SECTORS_OF, n] = lines[j], sectors[j]
            n += 1
    return n, n_sectors


@inline
def lanes_by_turn(address, on, group, turns):
    """Lanes of each turn, a bit each, so that no two of a turn have the same address; how many turns there are."""
    n = 0
    for first in range(0, S.LANES, group):
        begin, highest = n, np.int64(-1)
        for lane in range(first, min(first + group, S.LANES)):
            if not (on >> np.uint32(lane)) & ONE:
                continue
            k, other = begin, first
            while address[lane] <= highest and other < lane:
                k += address[other] == address[lane] and (on >> np.uint32(other)) & ONE
                other += 1
            highest = max(highest, address[lane])
            if k == n:
                turns[n] = 0
                n += 1
            turns[k] |= np.int64(1) << lane
    return n


@inline
def how_changed(c):
    """How L2 changes sectors: :data:`ADDS_FLOATS`, :data:`TWICE`."""
    kind, floats = c[I.SUB] & 15, c[I.FLAGS] & (I.IS_FLOAT | I.HALF) != 0
    twice = kind == I.CAS or kind == I.CAST or (floats and c[I.WIDTH] == 8 and not c[I.FLAGS] & I.VECTOR)
    return ADDS_FLOATS * np.int64(floats and kind == I.ADD) + TWICE * np.int64(twice)


@inline
def ask_for_updates(m, c, sm, n, t, later):
    """Send the ``n`` requests of an atomic to L2; the value of a single lane goes along with its line.

    ``t``: when the pipe has room for them, which it keeps account of as instructions issue; they come ``later``.
    """
    how, of_a_lane = how_changed(c), max(c[I.WIDTH] >> 2, 1)
    for j in range(n):
        sectors, words = m.scratch[SECTORS_OF, j], m.scratch[WORDS_OF, j]
        whole = np.int64(0) if popcount(words) == of_a_lane else popcount(sectors)
        sent = send_out(m, sm, t, whole, np.int64(0), np.int64(0))
        post_request(m, sm, UPDATE, m.scratch[LINES_OF, j], sectors, sent + later, how, words)


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
    if c[I.SUB] & 15 in (I.POPC_INC, I.CAST):
        waves = coalesce(m.patterns[index], address, on, width, False, False, m.scratch)[0][PAT_WAVES]
    else:
        waves = atomic_wavefronts(address, on, width, m.scratch[S.WORKED])
    waves *= values_sent(c)
    if m.shape[S.WITHOUT] & S.NO_ATOMICS:
        waves = min(waves, ideal_wavefronts(on, width) * values_sent(c))
    count[C.SH_ATOM_WAVES] += waves
    note_shared(m, index, waves, ideal_wavefronts(on, width) * values_sent(c))
    return shared_time(m, sm, waves, 1, 1, t)


@jit
def atomic_wavefronts(address, on, width, lanes):
    """Wavefronts of a shared atomic: of the lanes in one bank one goes at a time, those of the same word too.

    As on an H100 (calibration/data/instruction_kinds): what adds 1 to a word for several lanes at once (POPC_INC) takes
    as many as a load, and what compares and swaps twice as many.  So does what gives up where another lane is first
    (CAST): 32 lanes at one word take two on an H200 (calibration/data/kinds).  ``lanes``: scratch, a place a bank.
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
