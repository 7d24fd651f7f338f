"""Who last touched each granule of memory: accesses that race, and reads of what nothing wrote."""

from __future__ import annotations

import numpy as np

from gpusim.engine.checking.findings import note, number_of
from gpusim.engine.checking.order import awaited_at, is_known, now
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.state import checks as K
from gpusim.engine.state import columns as S

WRITES, READS = 1, 2


@inline
def stamp_of(m, slot, thread, index, how):
    """What a thread's access leaves; ``how``: STRONG, COPY, AGENT."""
    return (m.blocks[slot, S.ID] << K.THREAD_BITS | thread) << K.WHO_AT | index << K.INDEX_AT | how


@jit
def race(m, row, slot, thread, stamp, does, began):
    """What is wrong with an access to a granule that something has touched before, and the earlier stamp; 0: nothing."""
    wrote, at = row[K.WROTE], row[K.WROTE_AT]
    if at >= began and not (stamp & wrote & K.STRONG) and not is_known(m, slot, thread, wrote, at):
        if does & WRITES and not does & READS:
            return np.int64(K.WAW), wrote
        if wrote & K.COPY and wrote >> K.WHO_AT >> K.THREAD_BITS == m.blocks[slot, S.ID]:
            if awaited_at(m, slot, wrote >> K.WHO_AT & K.THREADS, at) < 0:
                return np.int64(K.UNAWAITED_COPY), wrote
        return np.int64(K.RAW), wrote
    if does & WRITES:
        for column in (K.READ, K.READ_TOO):
            read, at = row[column], row[column + 1]
            if at >= began and not (stamp & read & K.STRONG) and not is_known(m, slot, thread, read, at):
                return np.int64(K.WAR), read
    return np.int64(0), np.int64(-1)


@jit
def leave(m, row, slot, thread, stamp, does, began):
    """An access leaves its stamp: a write alone, a read beside another one that it does not come after."""
    t = now(m)
    if does & WRITES:
        row[K.WROTE], row[K.WROTE_AT], row[K.READ_AT], row[K.READ_TOO_AT] = stamp, t, 0, 0
        return
    read, at = row[K.READ], row[K.READ_AT]
    if at < began or (read ^ stamp) >> K.WHO_AT == 0 or is_known(m, slot, thread, read, at):
        row[K.READ], row[K.READ_AT] = stamp, t
    else:
        row[K.READ_TOO], row[K.READ_TOO_AT] = stamp, t


@inline
def is_own(row, stamp, does, phase):
    """Whether all that has touched a granule since the block's latest barrier is this thread; told without looking far."""
    wrote = row[K.WROTE_AT] < phase or (row[K.WROTE] ^ stamp) >> K.WHO_AT == 0
    if does & WRITES:
        read = row[K.READ_AT] < phase or (row[K.READ] ^ stamp) >> K.WHO_AT == 0
        return wrote and read and row[K.READ_TOO_AT] < phase
    return wrote


@inline
def in_own_block(row, stamp):
    """Whether threads of the same block alone have touched a granule."""
    own = stamp >> K.WHO_AT >> K.THREAD_BITS
    others = np.int64(0)
    for column in (K.WROTE, K.READ, K.READ_TOO):
        touched = row[column + 1] != 0
        others |= np.int64(touched and row[column] >> K.WHO_AT >> K.THREAD_BITS != own)
    return others == 0


@inline
def plain(row):
    """Whether nothing but ordinary accesses is noted of a granule: copies are waited for in ways of their own."""
    return (row[K.WROTE] | row[K.READ] | row[K.READ_TOO]) & (K.COPY | K.AGENT) == 0


@jit
def touch(m, row, slot, thread, stamp, does, began, phase):
    """An access touches a granule: what is wrong with it and the earlier stamp; 0 and -1: nothing."""
    fault, before = np.int64(0), np.int64(-1)
    if not (is_own(row, stamp, does, phase) and plain(row) and in_own_block(row, stamp)):
        fault, before = race(m, row, slot, thread, stamp, does, began)
    leave(m, row, slot, thread, stamp, does, began)
    return fault, before


@jit
def report(m, fault, before, index, slot, thread, space, address, nbytes, value, old):
    """Note a race, with what both have written."""
    k = note(m, fault, index, number_of(m, slot, thread), space, address, nbytes, before, 0)
    if k:
        m.found[k, K.F_VALUE], m.found[k, K.F_OTHER_VALUE] = value, old if fault != K.WAR else K.NO_VALUE
