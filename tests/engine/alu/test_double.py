"""fp64 arithmetic in every rounding, against exact numbers; and what becomes of NaN."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gpusim.isa.instruction import reg
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Round
from tests.engine import exact
from tests.engine.programs import Sheet

SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 0.1, 5e-324, -5e-324, 2.0**-1022, -(2.0**-1022), 2.0**-1074 * 3, 2.0**-1060, 2.0**-540,
    1 + 2.0**-52, 1 - 2.0**-53, 2.0**53, 2.0**52 + 0.5, 2.0**1023, -(2.0**1023), 1.7976931348623157e308,
    -1.7976931348623157e308, 2.0**511, 2.0**-511 * (1 + 2.0**-52), math.inf, -math.inf,
]  # fmt: skip
ANY = st.integers(0, 2**64 - 1).map(lambda n: float(np.array(n, np.uint64).view(np.float64)))
NUMBERS = st.sampled_from(SPECIAL) | ANY.filter(lambda x: x == x) | st.floats(-4, 4)
D = arrays(np.float64, 32, elements=NUMBERS, fill=st.nothing())
SIGNS = st.booleans()
some = settings(max_examples=15)  # of 32 lanes each
OWN_NAN = 0xFFF8 << 48
pytestmark = pytest.mark.filterwarnings("ignore:invalid value|overflow|divide by zero:RuntimeWarning")


def run(op: Op, *values: np.ndarray, how: Round = Round.NEAREST, **modifiers: bool) -> np.ndarray:
    """Bits of the result."""
    sheet = Sheet()
    sources = [sheet.given_wide(v)._replace(**modifiers) for v in values]
    sheet.emit(op, reg(64), *sources, sub=how << 4)
    low, high = sheet.run(reg(64), reg(65))
    return low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)


def same(got: np.ndarray, want: list[float]) -> None:
    """Equal bit for bit; of NaN only that it is one."""
    for lane, (bits, value) in enumerate(zip(got, want, strict=True)):
        if math.isnan(value):
            assert math.isnan(bits.view(np.float64)), lane
        else:
            assert bits == np.float64(value).view(np.uint64), (lane, hex(bits), value.hex())


@pytest.mark.parametrize("how", list(Round))
@some
@given(D, D)
def test_sums_round_as_asked(how, a, b):
    same(run(Op.DADD, a, b, how=how), [exact.fused(x, 1.0, y, exact.FP64, how) for x, y in zip(a, b, strict=True)])


@pytest.mark.parametrize("how", list(Round))
@some
@given(D, D)
def test_products_round_as_asked(how, a, b):
    same(run(Op.DMUL, a, b, how=how), [exact.product(x, y, exact.FP64, how) for x, y in zip(a, b, strict=True)])


@pytest.mark.parametrize("how", list(Round))
@some
@given(D, D, D, st.integers(-2, 2))
def test_fused_products_round_once(how, a, b, c, off):
    """A third of the lanes nearly cancel, a third lie far apart."""
    c[::3] = (-(a * b).view(np.int64) + off).view(np.float64)[::3] if off > 0 else -(a * b)[::3]
    c[np.isnan(c)] = 1.0
    want = [exact.fused(*lane, exact.FP64, how) for lane in zip(a.tolist(), b.tolist(), c.tolist(), strict=True)]
    same(run(Op.DFMA, a, b, c, how=how), want)


# ------------------------------------------------------------------ NaN

QUIET, LOUD = 0x7FF8_0000_0000_1234, 0xFFF0_0000_0000_5678


def of(bits: int) -> np.ndarray:
    return np.full(32, bits, np.uint64).view(np.float64)


def test_the_first_nan_is_kept_and_made_quiet():
    assert run(Op.DADD, of(QUIET), of(LOUD))[0] == QUIET
    assert run(Op.DADD, of(LOUD), of(QUIET))[0] == LOUD | 1 << 51
    assert run(Op.DFMA, np.ones(32), np.ones(32), of(LOUD))[0] == LOUD | 1 << 51


@pytest.mark.parametrize("modifiers", [{"neg": True}, {"abs": True}])
def test_signs_do_not_change_a_nan(modifiers):
    assert run(Op.DADD, of(QUIET), np.ones(32), **modifiers)[0] == QUIET
    assert run(Op.DADD, of(QUIET | 1 << 63), np.ones(32), **modifiers)[0] == QUIET | 1 << 63


def test_what_has_no_value_is_the_hardwares_own_nan():
    infinite = np.full(32, np.inf)
    assert run(Op.DADD, infinite, -infinite)[0] == OWN_NAN
    assert run(Op.DMUL, infinite, np.zeros(32))[0] == OWN_NAN
