"""Shifts, logic, bytes and bits against Python's integers, over random and special words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim.isa.instruction import pred, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Flag, Permute, Shift
from tests.engine.programs import FULL, Sheet, one, words

W = words()
COUNTS = st.one_of(W, words().map(lambda x: x & 127))
some = settings(max_examples=15)  # of 32 lanes each
lanes = st.lists(st.booleans(), min_size=32, max_size=32).map(np.array)
INVERT = st.booleans()


def lanewise(function, *rows):
    """A function of Python's integers, lane by lane."""
    return [function(*map(int, lane)) & FULL for lane in zip(*rows, strict=True)]


WORD_SHIFTS = (Shift.L, Shift.R_U32, Shift.R_S32)
FUNNELS_32 = (Shift.L_HI_32, Shift.R_LO_32)


def shifted(kind, wraps, a, n, c):
    """Python's own unbounded integers as the judge."""
    if kind in (*WORD_SHIFTS, *FUNNELS_32):
        n = n & 31 if wraps else min(n, 32)
    else:
        n = n & 63 if wraps else min(n, 64)
    both = c << 32 | a
    negative = both - (both >> 63 << 64)
    return {
        Shift.L: a << n,
        Shift.R_U32: a >> n,
        Shift.R_S32: (a - (a >> 31 << 32)) >> n,
        Shift.L_HI: (both << n & (1 << 64) - 1) >> 32,
        Shift.R_LO: both >> n,
        Shift.R_HI_U32: both >> n >> 32,
        Shift.R_HI_S32: negative >> n >> 32,
        Shift.R_LO_S32: negative >> n,
        Shift.L_HI_32: (both << n & (1 << 64) - 1) >> 32,
        Shift.R_LO_32: both >> n,
    }[kind]


@pytest.mark.parametrize("flags", [0, Flag.WRAP])
@pytest.mark.parametrize("kind", list(Shift))
@some
@given(W, COUNTS, W)
def test_shf_shifts(kind, flags, a, n, c):
    want = lanewise(lambda x, y, z: shifted(kind, bool(flags), x, y, z), a, n, c)
    np.testing.assert_array_equal(one(Op.SHF, a, n, c, sub=kind, flags=flags), want)


@some
@given(W, W, W, st.integers(0, 255))
def test_lop3_is_any_function_of_three_bits(a, b, c, table):
    want = np.zeros(32, np.uint32)
    for bit in range(32):
        row = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1)
        want |= (table >> row.astype(np.int64) & 1).astype(np.uint32) << np.uint32(bit)
    np.testing.assert_array_equal(one(Op.LOP3, a, b, c, sub=table), want)


@pytest.mark.parametrize("flags", [0, Flag.PAND])
@some
@given(W, W, lanes, INVERT)
def test_lop3_says_whether_any_bit_is_set(flags, a, b, p, named):
    sheet = Sheet()
    psrcs = (sheet.holds(0, p),) if named else ()
    sheet.emit(
        Op.LOP3, reg(64), sheet.given(a), sheet.given(b), reg(255), sub=0xC0, psrcs=psrcs, pdsts=(pred(1),), flags=flags
    )
    value, some_bit = sheet.run(reg(64), pred(1))
    np.testing.assert_array_equal(value, a & b)
    p = p if named else np.full(32, bool(flags))
    np.testing.assert_array_equal(some_bit, (a & b != 0) & p if flags else (a & b != 0) | p)


@some
@given(lanes, lanes, lanes, st.integers(0, 255), st.integers(0, 255), INVERT)
def test_plop3_is_two_functions_of_three_predicates(p, q, r, first, second, neg):
    sheet = Sheet()
    sources = [sheet.holds(k, values) for k, values in enumerate((p, q, r))]
    sources[1] = sources[1]._replace(neg=neg)
    sheet.emit(Op.PLOP3, None, psrcs=tuple(sources), pdsts=(pred(3), pred(4)), sub=first | second << 8)
    place = p.astype(int) << 2 | (q ^ neg).astype(int) << 1 | r
    for got, table in zip(sheet.run(pred(3), pred(4)), (first, second), strict=True):
        np.testing.assert_array_equal(got, (table >> place) & 1)


