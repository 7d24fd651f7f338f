"""Integer sums, products, choices, comparisons against NumPy and Python's integers, on random and special words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.isa.instruction import RZ, Kind, Operand, imm, pred, reg, ureg
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import BoolOp, Cmp, Dot, Flag, Piece
from tests.engine.programs import FULL, Sheet, one, words

W = words()
some = settings(max_examples=15)  # of 32 lanes each
lanes = st.lists(st.booleans(), min_size=32, max_size=32).map(np.array)
SIGNS = st.booleans()
U64 = np.uint64
ZERO = reg(RZ)


def wide(x: np.ndarray) -> np.ndarray:
    return x.astype(U64)


def signed(x: np.ndarray) -> np.ndarray:
    return x.view(np.int32).astype(np.int64)


def low(x: np.ndarray) -> np.ndarray:
    return (x & FULL).astype(np.uint32)


# ------------------------------------------------------------------ sums and products


@some
@given(W, W, W, SIGNS, SIGNS, SIGNS)
def test_iadd3_adds_with_signs(a, b, c, na, nb, nc):
    sheet = Sheet()
    x, y, z = (sheet.given(v)._replace(neg=n) for v, n in ((a, na), (b, nb), (c, nc)))
    sheet.emit(Op.IADD3, reg(64), x, y, z)
    want = sum(-v.astype(np.int64) if n else v.astype(np.int64) for v, n in ((a, na), (b, nb), (c, nc)))
    np.testing.assert_array_equal(sheet.run(reg(64))[0], low(want))


@some
@given(words((4, 32)))
def test_a_64_bit_sum_is_two_iadd3_with_a_carry(v):
    sheet = Sheet()
    alo, ahi, blo, bhi = (sheet.given(row) for row in v)
    sheet.emit(Op.IADD3, reg(64), alo, blo, pdsts=(pred(0),))
    sheet.emit(Op.IADD3, reg(65), ahi, bhi, psrcs=(pred(0),), flags=Flag.X)
    lo, hi, carry = sheet.run(reg(64), reg(65), pred(0))
    with np.errstate(over="ignore"):
        want = wide(v[0]) + (wide(v[1]) << U64(32)) + wide(v[2]) + (wide(v[3]) << U64(32))
    np.testing.assert_array_equal(wide(lo) | (wide(hi) << U64(32)), want)
    np.testing.assert_array_equal(carry, wide(v[0]) + wide(v[2]) > FULL)


@some
@given(words((4, 32)))
def test_a_64_bit_difference_borrows(v):
    sheet = Sheet()
    alo, ahi, blo, bhi = (sheet.given(row) for row in v)
    sheet.emit(Op.IADD3, reg(64), alo, blo._replace(neg=True), pdsts=(pred(0),))
    sheet.emit(Op.IADD3, reg(65), ahi, bhi._replace(neg=True), psrcs=(pred(0),), flags=Flag.X)
    lo, hi, no_borrow = sheet.run(reg(64), reg(65), pred(0))
    with np.errstate(over="ignore"):
        want = wide(v[0]) + (wide(v[1]) << U64(32)) - wide(v[2]) - (wide(v[3]) << U64(32))
    np.testing.assert_array_equal(wide(lo) | (wide(hi) << U64(32)), want)
    np.testing.assert_array_equal(no_borrow, v[0] >= v[2])


@some
@given(W, W, W, SIGNS, SIGNS, SIGNS)
def test_imad_keeps_the_low_word(a, b, c, na, nb, nc):
    sheet = Sheet()
    x, y, z = (sheet.given(v)._replace(neg=n) for v, n in ((a, na), (b, nb), (c, nc)))
    sheet.emit(Op.IMAD, reg(64), x, y, z)
    with np.errstate(over="ignore"):
        product = wide(a) * wide(b)
        product = U64(0) - product if na != nb else product
        want = product + (U64(0) - wide(c) if nc else wide(c))
    np.testing.assert_array_equal(sheet.run(reg(64))[0], low(want))


MULTIPLY = [Op.IMAD_WIDE, Op.IMAD_HI]


@pytest.mark.parametrize("flags", [0, Flag.UNSIGNED, Flag.X, Flag.X | Flag.UNSIGNED])
@pytest.mark.parametrize("op", MULTIPLY)
@some
@given(words((4, 32)), lanes, SIGNS, SIGNS, SIGNS)
def test_long_products_add_64_bits_and_carry(op, flags, v, carry, na, nb, nc):
    sheet = Sheet()
    a, b, c = sheet.given(v[0])._replace(neg=na), sheet.given(v[1])._replace(neg=nb), sheet.given_pair(v[2], v[3])
    into = (sheet.holds(0, carry),) if flags & Flag.X else ()
    sheet.emit(op, reg(64), a, b, c._replace(neg=nc), flags=flags, psrcs=into, pdsts=(pred(1),))
    got, over = sheet.run(reg(64), pred(1))
    for lane, (x, y, low_word, high_word) in enumerate(v.T.astype(object)):
        if not flags & Flag.UNSIGNED:
            x, y = x - (x >> 31 << 32), y - (y >> 31 << 32)
        product = (-x * y if na != nb else x * y) % 2**64
        addend = low_word | high_word << 32
        addend = 2**64 - 1 - addend if nc else addend
        total = product + addend + (int(carry[lane]) if flags & Flag.X else nc)
        assert got[lane] == (total & FULL if op is Op.IMAD_WIDE else total >> 32 & FULL)
        assert over[lane] == (total >= 2**64)


@some
@given(words((4, 32)))
def test_imad_wide_writes_a_pair(v):
    sheet = Sheet()
    sheet.emit(Op.IMAD_WIDE, reg(64), sheet.given(v[0]), sheet.given(v[1]), sheet.given_pair(v[2], v[3]))
    lo, hi = sheet.run(reg(64), reg(65))
    with np.errstate(over="ignore"):
        want = (signed(v[0]) * signed(v[1])).view(U64) + (wide(v[2]) | (wide(v[3]) << U64(32)))
    np.testing.assert_array_equal(wide(lo) | (wide(hi) << U64(32)), want)


@pytest.mark.parametrize(("flags", "value"), [(0, -5), (Flag.UNSIGNED, -5), (0, 5)])
def test_a_word_added_to_a_pair_is_extended(flags, value):
    sheet = Sheet()
    sheet.emit(Op.IMAD_WIDE, reg(64), imm(7), imm(6), imm(value), flags=flags)
    lo, hi = sheet.run(reg(64), reg(65))
    want = 42 + (value & FULL if flags else value)
    assert (int(lo[0]), int(hi[0])) == (want & FULL, want >> 32 & FULL)


@some
@given(W, W, W, lanes, SIGNS, SIGNS)
def test_imad_x_adds_a_carry_and_inverts(a, b, c, carry, na, nc):
    sheet = Sheet()
    x, z = sheet.given(a)._replace(neg=na), sheet.given(c)._replace(neg=nc)
    sheet.emit(Op.IMAD, reg(64), x, sheet.given(b), z, flags=Flag.X, psrcs=(sheet.holds(0, carry),))
    with np.errstate(over="ignore"):
        product = wide(a) * wide(b)
        product = U64(0) - product if na else product
        want = product + wide(~c if nc else c) + carry.astype(U64)
    np.testing.assert_array_equal(sheet.run(reg(64))[0], low(want))


@some
@given(W, W, W, SIGNS, SIGNS, SIGNS, st.sampled_from([(), (0,), (0, 1)]), lanes, lanes)
def test_iadd3_carries_up_to_two(a, b, c, na, nb, nc, into, p, q):
    """With carries coming in, as the upper words of a sum of three, or none, as the lower ones."""
    sheet = Sheet()
    x, y, z = (sheet.given(v)._replace(neg=n) for v, n in ((a, na), (b, nb), (c, nc)))
    held = (sheet.holds(0, p), sheet.holds(1, q))
    carries = tuple(held[k] for k in into)
    sheet.emit(Op.IADD3, reg(64), x, y, z, psrcs=carries, flags=Flag.X if into else 0, pdsts=(pred(2), pred(3)))
    total = sum((~v if n else v).astype(np.uint64) for v, n in ((a, na), (b, nb), (c, nc)))
    total += sum(((p, q)[k].astype(np.uint64) for k in into), U64(0)) if into else U64(na + nb + nc)
    got, first, second = sheet.run(reg(64), pred(2), pred(3))
    np.testing.assert_array_equal(got, low(total))
    np.testing.assert_array_equal(first, total >> U64(32) >= 1)
    np.testing.assert_array_equal(second, total >> U64(32) >= 2)


@some
@given(W, W, st.integers(0, 31), lanes, SIGNS, SIGNS, SIGNS)
def test_lea_shifts_and_adds(a, b, shift, carry, na, nb, x):
    sheet = Sheet()
    first, second = sheet.given(a)._replace(neg=na), sheet.given(b)._replace(neg=nb)
    into = (sheet.holds(0, carry),) if x else ()
    sheet.emit(Op.LEA, reg(64), first, second, sub=shift, flags=Flag.X if x else 0, psrcs=into, pdsts=(pred(1),))
    moved = (wide(a) << U64(shift)) & U64(FULL)
    total = (moved ^ U64(FULL) if na else moved) + wide(~b if nb else b) + (carry.astype(U64) if x else U64(na + nb))
    got, over = sheet.run(reg(64), pred(1))
    np.testing.assert_array_equal(got, low(total))
    np.testing.assert_array_equal(over, total > FULL)


@some
@given(words((4, 32)), st.integers(0, 31), SIGNS, SIGNS)
def test_a_64_bit_lea_is_a_lea_with_a_carry_and_its_upper_half(v, shift, na, nb):
    """As ptxas scales a 64-bit index and adds it to an address, or takes it off."""
    sheet = Sheet()
    alo, ahi, blo, bhi = (sheet.given(row) for row in v)
    alo, blo, bhi = alo._replace(neg=na), blo._replace(neg=nb), bhi._replace(neg=nb)
    x = Flag.X if na or nb else 0
    sheet.emit(Op.LEA, reg(64), alo, blo, sub=shift, pdsts=(pred(0),))
    sheet.emit(Op.LEA_HI_X, reg(65), alo, bhi, ahi, psrcs=(pred(0),), sub=shift, flags=x)
    lo, hi = sheet.run(reg(64), reg(65))
    for lane, (a0, a1, b0, b1) in enumerate(v.T.astype(object)):
        scaled, other = (a0 | a1 << 32) << shift, b0 | b1 << 32
        if na and nb:
            continue  # one carry cannot say what two negations need
        want = ((-scaled if na else scaled) + (-other if nb else other)) % 2**64
        assert int(lo[lane]) | int(hi[lane]) << 32 == want


@some
@given(W, W, W, st.integers(0, 31), SIGNS, SIGNS, SIGNS)
def test_lea_hi_alone(a, b, c, shift, na, nb, extend):
    sheet = Sheet()
    x, y = sheet.given(a)._replace(neg=na), sheet.given(b)._replace(neg=nb)
    sheet.emit(Op.LEA_HI_X, reg(64), x, y, sheet.given(c), sub=shift, flags=Flag.SIGNED if extend else 0)
    want = []
    for low_word, other, high_word in zip(*(v.astype(object) for v in (a, b, c)), strict=True):
        upper = -(low_word >> 31) % 2**32 if extend else high_word
        scaled = (low_word | upper << 32) << shift
        top = scaled % 2**64 >> 32  # the hardware negates this word alone
        want.append((-top if na else top) + (-other if nb else other) & FULL)
    np.testing.assert_array_equal(sheet.run(reg(64))[0], want)


@pytest.mark.parametrize("sub", range(4))
@some
@given(W, W, W)
def test_idp_is_a_dot_product_of_bytes(sub, a, b, c):
    x = a.view(np.uint8 if sub & 1 else np.int8).reshape(32, 4).astype(np.int64)
    y = b.view(np.uint8 if sub & 2 else np.int8).reshape(32, 4).astype(np.int64)
    np.testing.assert_array_equal(one(Op.IDP, a, b, c, sub=sub), low((x * y).sum(1) + c))


@pytest.mark.parametrize("flags", [0, Flag.UNSIGNED])
@some
@given(W, W, W)
def test_iabsdiff(flags, a, b, c):
    u, v = (wide(a).view(np.int64), wide(b).view(np.int64)) if flags else (signed(a), signed(b))
    np.testing.assert_array_equal(one(Op.IABSDIFF, a, b, c, flags=flags), low(np.abs(u - v) + c))


# ------------------------------------------------------------------ choices and comparisons


@some
@given(W, W, lanes)
def test_mov_sel_and_a_guard(a, b, p):
    sheet = Sheet()
    x, y, chosen = sheet.given(a), sheet.given(b), sheet.holds(0, p)
    sheet.emit(Op.SEL, reg(64), x, y, psrcs=(chosen,))
    sheet.emit(Op.SEL, reg(65), x, y, psrcs=(chosen._replace(neg=True),))
    sheet.emit(Op.MOV, reg(66), x)
    sheet.emit(Op.MOV, reg(66), y, guard=chosen)
    sheet.emit(Op.MOV, reg(67), imm(-5))
    first, second, third, fourth = sheet.run(reg(64), reg(65), reg(66), reg(67))
    np.testing.assert_array_equal(first, np.where(p, a, b))
    np.testing.assert_array_equal(second, np.where(p, b, a))
    np.testing.assert_array_equal(third, np.where(p, b, a))
    np.testing.assert_array_equal(fourth, np.full(32, FULL - 4))


@pytest.mark.parametrize("relu", [0, Flag.RELU])
@pytest.mark.parametrize("flags", [0, Flag.UNSIGNED])
@some
@given(W, W, W, lanes)
def test_imnmx_and_iaddmnmx(flags, relu, a, b, c, p):
    sheet = Sheet()
    x, y, z, chosen = sheet.given(a), sheet.given(b), sheet.given(c), sheet.holds(0, p)
    sheet.emit(Op.IMNMX, reg(64), x, y, psrcs=(chosen,), flags=flags | relu)
    sheet.emit(Op.IADDMNMX, reg(65), x, y._replace(neg=True), z, psrcs=(chosen,), flags=flags | relu)
    for got, (u, v) in zip(sheet.run(reg(64), reg(65)), ((a, b), (a - b, c)), strict=True):
        u, v = (u, v) if flags else (signed(u), signed(v))
        want = low(np.where(p, np.minimum(u, v), np.maximum(u, v)))
        np.testing.assert_array_equal(got, np.where(want.view(np.int32) < 0, 0, want) if relu else want)


@some
@given(W)
def test_iabs(a):
    np.testing.assert_array_equal(one(Op.IABS, a), low(abs(signed(a))))


COMPARE = {
    Cmp.LT: np.less, Cmp.LE: np.less_equal, Cmp.GT: np.greater, Cmp.GE: np.greater_equal, Cmp.EQ: np.equal,
    Cmp.NE: np.not_equal,
}  # fmt: skip
COMBINE = {BoolOp.AND: np.logical_and, BoolOp.OR: np.logical_or, BoolOp.XOR: np.logical_xor}


@pytest.mark.parametrize("flags", [0, Flag.UNSIGNED])
@pytest.mark.parametrize("compare", list(COMPARE))
@some
@given(words((2, 32)), lanes, st.sampled_from(list(BoolOp)), SIGNS, lanes)
def test_isetp_compares_and_combines(compare, flags, v, other, how, neg, guard):
    v[0, ::3] = v[1, ::3]  # equal operands often enough
    sheet = Sheet()
    x, y = (sheet.given(row) for row in v)
    combined = sheet.holds(0, other)._replace(neg=neg)
    sheet.holds(3, guard)
    sub = compare | how << 4
    sheet.emit(Op.ISETP, None, x, y, pdsts=(pred(1), pred(2)), psrcs=(combined,), sub=sub, flags=flags, guard=pred(3))
    got, opposite = sheet.run(pred(1), pred(2))
    a, b = (v[0], v[1]) if flags else (signed(v[0]), signed(v[1]))
    value = COMPARE[compare](a, b)
    np.testing.assert_array_equal(got, guard & COMBINE[how](value, other ^ neg))
    np.testing.assert_array_equal(opposite, guard & COMBINE[how](~value, other ^ neg))


@pytest.mark.parametrize("flags", [0, Flag.UNSIGNED])
@pytest.mark.parametrize("compare", list(COMPARE))
@some
@given(words((4, 32)))
def test_isetp_ex_compares_pairs(compare, flags, v):
    v[0, ::2], v[1, ::3] = v[2, ::2], v[3, ::3]
    sheet = Sheet()
    alo, ahi, blo, bhi = (sheet.given(row) for row in v)
    sheet.emit(Op.ISETP, None, alo, blo, pdsts=(pred(0),), sub=compare, flags=Flag.UNSIGNED)
    sheet.emit(Op.ISETP, None, ahi, bhi, pdsts=(pred(1),), psrcs=(pred(7), pred(0)), sub=compare, flags=flags | Flag.EX)
    a, b = (wide(v[k]) | (wide(v[k + 1]) << U64(32)) for k in (0, 2))
    a, b = (a, b) if flags else (a.view(np.int64), b.view(np.int64))
    np.testing.assert_array_equal(sheet.run(pred(1))[0], COMPARE[compare](a, b))


def test_writes_to_rz_and_pt_vanish():
    sheet = Sheet()
    x = sheet.given(np.arange(32))
    sheet.emit(Op.MOV, reg(255), x)
    sheet.emit(Op.IMAD_WIDE, reg(255), x, x, reg(255))
    sheet.emit(Op.ISETP, None, x, imm(7), pdsts=(pred(7),), sub=Cmp.LT)
    sheet.emit(Op.IADD3, reg(64), reg(255), reg(255), reg(255))
    zero, true = sheet.run(reg(64), pred(7))
    assert not zero.any()
    assert true.all()


# ------------------------------------------------------------------ the uniform pipe


@some
@given(W, lanes)
def test_a_uniform_instruction_acts_once_for_the_warp(a, guard):
    """A uniform register holds the same in every lane, whichever of them are active when it is written."""
    sheet = Sheet()
    x = sheet.given(a)
    sheet.emit(Op.MOV, ureg(2), imm(3))
    sheet.emit(Op.IADD3, ureg(3), ureg(2), imm(4), imm(0), pdsts=(Operand(Kind.UPRED, 0),))
    sheet.emit(Op.MOV, ureg(2), imm(5), guard=sheet.holds(0, guard))
    sheet.emit(Op.ISETP, None, ureg(3), imm(7), pdsts=(Operand(Kind.UPRED, 1),), sub=Cmp.EQ)
    sheet.emit(Op.MOV, ureg(4), imm(9), guard=Operand(Kind.UPRED, 1, neg=True))
    sheet.emit(Op.IADD3, reg(64), ureg(2), ureg(3), x)
    sheet.emit(Op.SEL, reg(65), imm(1), imm(0), psrcs=(Operand(Kind.UPRED, 1),))
    sheet.emit(Op.MOV, reg(66), ureg(4))
    total, equal, never = sheet.run(reg(64), reg(65), reg(66))
    np.testing.assert_array_equal(total, low((5 if guard.any() else 3) + 7 + wide(a)))
    assert equal.all()
    assert not never.any()


# ------------------------------------------------------------------ pieces of words, and pairs of them

PIECES = {Piece.WORD: 32, Piece.HALVES: 16, Piece.BYTES: 8}
pieces = pytest.mark.parametrize("what", list(PIECES))


def cut(x: np.ndarray, what: Piece, unsigned: bool) -> np.ndarray:
    """Every word's pieces, shape (32, pieces)."""
    form = np.dtype(f"{'u' if unsigned else 'i'}{PIECES[what] // 8}")
    return x.view(form).reshape(32, -1).astype(np.int64)


