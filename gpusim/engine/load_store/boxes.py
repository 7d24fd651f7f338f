"""Boxes of a tensor, and stretches of memory, between global and shared memory: where their bytes lie, and moving them.

A row of `Machine.copies` describes a box.  Its innermost dimension is a row of the box, whose elements are neighbours.
Rows follow one another in shared memory, without gaps; what lies out of the tensor is filled there, and is not stored.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.atomic_values import atomic_value, half_sum, wide, wide_value
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.load_store.buffers import find_array
from gpusim.engine.load_store.unwritten import is_unwritten, note_written
from gpusim.engine.state import columns as S
from gpusim.engine.state import error_codes as E
from gpusim.engine.state import fields as I
from gpusim.engine.state.copies import (
    X_BASE,
    X_COUNT,
    X_ELEMENT,
    X_FLAGS,
    X_FROM,
    X_INNER,
    X_LENGTH,
    X_NAN,
    X_OUTER,
    X_PLACE,
    X_ROWS,
    X_SIZE,
    X_START,
    X_STEP,
    X_STRIDE,
    X_SWIZZLE,
)
from gpusim.engine.state.faults import fail
from gpusim.isa import tensor_map as T

CHUNK = T.UNIT
NAN_WORD, NAN_HALF, ALL_ONES = np.uint32(T.NAN_WORD), np.uint32(T.NAN_HALF), np.uint32(T.ALL_ONES)
ONE = np.uint32(1)
SWIZZLED_FROM, SWIZZLED_BY = 7, 4  # bits of an address that are mixed with others, and the first of those


@inline
def row_bytes(x):
    """Bytes of a row of the box in shared memory."""
    return x[X_INNER] * x[X_ELEMENT]


@inline
def inside(x):
    """First element of a row that lies in the tensor, and one past the last."""
    return max(np.int64(0), -x[X_FROM]), min(x[X_INNER], x[X_SIZE] - x[X_FROM])


@jit
def row_at(x, row):
    """Address at which a row would begin, whose first element may lie out of the tensor; -1: all of it does."""
    address, left = x[X_BASE] + x[X_FROM] * x[X_ELEMENT], row
    for k in range(X_OUTER):
        index = x[X_START + k] + left % x[X_COUNT + k] * x[X_STEP + k]
        left //= x[X_COUNT + k]
        if index < 0 or index >= x[X_LENGTH + k]:
            return np.int64(-1)
        address += index * x[X_STRIDE + k]
    first, end = inside(x)
    return address if end > first else np.int64(-1)


@inline
def extent(x, address):
    """First and last byte of global memory of a row that would begin at an address."""
    first, end = inside(x)
    return address + first * x[X_ELEMENT], address + end * x[X_ELEMENT] - 1


@inline
def swizzled(place, kind):
    """Where a byte of shared memory lies: bits 4 to 6 of its address are mixed with bits 7 to 9, or fewer of them."""
    return place ^ (((place >> SWIZZLED_FROM) & ((1 << kind) - 1)) << SWIZZLED_BY)


@jit
def check_box(m, x, index, lane, w, slot, moves, stores):
    """Whether all rows lie in arrays, whose values are at hand where they are moved; the array of the first, or -1.

    A box all of which is out of its tensor touches none: the number of arrays.
    """
    found = np.int64(len(m.bounds))
    for row in range(x[X_ROWS]):
        address = row_at(x, row)
        if address < 0:
            continue
        first, last = extent(x, address)
        array = find_array(m.bounds, m.shape[S.N_BUFFERS], first, last + 1 - first)
        if array < 0:
            fail(m, E.GLOBAL_BOUNDS, index, lane, slot, first, w)
            return np.int64(-1)
        held = bool(m.bounds[array, S.HELD])
        if (moves and not held) or (stores and held and not moves):
            fail(m, E.STRAY, index, lane, slot, first, w)
            return np.int64(-1)
        if found == len(m.bounds):
            found = array
    return found


@jit
def check_place(m, place, nbytes, aligned, index, lane, w, slot):
    """Whether bytes of shared memory are the block's own, and aligned."""
    first = m.shape[S.SHARED_BASE]
    if place < first or place + nbytes > first + m.shape[S.SHARED_BYTES]:
        m.misc[S.E_HOLDS] = nbytes
        return fail(m, E.SHARED_BOUNDS, index, lane, slot, place, w)
    if place & (aligned - 1):
        m.misc[S.E_HOLDS] = aligned
        return fail(m, E.SHARED_MISALIGNED, index, lane, slot, place, w)
    return True