@some
@given(W, INVERT)
def test_popc_and_brev(a, neg):
    text = [f"{x:032b}" for x in (~a if neg else a)]
    sheet = Sheet()
    x = sheet.given(a)._replace(neg=neg)
    sheet.emit(Op.POPC, reg(64), x)
    sheet.emit(Op.BREV, reg(65), x)
    ones, mirrored = sheet.run(reg(64), reg(65))
    np.testing.assert_array_equal(ones, [t.count("1") for t in text])
    np.testing.assert_array_equal(mirrored, [int(t[::-1], 2) for t in text])


@pytest.mark.parametrize("flags", [0, Flag.SIGNED, Flag.SHIFT, Flag.SIGNED | Flag.SHIFT])
@some
@given(W, COUNTS)
def test_flo_finds_the_highest_bit_that_matters(flags, a, n):
    a = a >> (n & 31)

    def highest(x):
        if flags & Flag.SIGNED and x >> 31:
            x ^= FULL
        index = x.bit_length() - 1
        return 31 - index if flags & Flag.SHIFT and index >= 0 else index

    np.testing.assert_array_equal(one(Op.FLO, a, flags=flags), lanewise(highest, a))


@pytest.mark.parametrize("flags", [0, Flag.UNSIGNED, Flag.WRAP, Flag.UNSIGNED | Flag.WRAP])
@some
@given(W, COUNTS)
def test_sgxt_extends_the_low_bits(flags, a, n):
    def extended(x, count):
        count = count & 31 if flags & Flag.WRAP else min(count, 32)
        kept = x & (1 << count) - 1
        return kept - (1 << count) if not flags & Flag.UNSIGNED and count and kept >> count - 1 else kept

    np.testing.assert_array_equal(one(Op.SGXT, a, n, flags=flags), lanewise(extended, a, n))


@pytest.mark.parametrize("flags", [0, Flag.WRAP])
@some
@given(COUNTS, COUNTS)
def test_bmsk_makes_ones(flags, a, n):
    def mask(first, count):
        if flags:
            first, count = first & 31, count & 31
        return ((1 << min(count, 32)) - 1) << min(first, 32)

    np.testing.assert_array_equal(one(Op.BMSK, a, n, flags=flags), lanewise(mask, a, n))


# ------------------------------------------------------------------ bytes


def picks(mode, selector):
    """Bytes that each mode of prmt picks, lowest first (PTX ISA's table)."""
    n = selector & 3
    return {
        Permute.IDX: [selector >> 4 * k & 15 for k in range(4)],
        Permute.F4E: [n + k for k in range(4)],
        Permute.B4E: [(n - k) % 8 for k in range(4)],
        Permute.RC8: [n] * 4,
        Permute.ECL: [(0, 1, 2, 3), (1, 1, 2, 3), (2, 2, 2, 3), (3, 3, 3, 3)][n],
        Permute.ECR: [(0, 0, 0, 0), (0, 1, 1, 1), (0, 1, 2, 2), (0, 1, 2, 3)][n],
        Permute.RC16: [(0, 1, 0, 1), (2, 3, 2, 3)][n & 1],
    }[mode]


@pytest.mark.parametrize("mode", list(Permute))
@some
@given(W, W, W)
def test_prmt_picks_bytes_of_a_pair(mode, a, selector, c):
    def permuted(x, s, z):
        octets = (z << 32 | x).to_bytes(8, "little")
        chosen = [octets[p & 7] if p < 8 else 255 * (octets[p & 7] >> 7) for p in picks(mode, s)]
        return int.from_bytes(bytes(chosen), "little")

    np.testing.assert_array_equal(one(Op.PRMT, a, selector, c, sub=mode), lanewise(permuted, a, selector, c))
