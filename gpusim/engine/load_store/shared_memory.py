"""Shared loads and stores of one warp: checked, counted, timed, and their values moved."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.operands import at
from gpusim.engine.compiling.jit import cold, inline, spliced
from gpusim.engine.compiling.lanes import pointer, store
from gpusim.engine.hierarchy.access_patterns import MIXED, PAT_STEP, PAT_WAVES, coalesce, within
from gpusim.engine.hierarchy.bank_conflicts import ideal_wavefronts
from gpusim.engine.load_store.buffers import own_offset, short_addresses, word_at
from gpusim.engine.load_store.global_memory import extend
from gpusim.engine.load_store.pipe import between_shared, data_apart, goes_for_nothing, take_pipe
from gpusim.engine.load_store.strided import load_strided, store_strided
from gpusim.engine.load_store.traffic import note_shared
from gpusim.engine.state import columns as S
from gpusim.engine.state import counts as C
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.faults import fail, first_row

ONE = np.uint32(1)
BY_ATOMICS, MANY = 0x4000, 0xFFFF  # in a stamp of who touched shared memory: the kind of write, more than one warp


@cold
def check_shared(m, index, w, block, address, on, width, writes, atomic):
    """Bounds, alignment; in checked runs also what nothing wrote and races between warps."""
    warp, first, before = w % m.shape[S.WARPS], m.shape[S.SHARED_BASE], np.int64(-1)
    for lane in range(S.LANES):
        a = address[lane]
        if not (on >> np.uint32(lane)) & ONE or a == before:
            continue
        before = a
        if a < first or a + width > first + m.shape[S.SHARED_BYTES]:
            return fail(m, E.SHARED_BOUNDS, index, lane, block, a, warp)
        if a & (width - 1):
            return fail(m, E.SHARED_MISALIGNED, index, lane, block, a, warp)
        if not m.shape[S.CHECKED]:
            continue
        for half in range(a >> 1, (a >> 1) + max(width >> 1, 1)):
            if nobody_else(m, block, half, warp, writes, atomic):
                m.touched[block, half, 1 - writes] = stamp_of(m, block, warp)
            elif not check_half(m, index, lane, block, half, warp, writes, atomic):
                return False
    return True


@inline
def stamp_of(m, block, warp):
    """What a warp of a block leaves where it reads or writes shared memory."""
    return (np.int64(m.blocks[block, S.PHASE]) + 1) << 16 | (warp + 1)


@inline
def nobody_else(m, block, half, warp, writes, atomic):
    """Whether two shared bytes were written in an earlier phase, and no other warp has read them since."""
    stamp = stamp_of(m, block, warp)
    wrote, read = m.touched[block, half, 0], m.touched[block, half, 1]
    now = stamp ^ (warp + 1)
    return not atomic and wrote < now and (writes or wrote > 0) and (read < now or read == stamp)


@cold
def check_half(m, index, lane, block, half, warp, writes, atomic):
    """Two shared bytes: written before they are read, and by no other warp in this phase.

    Atomics of several warps do not race with one another.
    """
    stamp = stamp_of(m, block, warp)
    now = stamp ^ (warp + 1)
    wrote, read = m.touched[block, half, 0], m.touched[block, half, 1]
    if not writes and wrote == 0:
        return fail(m, E.UNWRITTEN_SHARED, index, lane, block, half * 2, warp)
    if atomic and wrote >= now and wrote & BY_ATOMICS:
        stamp = wrote if wrote == stamp | BY_ATOMICS else now | MANY
    elif wrote >= now and wrote & ~BY_ATOMICS != stamp:
        return fail(m, E.RACE, index, lane, block, half * 2, warp)
    elif atomic and wrote < now:
        stamp |= BY_ATOMICS
    if writes:
        if read >= now and read != now | (warp + 1):
            return fail(m, E.RACE, index, lane, block, half * 2, warp)
        m.touched[block, half, 0] = stamp
    else:
        m.touched[block, half, 1] = stamp if read < now or read == stamp else now | MANY
    return True


@inline
def shared_addresses(m, c, w, address):
    """Lane addresses of a shared access."""
    base, offset = first_row(m, w), own_offset(m, c, w // m.shape[S.WARPS])
    if c[I.SUB] != 0 or c[I.C_] != I.NO_ROW:
        short_addresses(m.regs, base, c[I.A], c[I.C_], c[I.SUB], offset, address)
        return
    a = word_at(m.regs, at(c[I.A], base)) + offset
    store(pointer(address), np.int64(0), a & np.int64(0xFFFFFFFF))


@spliced
def access_shared(m, c, op, index, w, block, sm, on, t, count):
    """LDS, STS; returns the tick its data is there, or -1."""
    address = m.scratch[S.ADDRESSES]
    writes = op != I.LDS
    width = np.int64(c[I.WIDTH])
    shared_addresses(m, c, w, address)
    first = m.shape[S.SHARED_BASE]
    p, origin = coalesce(m.patterns[index], address, on, width, not writes, False, m.scratch)
    fine = not m.shape[S.CHECKED] and within(p, origin, width, first, first + m.shape[S.SHARED_BYTES])
    if not fine and not check_shared(m, index, w, block, address, on, width, writes, False):
        return S.FAILURE
    ideal = min(ideal_wavefronts(on, width), p[PAT_WAVES]) * np.int64(c[I.REPEAT])  # fewer where pairs of lanes agree
    waves = without_conflicts(m, p[PAT_WAVES] * np.int64(c[I.REPEAT]), ideal)
    if writes:
        count[C.SH_ST_WAVES] += waves
        count[C.SH_ST_IDEAL] += ideal
    else:
        count[C.SH_LD_WAVES] += waves
        count[C.SH_LD_IDEAL] += ideal
    note_shared(m, index, waves, ideal)
    m.misc[S.LATEST_WAVES] = waves | (ideal << S.WAVES_FIELD)
    if not c[I.LIGHT]:
        move_shared(m, c, op, w, block, address, on, p[PAT_STEP])
    return shared_time(m, sm, waves, ideal, c[I.REPEAT], t)


@inline
def without_conflicts(m, waves, ideal):
    """Wavefronts of an access: those it takes, or where banks are to have no conflicts those it would."""
    return min(waves, ideal) if m.shape[S.WITHOUT] & S.NO_CONFLICTS else waves


@inline
def shared_time(m, sm, waves, passes, repeat, t):
    """Charge the load/store pipe; the tick at which the data is there, that comes in so many passes."""
    if m.shape[S.TIMELESS] or goes_for_nothing(m):
        return t
    busy = waves * S.TICKS + between_shared(m, m.sms[sm])
    begin = take_pipe(m, sm, t, busy, repeat)
    return begin + m.rates[S.SHARED] + data_apart(m, waves, passes)


@spliced
def move_shared(m, c, op, w, block, address, on, step):
    """The values of a shared access."""
    shared, width = m.shared[block], c[I.WIDTH]
    halves, octets = shared.view(np.uint16), shared.view(np.uint8)
    first = at(c[I.DST] if op == I.LDS else c[I.B], first_row(m, w))
    if step != MIXED and width >= 4:
        for k in range(width >> 2):
            if op == I.LDS:
                load_strided(m.regs[first + k], shared, (address[0] >> 2) + k, step)
            else:
                store_strided(m.regs[first + k], shared, (address[0] >> 2) + k, step)
        return
    for lane in range(S.LANES):
        if not (on >> np.uint32(lane)) & ONE:
            continue
        a = address[lane]
        if width < 4 and op == I.LDS:
            value = np.uint32(octets[a] if width == 1 else halves[a >> 1])
            m.regs[first, lane] = extend(value, width) if c[I.FLAGS] & I.SIGNED else value
        elif width == 1:
            octets[a] = np.uint8(m.regs[first, lane] & np.uint32(0xFF))
        elif width == 2:
            halves[a >> 1] = np.uint16(m.regs[first, lane] & np.uint32(0xFFFF))
        else:
            for k in range(width >> 2):
                if op == I.LDS:
                    m.regs[first + k, lane] = shared[(a >> 2) + k]
                else:
                    shared[(a >> 2) + k] = m.regs[first + k, lane]
