"""Floating-point instructions and conversions against NumPy and ml_dtypes, bit for bit where the hardware is exact."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.isa.instruction import RZ, Half, pred, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Cmp, Convert, Flag, Mufu, Round
from tests.engine.programs import SPECIAL_FLOATS, Sheet, floats, one, words

V = floats()
MODS = st.lists(st.booleans(), min_size=4, max_size=4)  # neg a, neg b, abs a, abs b
lanes = st.lists(st.booleans(), min_size=32, max_size=32).map(np.array)
some = settings(max_examples=15)  # of 32 lanes each

pytestmark = pytest.mark.filterwarnings("ignore:invalid value|overflow|divide by zero:RuntimeWarning")


def same(got: np.ndarray, want: np.ndarray) -> None:
    """Equal bit for bit; any NaN is as good as another."""
    got, want = got.view(np.float32), np.asarray(want, np.float32)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    there = ~np.isnan(want)
    np.testing.assert_array_equal(got[there].view(np.uint32), want[there].view(np.uint32))


def modified(x: np.ndarray, neg: bool, magnitude: bool = False) -> np.ndarray:
    x = np.abs(x) if magnitude else x
    return -x if neg else x


# ------------------------------------------------------------------ arithmetic


@some
@given(V, V, MODS)
def test_fadd(a, b, mods):
    sheet = Sheet()
    x = sheet.given(a)._replace(neg=mods[0], abs=mods[2])
    y = sheet.given(b)._replace(neg=mods[1], abs=mods[3])
    sheet.emit(Op.FADD, reg(64), x, y)
    same(sheet.run(reg(64))[0], modified(a, mods[0], mods[2]) + modified(b, mods[1], mods[3]))


@some
@given(V, V, MODS)
def test_fmul(a, b, mods):
    sheet = Sheet()
    sheet.emit(Op.FMUL, reg(64), sheet.given(a)._replace(neg=mods[0]), sheet.given(b)._replace(neg=mods[1]))
    same(sheet.run(reg(64))[0], modified(a, mods[0]) * modified(b, mods[1]))


def fused(a: float, b: float, c: float) -> np.float32:
    """a * b + c with one rounding, in exact arithmetic."""
    if not all(map(math.isfinite, (a, b, c))):
        return np.float32(np.float64(a) * np.float64(b) + np.float64(c))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return np.float32(np.float64(a) * np.float64(b) + np.float64(c)) if a == 0 or b == 0 else np.float32(0.0)
    return rounded(exact)


def rounded(exact: Fraction) -> np.float32:
    """The nearest fp32 value, ties to even."""
    exponent = max(abs(exact).numerator.bit_length() - abs(exact).denominator.bit_length() - 24, -150)
    while abs(exact) / Fraction(2) ** exponent >= 1 << 24:
        exponent += 1
    exponent = max(exponent, -149)
    units = round(exact / Fraction(2) ** exponent)  # Python rounds halves to even
    if abs(units) * Fraction(2) ** exponent >= Fraction(2) ** 128:
        return np.float32(math.copysign(np.inf, exact))
    return np.float32(math.copysign(float(abs(units) * Fraction(2) ** exponent), exact))


@some
@given(V, V, V, MODS)
def test_ffma_rounds_once(a, b, c, mods):
    sheet = Sheet()
    x, y, z = (sheet.given(v)._replace(neg=n) for v, n in zip((a, b, c), mods[:3], strict=True))
    sheet.emit(Op.FFMA, reg(64), x, y, z)
    signs = [-1.0 if n else 1.0 for n in mods[:3]]
    want = [fused(*(float(v) * s for v, s in zip(lane, signs, strict=True))) for lane in zip(a, b, c, strict=True)]
    same(sheet.run(reg(64))[0], np.array(want, np.float32))


def test_ffma_keeps_what_two_roundings_would_lose():
    a = np.full(32, 1 + 2.0**-12, np.float32)
    want = np.float32((1 + 2.0**-12) ** 2 - 1 - 2.0**-11)
    same(one(Op.FFMA, a, a, -(np.full(32, 1 + 2.0**-11, np.float32))), np.full(32, want))
    assert want > 0


@some
@given(V, V, lanes, MODS)
def test_fmnmx_prefers_numbers_to_nan(a, b, p, mods):
    a = np.where(a == 0, np.float32(1), a)  # which zero is less is not asked here
    sheet = Sheet()
    x = sheet.given(a)._replace(neg=mods[0], abs=mods[2])
    y = sheet.given(b)._replace(neg=mods[1], abs=mods[3])
    sheet.emit(Op.FMNMX, reg(64), x, y, psrcs=(sheet.holds(0, p),))
    u, v = modified(a, mods[0], mods[2]), modified(b, mods[1], mods[3])
    same(sheet.run(reg(64))[0], np.where(p, np.fmin(u, v), np.fmax(u, v)))


@some
@given(V, V, lanes, MODS)
def test_fsel_chooses(a, b, p, mods):
    sheet = Sheet()
    x, y = sheet.given(a)._replace(neg=mods[0]), sheet.given(b)._replace(neg=mods[1])
    sheet.emit(Op.FSEL, reg(64), x, y, psrcs=(sheet.holds(0, p),))
    same(sheet.run(reg(64))[0], np.where(p, modified(a, mods[0]), modified(b, mods[1])))


COMPARE = {
    Cmp.LT: np.less, Cmp.LE: np.less_equal, Cmp.GT: np.greater, Cmp.GE: np.greater_equal, Cmp.EQ: np.equal,
    Cmp.NE: lambda x, y: (x < y) | (x > y), Cmp.NUM: lambda x, y: ~(np.isnan(x) | np.isnan(y)),
    Cmp.NAN: lambda x, y: np.isnan(x) | np.isnan(y),
}  # fmt: skip


@pytest.mark.parametrize("compare", list(COMPARE))
@some
@given(V, V, lanes, MODS)
def test_fsetp_compares_nan_with_nothing(compare, a, b, p, mods):
    b[::3] = a[::3]
    sheet = Sheet()
    x = sheet.given(a)._replace(neg=mods[0], abs=mods[2])
    y = sheet.given(b)._replace(neg=mods[1], abs=mods[3])
    sheet.emit(Op.FSETP, None, x, y, pdsts=(pred(1), pred(2)), psrcs=(sheet.holds(0, p),), sub=compare)
    got, opposite = sheet.run(pred(1), pred(2))
    value = COMPARE[compare](modified(a, mods[0], mods[2]), modified(b, mods[1], mods[3]))
    np.testing.assert_array_equal(got, value & p)
    np.testing.assert_array_equal(opposite, ~value & p)


LEAST = np.float32(2.0**-126)  # normal; MUFU takes less as zero
FUNCTIONS = {
    Mufu.RCP: lambda x: 1 / x,
    Mufu.RSQ: lambda x: 1 / np.sqrt(x),
    Mufu.SQRT: np.sqrt,
    Mufu.EX2: np.exp2,
    Mufu.LG2: np.log2,
    Mufu.SIN: lambda x: np.sin(2 * np.pi * (x - np.rint(x))),
    Mufu.COS: lambda x: np.cos(2 * np.pi * (x - np.rint(x))),
    Mufu.TANH: np.tanh,
}


@pytest.mark.parametrize("which", list(FUNCTIONS))
@some
@given(V)
def test_mufu_is_the_function_to_an_ulp(which, a):
    wave = which in (Mufu.SIN, Mufu.COS)
    a = np.where(np.abs(a) > 1e6, a / np.float32(2.0**100), a) if wave else a
    taken = a if which is Mufu.TANH else np.where(np.abs(a) < LEAST, np.copysign(np.float32(0), a), a)
    got = one(Op.MUFU, a, sub=which).view(np.float32)
    want = FUNCTIONS[which](taken.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_allclose(got, want, rtol=1.2e-7, atol=2e-7 if wave else 2e-38)


@pytest.mark.parametrize(
    ("which", "upper", "want"),
    [
        (Mufu.RCP64H, 0xFFDA5206, 0x80000000),  # 1/x is subnormal
        (Mufu.RCP64H, 0x7FE2C104, 0x00000000),
        (Mufu.RCP64H, 0x800DF68B, 0xFFF00000),  # x is
        (Mufu.RCP64H, 0xF3ED688F, 0x8BF168F4),  # the next word, as 23 bits round up
        (Mufu.RCP64H, 0x42023635, 0x3DDC1D1D),  # the next word, as 23 bits round up
        (Mufu.RSQ64H, 0x688990C0, 0x2BA1E690),  # the next word, as 23 bits round up
        (Mufu.RSQ64H, 0x1ABB2F91, 0x52888C9E),  # the next word, as 23 bits round up
    ],
)
def test_an_upper_word_of_a_double_is_the_hardwares(which, upper, want):
    """As an H200 gives them: zeros for subnormal values, and the upper part of a result of 23 bits."""
    assert one(Op.MUFU, np.full(32, upper, np.uint32), sub=which)[0] == want


def test_a_root_of_doubles_takes_subnormal_ones_for_zeros():
    """As an H100 does (forms of MUFU.RSQ64H)."""
    upper = np.resize(np.array([0x000FFFFF, 0x00000001, 0x00000000, 0x00100000, 0x3FF00000], np.uint32), 32)
    got = one(Op.MUFU, upper, sub=Mufu.RSQ64H)
    assert got[:5].tolist() == [0x7FF00000, 0x7FF00000, 0x7FF00000, 0x5FE00000, 0x3FF00000]


@pytest.mark.parametrize("which", [Mufu.RCP64H, Mufu.RSQ64H])
def test_a_nan_of_doubles_has_one_upper_word(which):
    """As an H200 gives it (forms of MUFU.RCP64H and RSQ64H), whatever NaN came in."""
    upper = np.resize(np.array([0x7FF80000, 0xFFF80000, 0x7FF00001, 0xFFFFFFFF], np.uint32), 32)
    assert set(one(Op.MUFU, upper, sub=which).tolist()) == {0x7FFFFFFF}


# ------------------------------------------------------------------ integers and floats


def to_fp32(x: int, how: Round) -> float:
    near = np.float32(x)
    if int(near) == x or how is Round.NEAREST:
        return near
    down = near if int(near) < x else np.nextafter(near, np.float32(-np.inf))
    up = near if int(near) > x else np.nextafter(near, np.float32(np.inf))
    return {Round.DOWN: down, Round.UP: up, Round.ZERO: down if x > 0 else up}[how]


@pytest.mark.parametrize("how", list(Round))
@pytest.mark.parametrize("kind", [Convert.S32, Convert.U32])
@some
@given(words())
def test_i2f_rounds_as_asked(kind, how, a):
    values = a.view(np.int32) if kind is Convert.S32 else a
    same(one(Op.I2F, a, sub=kind | how << 4), np.array([to_fp32(int(x), how) for x in values], np.float32))


ROUND = {Round.NEAREST: np.rint, Round.DOWN: np.floor, Round.UP: np.ceil, Round.ZERO: np.trunc}


@pytest.mark.parametrize("how", list(Round))
@pytest.mark.parametrize("kind", [Convert.S32, Convert.U32])
@some
@given(V)
def test_f2i_saturates(kind, how, a):
    low, high = (-(2.0**31), 2.0**31 - 1) if kind is Convert.S32 else (0.0, 2.0**32 - 1)
    value = np.clip(np.nan_to_num(ROUND[how](a.astype(np.float64)), nan=0.0, posinf=high, neginf=low), low, high)
    np.testing.assert_array_equal(
        one(Op.F2I, a, sub=kind | how << 4), value.astype(np.int64).view(np.uint64) & np.uint64(0xFFFFFFFF)
    )


@pytest.mark.parametrize("how", list(Round))
@some
@given(V)
def test_frnd_rounds_to_whole_numbers(how, a):
    got, want = one(Op.FRND, a, sub=how << 4).view(np.float32), ROUND[how](a)
    np.testing.assert_array_equal(got, want)


# ------------------------------------------------------------------ 16-bit floats

HALVES = {Convert.F16: np.float16, Convert.BF16: ml_dtypes.bfloat16}
INTO = {Convert.F16: Convert.TO_F16, Convert.BF16: Convert.TO_BF16}


def same_half(got: np.ndarray, want: np.ndarray) -> None:
    """Equal bit for bit as 16-bit floats, NaN as good as NaN."""
    got = got.astype(np.uint16).view(want.dtype)
    nan = np.isnan(want.astype(np.float32))
    np.testing.assert_array_equal(np.isnan(got.astype(np.float32)), nan)
    np.testing.assert_array_equal(got[~nan].view(np.uint16), want[~nan].view(np.uint16))


@pytest.mark.parametrize("kind", list(HALVES))
def test_every_16_bit_float_becomes_its_fp32(kind):
    patterns = np.arange(1 << 16, dtype=np.uint32)
    for chunk in patterns.reshape(64, 32, 32):  # 32 conversions a program
        sheet = Sheet()
        for k, row in enumerate(chunk):
            sheet.emit(Op.F2F, reg(64 + k), sheet.given(row | 0xDEAD0000), sub=kind)  # the upper half is not looked at
        got = np.array(sheet.run(*(reg(64 + k) for k in range(32))))
        same(got, chunk.astype(np.uint16).view(HALVES[kind]).astype(np.float32))


@pytest.mark.parametrize("kind", list(HALVES))
def test_every_16_bit_float_survives_the_way_there_and_back(kind):
    patterns = np.arange(1 << 16, dtype=np.uint32)
    for chunk in patterns.reshape(64, 32, 32):
        sheet = Sheet()
        for k, row in enumerate(chunk):
            sheet.emit(Op.F2F, reg(64 + k), sheet.given(row), sub=kind)
            sheet.emit(Op.F2F, reg(64 + k), reg(64 + k), sub=INTO[kind])
        same_half(np.array(sheet.run(*(reg(64 + k) for k in range(32)))), chunk.astype(np.uint16).view(HALVES[kind]))


@pytest.mark.parametrize("kind", list(HALVES))
@settings(max_examples=200)
@given(V)
def test_fp32_is_rounded_to_16_bits(kind, a):
    got = one(Op.F2F, a, sub=INTO[kind])
    assert not (got >> 16).any()
    same_half(got, a.astype(HALVES[kind]))


@pytest.mark.parametrize("kind", list(HALVES))
def test_ties_go_to_even_at_every_exponent(kind):
    patterns = np.arange(0, 0x7F80, 7, dtype=np.uint32)
    patterns = patterns[patterns.astype(np.uint16).view(HALVES[kind]).astype(np.float32) < 6e4]
    lower = patterns.astype(np.uint16).view(HALVES[kind]).astype(np.float64)
    upper = (patterns + 1).astype(np.uint16).view(HALVES[kind]).astype(np.float64)
    middle = ((lower + upper) / 2).astype(np.float32)
    for sign in (1, -1):
        for start in range(0, len(middle) - 32, 32):
            a = sign * middle[start : start + 32]
            same_half(one(Op.F2F, a, sub=INTO[kind]), a.astype(HALVES[kind]))


@pytest.mark.parametrize("kind", list(HALVES))
@some
@given(V, V)
def test_f2fp_packs_two(kind, a, b):
    got = one(Op.F2FP, a, b, sub=kind)
    same_half(got >> 16, a.astype(HALVES[kind]))
    same_half(got & 0xFFFF, b.astype(HALVES[kind]))


@pytest.mark.parametrize("kind", list(HALVES))
@pytest.mark.parametrize("half", [Half.BOTH, Half.HIGH])
@some
@given(V, words())
def test_f2fp_merges_one_with_half_a_word(kind, half, a, word):
    sheet = Sheet()
    given, kept = sheet.given(a), sheet.given(word)._replace(half=int(half))
    sheet.emit(Op.F2FP, reg(64), reg(RZ), given, kept, sub=kind, flags=Flag.MERGE)
    got = sheet.run(reg(64))[0]
    same_half(got & 0xFFFF, a.astype(HALVES[kind]))
    np.testing.assert_array_equal(got >> 16, word >> 16 if half is Half.HIGH else word & 0xFFFF)


@pytest.mark.parametrize("kind", list(HALVES))
@some
@given(V)
def test_conversions_take_signs_and_magnitudes(kind, a):
    """F2F, F2I and FRND take -x and |x|, as machine code writes them."""
    sheet = Sheet()
    minus, size = sheet.given(a)._replace(neg=True), sheet.given(a)._replace(abs=True)
    sheet.emit(Op.F2F, reg(64), minus, sub=INTO[kind])
    sheet.emit(Op.F2I, reg(65), size, sub=Convert.S32 | Round.ZERO << 4)
    sheet.emit(Op.FRND, reg(66), size, sub=Round.DOWN << 4)
    half, whole, floor = sheet.run(reg(64), reg(65), reg(66))
    same_half(half, (-a).astype(HALVES[kind]))
    magnitude = np.nan_to_num(np.abs(a.astype(np.float64)), nan=0.0)
    np.testing.assert_array_equal(whole, np.minimum(np.trunc(magnitude), 2.0**31 - 1).astype(np.uint32))
    np.testing.assert_array_equal(floor.view(np.float32), np.floor(np.abs(a)))


def test_special_floats_are_all_there():
    assert len({np.float32(x).tobytes() for x in SPECIAL_FLOATS}) == len(SPECIAL_FLOATS)
    assert Flag.FTZ  # denormals are kept: no program asks for flushing yet