def joined(x: np.ndarray, what: Piece) -> np.ndarray:
    """Words of pieces."""
    size = PIECES[what]
    return sum((x[:, k] & ((1 << size) - 1)) << (k * size) for k in range(x.shape[1])).astype(np.uint32)


@pieces
@some
@given(W, W, SIGNS)
def test_pieces_are_added_each_on_its_own(what, a, b, negative):
    sheet = Sheet()
    x, y = sheet.given(a), sheet.given(b)._replace(neg=negative)
    sheet.emit(Op.IADD3, reg(64), x, y, ZERO, sub=what)
    total = cut(a, what, True) + (-1 if negative else 1) * cut(b, what, True)
    np.testing.assert_array_equal(sheet.run(reg(64))[0], joined(total, what))


@pieces
@some
@given(W, W, W, lanes, SIGNS, SIGNS)
def test_minima_of_pieces(what, a, b, c, p, unsigned, three):
    sheet = Sheet()
    sources = [sheet.given(v) for v in (a, b, *([c] if three else []))]
    flags = Flag.UNSIGNED if unsigned else 0
    sub = what | (Piece.THIRD if three else 0)
    sheet.emit(Op.IMNMX, reg(64), *sources, sub=sub, flags=flags, psrcs=(sheet.holds(0, p),))
    parts = [cut(v, what, unsigned) for v in (a, b, *([c] if three else []))]
    want = np.where(p[:, None], np.minimum.reduce(parts), np.maximum.reduce(parts))
    np.testing.assert_array_equal(sheet.run(reg(64))[0], joined(want, what))


