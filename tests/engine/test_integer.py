"""Integer, predicate and bit instructions against NumPy, over random and special words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.isa.opcodes import BoolOp, Cmp, Flag, Op, Shift
from gpusim.isa.program import imm, pred, reg
from tests.engine.programs import FULL, Sheet, one, words

W = words()
some = settings(max_examples=40)
lanes = st.lists(st.booleans(), min_size=32, max_size=32).map(np.array)
SIGNS = st.booleans()
U64 = np.uint64


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


@pytest.mark.parametrize("flags", [0, Flag.UNSIGNED])
@some
@given(words((4, 32)))
def test_imad_wide_keeps_both_words(flags, v):
    sheet = Sheet()
    a, b, clo, chi = (sheet.given(row) for row in v)
    sheet.emit(Op.MOV, reg(66), clo)
    sheet.emit(Op.MOV, reg(67), chi)
    sheet.emit(Op.IMAD_WIDE, reg(64), a, b, reg(66), flags=flags)
    lo, hi = sheet.run(reg(64), reg(65))
    with np.errstate(over="ignore"):
        product = wide(v[0]) * wide(v[1]) if flags else (signed(v[0]) * signed(v[1])).view(U64)
        want = product + (wide(v[2]) | (wide(v[3]) << U64(32)))
    np.testing.assert_array_equal(wide(lo) | (wide(hi) << U64(32)), want)


@pytest.mark.parametrize("flags", [0, Flag.UNSIGNED])
@some
@given(W, W, W)
def test_imad_hi_keeps_the_high_word(flags, a, b, c):
    product = wide(a) * wide(b) if flags else (signed(a) * signed(b)).view(U64)
    want = low((product >> U64(32)) + wide(c))
    np.testing.assert_array_equal(one(Op.IMAD_HI, a, b, c, flags=flags), want)


@some
@given(W, W, st.integers(0, 31))
def test_lea_shifts_and_adds(a, b, shift):
    want = low((wide(a) << U64(shift)) + wide(b))
    np.testing.assert_array_equal(one(Op.LEA, a, b, sub=shift), want)


@some
@given(words((4, 32)), st.integers(0, 31))
def test_a_64_bit_lea_is_a_lea_with_a_carry_and_its_upper_half(v, shift):
    """As ptxas scales a 64-bit index and adds it to an address."""
    sheet = Sheet()
    alo, ahi, blo, bhi = (sheet.given(row) for row in v)
    sheet.emit(Op.LEA, reg(64), alo, blo, sub=shift, pdsts=(pred(0),))
    sheet.emit(Op.LEA_HI_X, reg(65), alo, bhi, ahi, psrcs=(pred(0),), sub=shift)
    lo, hi = sheet.run(reg(64), reg(65))
    with np.errstate(over="ignore"):
        want = ((wide(v[0]) | (wide(v[1]) << U64(32))) << U64(shift)) + wide(v[2]) + (wide(v[3]) << U64(32))
    np.testing.assert_array_equal(wide(lo) | (wide(hi) << U64(32)), want)


# ------------------------------------------------------------------ bits


def shifted(kind, a, n, c):
    """Python's own unbounded integers as the judge."""
    n = min(n, 63)
    both = c << 32 | a
    return {
        Shift.L: a << n,
        Shift.R_U32: a >> n,
        Shift.R_S32: (a - (a >> 31 << 32)) >> n,
        Shift.L_HI: (both << n & (1 << 64) - 1) >> 32,
        Shift.R_LO: both >> n,
    }[kind] & FULL


@pytest.mark.parametrize("kind", list(Shift)[:5])  # the rest is machine code's: the engine has it not yet
@some
@given(W, st.one_of(W, words().map(lambda x: x & 63)), W)
def test_shf_shifts(kind, a, n, c):
    want = [shifted(kind, *map(int, lane)) for lane in zip(a, n, c, strict=True)]
    np.testing.assert_array_equal(one(Op.SHF, a, n, c, sub=kind), want)


@some
@given(W, W, W, st.integers(0, 255))
def test_lop3_is_any_function_of_three_bits(a, b, c, table):
    want = np.zeros(32, np.uint32)
    for bit in range(32):
        row = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1)
        want |= (table >> row.astype(np.int64) & 1).astype(np.uint32) << np.uint32(bit)
    np.testing.assert_array_equal(one(Op.LOP3, a, b, c, sub=table), want)


@some
@given(lanes, lanes, lanes, st.integers(0, 255))
def test_plop3_is_any_function_of_three_predicates(p, q, r, table):
    sheet = Sheet()
    for k, values in enumerate((p, q, r)):
        sheet.holds(k, values)
    sheet.emit(Op.PLOP3, None, psrcs=(pred(0), pred(1), pred(2)), pdsts=(pred(3),), sub=table)
    want = (table >> (p.astype(int) << 2 | q.astype(int) << 1 | r)) & 1
    np.testing.assert_array_equal(sheet.run(pred(3))[0], want)


@some
@given(W)
def test_popc_flo_brev_iabs(a):
    text = [f"{x:032b}" for x in a]
    np.testing.assert_array_equal(one(Op.POPC, a), [t.count("1") for t in text])
    np.testing.assert_array_equal(one(Op.FLO, a), [int(x).bit_length() - 1 & FULL for x in a])
    np.testing.assert_array_equal(one(Op.BREV, a), [int(t[::-1], 2) for t in text])
    np.testing.assert_array_equal(one(Op.IABS, a), low(abs(signed(a))))


@some
@given(W, W, W)
def test_prmt_picks_bytes_of_a_pair(a, selector, c):
    want = []
    for x, s, z in zip(a, selector, c, strict=True):
        octets = (int(z) << 32 | int(x)).to_bytes(8, "little")
        picks = [int(s) >> 4 * k & 15 for k in range(4)]
        chosen = [octets[p & 7] if p < 8 else 255 * (octets[p & 7] >> 7) for p in picks]
        want.append(int.from_bytes(bytes(chosen), "little"))
    np.testing.assert_array_equal(one(Op.PRMT, a, selector, c), want)


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


@pytest.mark.parametrize("flags", [0, Flag.UNSIGNED])
@some
@given(W, W, lanes)
def test_imnmx(flags, a, b, p):
    sheet = Sheet()
    x, y, chosen = sheet.given(a), sheet.given(b), sheet.holds(0, p)
    sheet.emit(Op.IMNMX, reg(64), x, y, psrcs=(chosen,), flags=flags)
    u, v = (a, b) if flags else (signed(a), signed(b))
    np.testing.assert_array_equal(sheet.run(reg(64))[0], low(np.where(p, np.minimum(u, v), np.maximum(u, v))))


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
