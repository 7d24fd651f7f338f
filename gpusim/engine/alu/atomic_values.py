"""What an atomic operation leaves in memory: one lane's update of 4 or 8 bytes."""

from __future__ import annotations

import numpy as np

from gpusim.engine.alu.half import bf16_bits, half_bits, half_value
from gpusim.engine.alu.operands import at
from gpusim.engine.compiling.jit import inline, jit
from gpusim.engine.state import fields as I
from gpusim.isa.mbarrier import PLAIN_BITS, PLAIN_PENDING_AT

ONE = np.uint32(1)
LOW = np.uint32(0xFFFF)
FIELD = np.uint64((1 << PLAIN_BITS + 1) - 1)


@jit
def update(words, k, c, regs, base, lane, bits, returns):
    """Update the words at index ``k`` for one lane; what was there goes to the destination if asked for.

    Parameters
    ----------
    words : uint32 array
        The memory.
    k : int
    c : row of the instruction
    regs, base, lane
        Register rows, the warp's first one, and the lane.
    bits : uint32 array
        Scratch.
    returns : bool

    Returns
    -------
    bool
        Whether it was done: false where CAST found something else.
    """
    b, swap, kind = at(c[I.B], base), at(c[I.C_], base), c[I.SUB] & 15
    swaps = kind == I.CAS or kind == I.CAST
    if c[I.FLAGS] & I.VECTOR:
        update_words(words, k, c, regs, b, at(c[I.DST], base), lane, bits, returns)
        return True
    if c[I.WIDTH] == 8:
        old, value = wide(words[k], words[k + 1]), wide(regs[b, lane], regs[b + 1, lane])
        other = wide(regs[swap, lane], regs[swap + 1, lane]) if swaps else value
        new = wide_value(kind, c[I.FLAGS], old, value, other, bits)
        words[k], words[k + 1] = np.uint32(new), np.uint32(new >> np.uint64(32))
    else:
        old, value = np.uint64(words[k]), np.uint64(regs[b, lane])
        other = regs[swap, lane] if swaps else ONE
        words[k] = atomic_value(kind, c[I.FLAGS], words[k], regs[b, lane], other, bits)
    put = np.uint64(old == value)
    if returns:
        back(c, regs, at(c[I.DST], base), lane, put if kind == I.CAST else old)
    return put != 0 or kind != I.CAST


@jit
def update_words(words, k, c, regs, b, d, lane, bits, returns):
    """Update neighbouring words, each for itself; the hardware promises no more than that."""
    for n in range(c[I.WIDTH] >> 2):
        old = words[k + n]
        words[k + n] = atomic_value(c[I.SUB] & 15, c[I.FLAGS], old, regs[b + n, lane], ONE, bits)
        if returns:
            regs[d + n, lane] = old


@inline
def back(c, regs, d, lane, value):
    """What an atomic gives to one lane."""
    regs[d, lane] = np.uint32(value)
    if c[I.WIDTH] == 8:
        regs[d + 1, lane] = np.uint32(value >> np.uint64(32))


@inline
def wide(low, high):
    """64 bits of two words."""
    return (np.uint64(high) << np.uint64(32)) | np.uint64(low)


@jit
def atomic_value(kind, flags, old, value, other, bits):
    """New contents of a word; ``other``: what compare-and-swap puts there; ``bits`` is scratch."""
    if flags & I.IS_FLOAT and kind <= I.MAX:
        bits[0], bits[1] = flush(old, flags), flush(value, flags)
        pair = bits.view(np.float32)
        pair[0] = (
            pair[0] + pair[1] if kind == I.ADD else min(pair[0], pair[1]) if kind == I.MIN else max(pair[0], pair[1])
        )
        return flush(bits[0], flags)
    if flags & I.HALF and kind <= I.MAX:
        high = half_sum(kind, flags, old >> np.uint32(16), value >> np.uint32(16), bits)
        return np.uint32(half_sum(kind, flags, old & LOW, value & LOW, bits) | (high << np.uint32(16)))
    less = old < value if flags & I.UNSIGNED else np.int32(old) < np.int32(value)
    if kind == I.ADD:
        return np.uint32(old + value)
    if kind == I.MIN:
        return old if less else value
    if kind == I.MAX:
        return value if less else old
    if kind == I.INC:
        return np.uint32(0) if old >= value else np.uint32(old + ONE)
    if kind == I.DEC:
        return value if old == 0 or old > value else np.uint32(old - ONE)
    return bitwise(kind, old, value, other)


@inline
def bitwise(kind, old, value, other):
    """AND, OR, XOR, exchange, compare-and-swap of words of any size."""
    if kind == I.AND:
        return old & value
    if kind == I.OR:
        return old | value
    if kind == I.XOR:
        return old ^ value
    if kind == I.CAS or kind == I.CAST:
        return other if old == value else old
    return value


@inline
def arrived(word):
    """An mbarrier that counts no bytes after one more has arrived: when all have, the next phase begins."""
    one = np.uint64(1)
    after = word + (one << np.uint64(PLAIN_PENDING_AT))
    if (after >> np.uint64(PLAIN_PENDING_AT)) & FIELD:
        return after
    expected = (word & ((one << np.uint64(PLAIN_BITS)) - one)) | one << np.uint64(PLAIN_BITS)
    return after | expected << np.uint64(PLAIN_PENDING_AT)


@jit
def wide_value(kind, flags, old, value, other, bits):
    """As :func:`atomic_value`, for 8 bytes."""
    if flags & I.IS_FLOAT and kind <= I.MAX:
        both = bits.view(np.uint64)
        both[0], both[1] = old, value
        pair = bits.view(np.float64)
        pair[0] = (
            pair[0] + pair[1] if kind == I.ADD else min(pair[0], pair[1]) if kind == I.MIN else max(pair[0], pair[1])
        )
        return both[0]
    if kind == I.ATOMIC_ARRIVE:
        return arrived(old)
    less = old < value if flags & I.UNSIGNED else np.int64(old) < np.int64(value)
    if kind == I.ADD:
        return np.uint64(old + value)
    if kind == I.MIN:
        return old if less else value
    if kind == I.MAX:
        return value if less else old
    return bitwise(kind, old, value, other)


@inline
def flush(word, flags):
    """An fp32 bit pattern, denormals as zeros where the instruction asks for it."""
    if flags & I.FTZ and word & np.uint32(0x7F800000) == 0:
        return word & np.uint32(0x80000000)
    return word


@jit
def half_sum(kind, flags, a, b, bits):
    """Sum, minimum or maximum of two fp16 or bf16 bit patterns."""
    bits[0], bits[1] = np.uint32(a << np.uint32(16)), np.uint32(b << np.uint32(16))
    pair = bits.view(np.float32)
    if not flags & I.BF16_FLAG:
        pair[0], pair[1] = half_value(a), half_value(b)
    x, y = pair[0], pair[1]
    pair[0] = x + y if kind == I.ADD else min(x, y) if kind == I.MIN else max(x, y)
    return bf16_bits(bits[0]) if flags & I.BF16_FLAG else half_bits(pair[0])