@pieces
@some
@given(W, W, W, SIGNS, SIGNS)
def test_distances_of_pieces(what, a, b, c, unsigned, added):
    flags, sub = Flag.UNSIGNED if unsigned else 0, what | (Piece.THIRD if added else 0)
    c = c if added or what is Piece.WORD else np.zeros(32, np.uint32)
    apart = np.abs(cut(a, what, unsigned) - cut(b, what, unsigned))
    want = apart.sum(1) if added else joined(apart, what).astype(np.int64)
    np.testing.assert_array_equal(one(Op.IABSDIFF, a, b, c, sub=sub, flags=flags), (want + c) & FULL)


@pytest.mark.parametrize("sub", range(16))
@some
@given(W, W, W)
def test_dot_products_of_four_or_two(sub, a, b, c):
    y = cut(b, Piece.BYTES, bool(sub & Dot.B_UNSIGNED))
    if sub & Dot.HALVES:
        x, y = cut(a, Piece.HALVES, bool(sub & Dot.A_UNSIGNED)), y[:, 2:] if sub & Dot.UPPER else y[:, :2]
    else:
        x = cut(a, Piece.BYTES, bool(sub & Dot.A_UNSIGNED))
    np.testing.assert_array_equal(one(Op.IDP, a, b, c, sub=sub), ((x * y).sum(1) + c) & FULL)