@inline
def filler(x, k):
    """What fills word ``k`` of a chunk out of the tensor."""
    if not x[X_NAN]:
        return np.uint32(0)
    if x[X_ELEMENT] == 2:
        return np.uint32(NAN_HALF | NAN_HALF << np.uint32(16))
    return ALL_ONES if x[X_ELEMENT] == 8 and k % 2 == 0 else NAN_WORD


@jit
def load_box(m, x, index, w, slot):
    """Move a box to shared memory; returns whether it could be done."""
    shared, unit = m.shared[slot], min(x[X_ELEMENT], np.int64(4))
    first, end = inside(x)
    for row in range(x[X_ROWS]):
        address = row_at(x, row)
        low, high = (first * x[X_ELEMENT], end * x[X_ELEMENT]) if address >= 0 else (np.int64(0), np.int64(0))
        for chunk in range(0, row_bytes(x), CHUNK):
            to = swizzled(x[X_PLACE] + row * row_bytes(x) + chunk, x[X_SWIZZLE])
            for k in range(CHUNK >> 2):
                shared[(to >> 2) + k] = filler(x, k)
            for byte in range(max(chunk, low), min(chunk + CHUNK, high), unit):
                copy_unit(m.data, address + byte - S.GLOBAL_BASE, shared, to + byte - chunk, unit)
            if m.shape[S.CHECKED]:
                note_filled(m, slot, to, w)
        if m.shape[S.CHECKED] and address >= 0 and not was_written(m, address + low, address + high, index, slot, w):
            return False
    return True


@inline
def copy_unit(source, byte, target, to, unit):
    """Copy 1, 2 or 4 bytes."""
    if unit == 4:
        target[to >> 2] = source[byte >> 2]
    elif unit == 2:
        target.view(np.uint16)[to >> 1] = source.view(np.uint16)[byte >> 1]
    else:
        target.view(np.uint8)[to] = source.view(np.uint8)[byte]


@inline
def note_filled(m, slot, to, w):
    """Checked runs: a chunk of shared memory is written now."""
    stamp = (np.int64(m.blocks[slot, S.PHASE]) + 1) << 16 | (w % m.shape[S.WARPS] + 1)
    for half in range(to >> 1, (to + CHUNK) >> 1):
        m.touched[slot, half, 0] = stamp


@jit
def was_written(m, first, end, index, slot, w):
    """Checked runs: whether something has written all of these bytes."""
    for word in range((first - S.GLOBAL_BASE) >> 2, (end - S.GLOBAL_BASE + 3) >> 2):
        if is_unwritten(m, word):
            return fail(m, E.UNWRITTEN_GLOBAL, index, 0, slot, S.GLOBAL_BASE + 4 * word, w)
    return True


@jit
def store_box(m, x, c, index, w, slot, reduces):
    """Move a box from shared to global memory, or reduce it there; returns whether it could be done."""
    unit = x[X_ELEMENT] if reduces else min(x[X_ELEMENT], np.int64(4))
    first, end = inside(x)
    for row in range(x[X_ROWS]):
        address = row_at(x, row)
        if address < 0:
            continue
        for byte in range(first * x[X_ELEMENT], end * x[X_ELEMENT], unit):
            place = swizzled(x[X_PLACE] + row * row_bytes(x) + byte, x[X_SWIZZLE])
            to = address + byte - S.GLOBAL_BASE
            if m.shape[S.CHECKED]:
                if m.touched[slot, place >> 1, 0] == 0:
                    return fail(m, E.UNWRITTEN_SHARED, index, 0, slot, place, w)
                for word in range(to >> 2, (to + unit + 3) >> 2):
                    note_written(m, word)
            if reduces:
                reduce_unit(m.data, to, m.shared[slot], place, unit, c, x, m.bits[1])
            else:
                copy_unit(m.shared[slot], place, m.data, to, unit)
    return True


@jit
def reduce_unit(target, to, source, place, unit, c, x, bits):
    """Put an element of 2, 4 or 8 bytes to the one that is there; ``bits`` is scratch."""
    kind, flags = np.int64(c[I.SUB]) & 15, x[X_FLAGS]
    if unit == 8:
        k, n = to >> 2, place >> 2
        new = wide_value(
            kind, flags, wide(target[k], target[k + 1]), wide(source[n], source[n + 1]), np.uint64(0), bits
        )
        target[k], target[k + 1] = np.uint32(new & np.uint64(0xFFFFFFFF)), np.uint32(new >> np.uint64(32))
    elif unit == 4:
        target[to >> 2] = atomic_value(kind, flags, target[to >> 2], source[place >> 2], ONE, bits)
    else:
        old, value = target.view(np.uint16)[to >> 1], source.view(np.uint16)[place >> 1]
        new = half_sum(kind, flags, np.uint32(old), np.uint32(value), bits)
        target.view(np.uint16)[to >> 1] = np.uint16(new & np.uint32(0xFFFF))
