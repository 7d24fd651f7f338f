"""Noting what was found: the first fault of a kind between two instructions, and how many more there were."""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import cold, inline
from gpusim.engine.state import checks as K
from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.engine.state.faults import note_error


@inline
def first_thread(m, w):
    """Number in its block of a warp's first thread."""
    return w % m.shape[S.WARPS] * S.LANES


@inline
def number_of(m, slot, thread):
    """Number of a thread of the block in ``slot``, with that of its block."""
    return m.blocks[slot, S.ID] << K.THREAD_BITS | thread


@cold
def note(m, fault, index, who, space, address, nbytes, other, more):
    """Note a fault of thread ``who`` at instruction ``index``; ``other``: the stamp of the earlier access, -1: none.

    Returns
    -------
    int
        Its row in `Machine.found`; 0 where there was no room.
    """
    before = (other >> K.INDEX_AT) & K.INDICES if other >= 0 else np.int64(-1)
    n = m.found[0, K.F_COUNT]
    for k in range(n, 0, -1):
        row = m.found[k]
        same = row[K.F_FAULT] == fault and row[K.F_SPACE] == space
        if same and row[K.F_INDEX] == index and row[K.F_OTHER_INDEX] == before:
            row[K.F_TIMES] += 1
            if row[K.F_TIMES] == K.ENOUGH:
                note_error(m.misc, E.AGAIN_AND_AGAIN, index, who & S.LANES - 1, who >> K.THREAD_BITS, address,
                           (who & K.THREADS) // S.LANES)  # fmt: skip
            return np.int64(0)
    if n + 1 >= len(m.found):
        m.found[0, K.F_LOST] += 1
        return np.int64(0)
    m.found[0, K.F_COUNT] = n + 1
    row = m.found[n + 1]
    row[K.F_FAULT], row[K.F_INDEX], row[K.F_WHO], row[K.F_SPACE] = fault, index, who, space
    row[K.F_OTHER_INDEX], row[K.F_OTHER_WHO] = before, other >> K.WHO_AT if other >= 0 else np.int64(-1)
    row[K.F_ADDRESS], row[K.F_BYTES], row[K.F_TIMES], row[K.F_MORE] = address, nbytes, 1, more
    row[K.F_VALUE], row[K.F_OTHER_VALUE] = K.NO_VALUE, K.NO_VALUE
    return n + 1
