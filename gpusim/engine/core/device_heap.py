"""The device's heap: what malloc and free of device code give and take back.

Pieces are whole units of 16 bytes.  They come from the end of what was handed out so far, or are pieces of the same
size that came back.  Where neither will do, free neighbours are joined, and the first that is large enough is taken.

``heap`` has the end of what was handed out, then for each small size the piece that came back last (one more than its
first unit, 0: none), then for each unit how many units the piece has that begins there (negative: it is free), then for
each unit the free piece of the same size before it.  In checked runs the bytes that were asked for follow, and the
instruction that asked, and one.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import cold
from gpusim.engine.state import error_codes as E

UNIT = 16
"""Bytes; what malloc aligns to.  Source: CUDA C++ Programming Guide 13, "Dynamic Global Memory Allocation"."""
SMALL = 64  # units of the largest pieces that are kept by size
END, LISTS = 0, 1
PLAIN, CHECKED = 2, 4  # words for each unit, and those in checked runs
N_HEAP = LISTS + SMALL


@cold
def allocate(heap, first, units, nbytes):
    """Address of a new piece of so many bytes; 0 where there is no room, or nothing is asked for."""
    if nbytes <= 0 or nbytes > units * UNIT:
        return np.int64(0)
    n = (nbytes + UNIT - 1) // UNIT
    begin = kept(heap, units, n) if n <= SMALL else np.int64(-1)
    if begin < 0 and heap[END] + n > units:
        begin = joined(heap, n)
    if begin < 0 and heap[END] + n <= units:
        begin = heap[END]
        heap[END] += n
    if begin < 0:
        return np.int64(0)
    heap[N_HEAP + begin] = n
    if len(heap) > N_HEAP + PLAIN * units:
        heap[N_HEAP + PLAIN * units + begin] = nbytes
    return first + begin * UNIT


@cold
def kept(heap, units, n):
    """The piece of ``n`` units that came back last, or -1."""
    begin = heap[LISTS + n - 1] - 1
    if begin >= 0:
        heap[LISTS + n - 1] = heap[N_HEAP + units + begin]
    return begin


@cold
def joined(heap, n):
    """Join free neighbours; the first piece of ``n`` units at least, cut to that, or -1."""
    for k in range(SMALL):
        heap[LISTS + k] = 0
    at, found = np.int64(0), np.int64(-1)
    while at < heap[END]:
        size = heap[N_HEAP + at]
        after = at + abs(size)
        if size < 0:
            while after < heap[END] and heap[N_HEAP + after] < 0:
                after -= heap[N_HEAP + after]
            heap[N_HEAP + at] = at - after
            if after == heap[END]:
                heap[END] = at
                return found
            if found < 0 and after - at >= n:
                found = at
                if after - at > n:
                    heap[N_HEAP + at + n] = n - (after - at)
        at = after
    return found


@cold
def give_back(heap, first, units, address):
    """Take a piece back; 0, or the error that it is."""
    at = (address - first) // UNIT
    if address == 0:
        return np.int64(E.OK)
    if (address - first) % UNIT or at < 0 or at >= heap[END] or heap[N_HEAP + at] == 0:
        return np.int64(E.NOT_ALLOCATED)
    n = heap[N_HEAP + at]
    if n < 0:
        return np.int64(E.FREED_TWICE)
    heap[N_HEAP + at] = -n
    if n <= SMALL:
        heap[N_HEAP + units + at] = heap[LISTS + n - 1]
        heap[LISTS + n - 1] = at + 1
    return np.int64(E.OK)
