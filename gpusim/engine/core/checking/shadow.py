"""Who last touched each granule of memory: accesses that race, and reads of what nothing wrote."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.core.checking.findings import note, number_of
from gpusim.engine.core.checking.order import awaited_at, is_known, now
from gpusim.engine.state import checks as K
from gpusim.engine.state import columns as S

WRITES, READS = 1, 2


@inline
def stamp_of(m, slot, thread, index, how):
    """What a thread's access leaves; ``how``: STRONG, COPY, AGENT."""
    return (m.blocks[slot, S.ID] << K.THREAD_BITS | thread) << K.WHO_AT | index << K.INDEX_AT | how


@inline
def are_strong(stamp, other):
    """Whether two accesses see one another at once, as atomics do: they do not race."""
    both, narrow = stamp & other & K.STRONG, (stamp | other) & K.OF_BLOCK
    return both and not (narrow and (stamp ^ other) >> K.WHO_AT >> K.THREAD_BITS)


@jit
def race(m, row, slot, thread, stamp, does, began):
    """What is wrong with an access to a granule that was touched before, and the earlier stamp; 0: nothing."""
    wrote, at = row[K.WROTE], row[K.WROTE_AT]
    if at >= began and not are_strong(stamp, wrote) and not is_known(m, slot, thread, wrote, at):
        if does & WRITES and not does & READS:
            return np.int64(K.WAW), wrote
        copied = wrote & K.COPY and wrote >> K.WHO_AT >> K.THREAD_BITS == m.blocks[slot, S.ID]
        unawaited = copied and awaited_at(m, slot, wrote >> K.WHO_AT & K.THREADS, at) < 0
        return np.int64(K.UNAWAITED_COPY if unawaited else K.RAW), wrote
    changed, at = row[K.CHANGED], row[K.CHANGED_AT]
    if at >= began and not are_strong(stamp, changed) and not is_known(m, slot, thread, changed, at):
        return np.int64(K.RAW if does & READS else K.WAW), changed
    if does & WRITES:
        for column in (K.READ, K.READ_TOO):
            read, at = row[column], row[column + 1]
            if at >= began and not are_strong(stamp, read) and not is_known(m, slot, thread, read, at):
                return np.int64(K.READ_TOO_SOON if read & K.BLANK else K.WAR), read
    return np.int64(0), np.int64(-1)


@inline
def write_alone(row, stamp, t):
    """A write leaves its stamp: nobody has touched the granule since."""
    row[K.WROTE], row[K.WROTE_AT], row[K.READ_AT], row[K.READ_TOO_AT], row[K.CHANGED_AT] = stamp, t, 0, 0, 0


@jit
def leave(m, row, slot, thread, stamp, does, began):
    """An access leaves its stamp: a write alone, a read beside another one that it does not come after."""
    t = now(m)
    if does & WRITES and stamp & K.STRONG:
        row[K.CHANGED], row[K.CHANGED_AT] = stamp, t
        return
    if does & WRITES:
        write_alone(row, stamp, t)
        return
    read, at = row[K.READ], row[K.READ_AT]
    if at < began or (read ^ stamp) >> K.WHO_AT == 0 or is_known(m, slot, thread, read, at):
        row[K.READ], row[K.READ_AT] = stamp, t
    else:
        row[K.READ_TOO], row[K.READ_TOO_AT] = stamp, t


@inline
def was_written(row, began):
    """Whether anything has written a granule since its memory began."""
    return row[K.WROTE_AT] >= began or row[K.CHANGED_AT] >= began


@inline
def is_simple(row, stamp, does, began, phase):
    """Whether nothing is wrong at first sight with an access to shared memory.

    So it is where nobody has written there since the block's latest barrier but this thread, and somebody has before a
    read; before a write, where nobody else has read either.  Copies are waited for in ways of their own.
    """
    wrote = row[K.WROTE]
    if wrote & (K.COPY | K.AGENT) or (row[K.WROTE_AT] >= phase and (wrote ^ stamp) >> K.WHO_AT):
        return False
    if row[K.CHANGED_AT] >= phase:
        return False
    if not does & WRITES:
        return was_written(row, began)
    read = row[K.READ_AT] < phase or (row[K.READ] ^ stamp) >> K.WHO_AT == 0
    return read and row[K.READ_TOO_AT] < phase and not (row[K.READ] | row[K.READ_TOO]) & K.AGENT


@inline
def leave_alone(row, stamp, does, t, phase):
    """An access with which nothing is wrong leaves its stamp."""
    if does & WRITES:
        write_alone(row, stamp, t)
    elif row[K.READ_AT] < phase or (row[K.READ] ^ stamp) >> K.WHO_AT == 0:
        row[K.READ], row[K.READ_AT] = stamp, t
    else:
        row[K.READ_TOO], row[K.READ_TOO_AT] = stamp, t


@jit
def touch(m, row, slot, thread, stamp, does, began):
    """An access touches a granule: what is wrong with it and the earlier stamp; 0 and -1: nothing."""
    fault, before = race(m, row, slot, thread, stamp, does, began)
    leave(m, row, slot, thread, stamp, does, began)
    return fault, before


@jit
def report(m, fault, before, index, slot, thread, space, address, nbytes, value, old):
    """Note a race, with what both have written."""
    k = note(m, fault, index, number_of(m, slot, thread), space, address, nbytes, before, 0)
    if k:
        m.found[k, K.F_VALUE] = value
        m.found[k, K.F_OTHER_VALUE] = old if fault == K.WAW or fault == K.RAW else K.NO_VALUE
