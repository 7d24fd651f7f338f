"""Sources, destinations and predicates of an instruction, as all that computes takes them.

``c`` is the instruction's row of code, ``u`` all register rows, ``base`` the first of the warp's own, ``preds``
its predicates, ``on`` the lanes that act.
"""

from __future__ import annotations

import numpy as np

from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.compiling.lanes import F32, F64, I32, U32, U64, cast, lanes_of, load, select, store, view
from gpusim.engine.state import fields as I

FULL = np.uint32(0xFFFFFFFF)
ONE = np.uint32(1)
SIGN, MAGNITUDE = np.uint32(0x80000000), np.uint32(0x7FFFFFFF)
NAN32 = np.uint32(0x7FFFFFFF)  # the NaN that fp32 arithmetic makes, whatever its operands were
LOW, HIGH, WORD, TURNED = 1, 2, 3, 7  # Operand.half


@inline
def predicate(preds, field):
    """Bit mask of a predicate operand; bit 4 of the field negates."""
    value = preds[field & 15]
    return np.uint32(value ^ FULL) if field & 16 else value


@inline
def guarded(mask, preds, field):
    """Lanes of ``mask`` in which the guard of an instruction holds, mostly all."""
    return mask if field == I.PT else np.uint32(mask & predicate(preds, field))


@inline
def at(row, base):
    """Row of the register file an operand names: its own from ``base`` on, or (~row) one that all warps share."""
    return base + row if row >= 0 else ~row


@jit
def set_predicate(preds, field, value, m):
    """Write the bits of ``m``."""
    preds[field] = (preds[field] & (m ^ FULL)) | (value & m)


@inline
def holds(preds, field):
    """A predicate operand as lanes."""
    return lanes_of(np.uint32(predicate(preds, field)))


@inline
def word(c, u, base, which):
    """Source ``which`` (0, 1, 2 for a, b, c) as it lies there."""
    return load(u, np.int64(at(c[I.A + which], base)) * 32, U32)


@inline
def pair(c, u, base, which):
    """A 64-bit source."""
    row = np.int64(at(c[I.A + which], base)) * 32
    return (cast(load(u, row + 32, U32), U64) << 32) | cast(load(u, row, U32), U64)


@inline
def negated(c, which):
    """All ones if source ``which`` is negated, else 0."""
    return np.uint32(-((c[I.MODS] >> which) & 1))


@inline
def real(c, u, base, which):
    """An fp32 source, with the sign or magnitude asked for."""
    keep = MAGNITUDE if (c[I.MODS] >> (3 + which)) & 1 else FULL
    x = view((word(c, u, base, which) & keep) ^ (negated(c, which) & SIGN), F32)
    if c[I.FLAGS] & I.FTZ:
        x = flushed(x)
    return x


@inline
def double(c, u, base, which):
    """An fp64 source, with the sign or magnitude asked for; a NaN stays as it is."""
    old = pair(c, u, base, which)
    n = old
    if (c[I.MODS] >> (3 + which)) & 1:
        n = n & np.uint64(0x7FFFFFFFFFFFFFFF)
    x = view(old, F64)
    return view(select(x != x, old, n ^ (np.uint64(negated(c, which) & SIGN) << np.uint64(32))), F64)


@inline
def flushed(x):
    """fp32 values with subnormal ones as zeros of their sign."""
    n = view(x, U32)
    return view(select((n & np.uint32(0x7F800000)) == 0, n & SIGN, n), F32)


@inline
def canonical(x):
    """fp32 values, every NaN as the hardware's own."""
    return view(select(x != x, NAN32, view(x, U32)), F32)


@inline
def put_row(u, row, value, on):
    """Write the lanes of ``on`` of a register."""
    place = np.int64(row) * 32
    if on == FULL:
        store(u, place, value)
    else:
        store(u, place, select(lanes_of(on), value, load(u, place, U32)))


@inline
def put(c, u, base, value, on):
    """Write the destination register."""
    put_row(u, at(c[I.DST], base), value, on)


@inline
def put_real(c, u, base, value, on):
    """Write fp32 values to the destination."""
    put_row(u, at(c[I.DST], base), view(value, U32), on)


@inline
def put_pair(c, u, base, value, on):
    """Write 64-bit values to the destination pair."""
    row = at(c[I.DST], base)
    put_row(u, row, cast(value, U32), on)
    put_row(u, row + 1, cast(value >> 32, U32), on)


@inline
def signed(x):
    """Words as signed integers."""
    return view(x, I32)


@jit
def combine(value, other, how):
    """``value`` and/or/xor ``other``."""
    if how == I.BOOL_OR:
        return value | other
    if how == I.BOOL_XOR:
        return value ^ other
    return value & other


@jit
def judge(c, preds, value, on):
    """q0 = value boolop p0; q1 = !value boolop p0."""
    other = predicate(preds, c[I.P0])
    how = (c[I.SUB] >> 4) & 3
    set_predicate(preds, c[I.Q0], combine(value, other, how), on)
    set_predicate(preds, c[I.Q1], combine(value ^ FULL, other, how), on)