def wide_of(sheet: Sheet, v: np.ndarray) -> tuple[Operand, Operand]:
    return sheet.given_pair(v[0], v[1]), sheet.given_pair(v[2], v[3])


def longs(v: np.ndarray, unsigned: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Two rows of 64-bit integers."""
    x, y = wide(v[0]) | (wide(v[1]) << U64(32)), wide(v[2]) | (wide(v[3]) << U64(32))
    return (x, y) if unsigned else (x.view(np.int64), y.view(np.int64))


def pairs(sheet: Sheet) -> np.ndarray:
    """What is left in R64 and R65."""
    low_word, high_word = sheet.run(reg(64), reg(65))
    return wide(low_word) | (wide(high_word) << U64(32))


@some
@given(words((4, 32)), lanes, SIGNS)
def test_pairs_are_moved_chosen_and_added(v, p, negative):
    a, b = longs(v, unsigned=True)
    sheet = Sheet()
    x, y = wide_of(sheet, v)
    sheet.emit(Op.SEL, reg(66), x, imm(-2, wide=True), psrcs=(sheet.holds(0, p),), width=8)
    sheet.emit(Op.IADD3, reg(68), reg(66), y._replace(neg=negative), ZERO, width=8)
    sheet.emit(Op.MOV, reg(64), reg(68), width=8)
    with np.errstate(over="ignore"):
        want = np.where(p, a, U64(2**64 - 2)) + (U64(0) - b if negative else b)
    np.testing.assert_array_equal(pairs(sheet), want)


@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize("compare", [c for c in Cmp if c < Cmp.NUM])
@some
@given(words((4, 32)), lanes)
def test_pairs_are_compared(compare, unsigned, v, p):
    v[2:, ::3] = v[:2, ::3]
    a, b = longs(v, unsigned)
    sheet, flags = Sheet(), Flag.UNSIGNED if unsigned else 0
    x, y = wide_of(sheet, v)
    sheet.emit(Op.ISETP, None, x, y, pdsts=(pred(1),), sub=compare, flags=flags, width=8)
    sheet.emit(Op.IMNMX, reg(64), x, y, psrcs=(sheet.holds(0, p),), flags=flags, width=8)
    want = {
        Cmp.LT: a < b, Cmp.LE: a <= b, Cmp.GT: a > b, Cmp.GE: a >= b, Cmp.EQ: a == b, Cmp.NE: a != b,
    }[compare]  # fmt: skip
    np.testing.assert_array_equal(sheet.run(pred(1))[0], want)
    np.testing.assert_array_equal(pairs(sheet), np.where(p, np.minimum(a, b), np.maximum(a, b)).view(U64))
