"""Tensor maps: the 128 bytes that describe a tensor in global memory and a box of it.

Which bits say what follows from the code that compilers make of PTX's ``tensormap.replace``.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import cold, inline, jit
from gpusim.engine.load_store.buffers import find_array
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
    X_ROWS,
    X_SIZE,
    X_START,
    X_STEP,
    X_STRIDE,
    X_SWIZZLE,
)
from gpusim.engine.state.faults import fail
from gpusim.isa import tensor_map as T

MAP_WORDS = T.NBYTES >> 2
FLAGS = tuple(
    {
        "u": I.UNSIGNED, "i": 0, "f": I.IS_FLOAT, "z": I.IS_FLOAT | I.FTZ, "h": I.HALF, "b": I.HALF | I.BF16_FLAG,
    }[kind] for kind in T.KINDS
)  # fmt: skip
SIZES = T.SIZES


@cold
def read_map(m, at, words):
    """The words of the tensor map at an address, a parameter's or one of global memory; False where it cannot be."""
    if at & (T.ALIGNMENT - 1):
        return False
    if at >> 32 == S.PARAMETERS_HI:
        first = at & 0xFFFFFFFF
        if first + T.NBYTES > m.shape[S.BANK_BYTES]:
            return False
        for k in range(MAP_WORDS):
            word = np.int64(0)
            for byte in range(4):
                word |= np.int64(m.constants[m.shape[S.BANK_FIRST] + first + 4 * k + byte]) << (8 * byte)
            words[k] = word
        return True
    array = find_array(m.bounds, m.shape[S.N_BUFFERS], at, T.NBYTES)
    if array < 0 or not m.bounds[array, S.HELD]:
        return False
    for k in range(MAP_WORDS):
        words[k] = np.int64(m.data[((at - S.GLOBAL_BASE) >> 2) + k])
    return True


@inline
def field(words, k, at, bits):
    """Some bits of a word."""
    return (words[k] >> at) & ((1 << bits) - 1)


@jit
def describe(m, x, words, dimensions):
    """Write the box that a map describes to a row of `Machine.copies`, all but its place; False: it is no such map.

    Nor is one that no driver makes: of a tensor that is not aligned, or of rows longer than what is swizzled.
    """
    kind = field(words, T.TYPE_WORD, T.TYPE_AT, T.TYPE_BITS)
    rank = field(words, T.TYPE_WORD, T.RANK_AT, T.RANK_BITS) + 1
    if rank != dimensions or kind >= len(SIZES) or field(words, T.TYPE_WORD, T.INTERLEAVE_AT, T.INTERLEAVE_BITS):
        return False
    x[X_BASE], x[X_ELEMENT], x[X_FLAGS] = words[0] | words[1] << 32, SIZES[kind], FLAGS[kind]
    x[X_SWIZZLE] = field(words, T.TYPE_WORD, T.SWIZZLE_AT, T.SWIZZLE_BITS)
    x[X_NAN] = field(words, T.TYPE_WORD, T.FILL_AT, 1)
    x[X_SIZE], x[X_INNER], x[X_ROWS] = words[T.SIZE_WORD] + 1, box_of(words, 0), 1
    for k in range(X_OUTER):
        there = k + 1 < rank
        step = field(words, T.STEP_WORD, T.STEP_BITS * (k + 1), T.STEP_BITS) + 1 if there else np.int64(1)
        x[X_STEP + k], x[X_COUNT + k] = step, -(-box_of(words, k + 1) // step) if there else np.int64(1)
        x[X_LENGTH + k] = words[T.SIZE_WORD + k + 1] + 1 if there else np.int64(1)
        high = field(words, T.HIGH_WORD, T.HIGH_BITS * k, T.HIGH_BITS)
        x[X_STRIDE + k] = (words[T.STRIDE_WORD + k] | high << 32) << T.STRIDE_SHIFT if there else np.int64(0)
        x[X_ROWS] *= x[X_COUNT + k]
    row = x[X_INNER] * x[X_ELEMENT]
    fits = x[X_SWIZZLE] == 0 or row <= T.UNIT << x[X_SWIZZLE]
    return row % T.UNIT == 0 and x[X_BASE] % T.UNIT == 0 and fits


@inline
def box_of(words, k):
    """Elements of a box along a dimension."""
    at = T.BOX_AT + T.BOX_BITS * k
    return field(words, T.BOX_WORD + (at >> 5), at & 31, T.BOX_BITS) + 1


@jit
def take_map(m, x, at, dimensions, moves, index, lane, w, slot):
    """Write the box of the map at an address to a row of `Machine.copies`; an error where there is none.

    Elements of tf32 are rounded on their way, and nothing says how: where a copy moves values they are refused.
    Source: CUTLASS, ``sm90_mma_tma_gmma_ss_warpspecialized.hpp``.
    """
    words = m.scratch[S.TARGETS]
    if not read_map(m, at, words) or not describe(m, x, words, dimensions):
        return fail(m, E.NO_TENSOR_MAP, index, lane, slot, at, w)
    if moves and field(words, T.TYPE_WORD, T.TF32_AT, 1):
        return fail(m, E.TF32_MAP, index, lane, slot, at, w)
    return True


@inline
def set_coordinates(m, x, first, lane, dimensions):
    """The coordinates of a box are signed words, in registers from row ``first`` on."""
    x[X_FROM] = np.int64(np.int32(m.regs[first, lane]))
    for k in range(X_OUTER):
        x[X_START + k] = np.int64(np.int32(m.regs[first + 1 + k, lane])) if k + 1 < dimensions else np.int64(0)
