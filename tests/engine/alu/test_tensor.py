"""Tensor cores: fragments where PTX says, sums as an H200 adds up, in exact numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gpusim.hardware.fixed import TENSOR_BITS
from gpusim.isa.instruction import Operand, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Flag, Mma
from tests.engine import exact
from tests.engine.programs import Sheet, words

LANE = np.arange(32)
GROUP, T = LANE // 4, LANE % 4
some = settings(max_examples=15)
pytestmark = pytest.mark.filterwarnings("ignore:invalid value|overflow:RuntimeWarning")


class Shape(NamedTuple):
    """A product: its depth, bits of an input, and how those are read."""

    depth: int
    bits: int
    least: float  # the smallest normal number
    packed: bool = False  # c and d in fp16


SHAPES = {
    Mma.F16_16816_F32: Shape(16, 16, 2.0**-14),
    Mma.F16_1688_F32: Shape(8, 16, 2.0**-14),
    Mma.F16_16816_F16: Shape(16, 16, 2.0**-14, packed=True),
    Mma.F16_1688_F16: Shape(8, 16, 2.0**-14, packed=True),
    Mma.BF16_16816_F32: Shape(16, 16, 2.0**-126),
    Mma.BF16_1688_F32: Shape(8, 16, 2.0**-126),
    Mma.TF32_1688_F32: Shape(8, 32, 2.0**-126),
    Mma.TF32_1684_F32: Shape(4, 32, 2.0**-126),
}


def values(kind: Mma, word: np.ndarray) -> np.ndarray:
    """Elements of every lane's word, shape (32, elements)."""
    if SHAPES[kind].bits == 32:
        return (word & 0xFFFFE000).astype(np.uint32).view(np.float32).astype(np.float64)[:, None]
    form = ml_dtypes.bfloat16 if "BF16" in kind.name else np.float16
    return word.view(form).astype(np.float64).reshape(32, 2)


def laid_out(kind: Mma, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Matrices that the registers of a and b hold."""
    shape = SHAPES[kind]
    per = 32 // shape.bits
    left, right = np.zeros((16, shape.depth)), np.zeros((shape.depth, 8))
    for r, word in enumerate(a):
        for e in range(per):
            left[GROUP + 8 * (r % 2), per * T + 4 * per * (r // 2) + e] = values(kind, word)[:, e]
    for r, word in enumerate(b):
        for e in range(per):
            right[per * T + 4 * per * r + e, GROUP] = values(kind, word)[:, e]
    return left, right


def power(x: float, least: float) -> Fraction:
    """Power of two at or below a number's size."""
    return Fraction(2) ** (math.frexp(max(abs(x), least))[1] - 1)


def added(a: np.ndarray, b: np.ndarray, c: float, shape: Shape) -> float:
    """One element of the result."""
    plain = float(np.float64(c) + np.sum(a * b))
    if not math.isfinite(plain):
        return plain
    powers = [power(x, shape.least) * power(y, shape.least) for x, y in zip(a, b, strict=True) if x and y]
    powers += [power(c, 2.0**-126)] if c else []
    if not powers:
        return 0.0
    unit = max(powers) / 2**TENSOR_BITS
    terms = [Fraction(c), *(Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True))]
    total = sum(math.trunc(term / unit) for term in terms) * unit
    if not total:
        return 0.0
    if shape.packed:
        return exact.rounded(total, exact.FP16)
    if abs(total) >= 2**128:
        return math.copysign(math.inf, total)
    return exact.rounded(total, exact.FP32, exact.Round.ZERO)


def moderate(shape: tuple[int, int]) -> st.SearchStrategy[np.ndarray]:
    """Words whose fp16, bf16 and fp32 are all of moderate size, or 0."""
    some_words = st.integers(0, 0xFFFFFFFF).map(lambda n: (n & 0x87FF87FF) | 0x38003800)
    return arrays(np.uint32, shape, elements=some_words | st.just(0), fill=st.nothing())


@pytest.mark.parametrize("kind", list(SHAPES))
@some
@given(st.data())
def test_products_are_aligned_cut_and_added(kind, data):
    shape = SHAPES[kind]
    n = shape.depth * shape.bits // 128
    some_words = data.draw(st.sampled_from([words, moderate]))
    drawn = data.draw(some_words((3 * n + (2 if shape.packed else 4), 32)))
    a, b, c = drawn[: 2 * n], drawn[2 * n : 3 * n], drawn[3 * n :]
    got = multiplied(kind, a, b, c)
    left, right = laid_out(kind, a, b)
    for r, word in enumerate(c):
        start = word.view(np.float16).reshape(32, 2) if shape.packed else word.view(np.float32).reshape(32, 1)
        found = got[r].view(start.dtype).reshape(start.shape)
        for lane in range(32):
            for e in range(start.shape[1]):
                row = GROUP[lane] + 8 * (r if shape.packed else r // 2)
                column = 2 * T[lane] + (e if shape.packed else r % 2)
                want = added(left[row], right[:, column], float(start[lane, e]), shape)
                there = found[lane, e]
                assert there == want or (math.isnan(want) and math.isnan(there)), (left[row], right[:, column], want)


def fragment(sheet: Sheet, matrix: np.ndarray) -> Operand:
    """First of the registers that hold these words."""
    registers = [sheet.given(row) for row in matrix]
    return registers[0]


def multiplied(kind: Mma, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> list[np.ndarray]:
    """Registers of d."""
    sheet = Sheet()
    first = [fragment(sheet, matrix) for matrix in (a, b, c)]
    sheet.emit(Op.HMMA, reg(64), *first, sub=kind)
    return sheet.run(*(reg(64 + r) for r in range(len(c))))


INTEGERS = {
    Mma.S8_16832: (16, 32, np.int8), Mma.U8_16832: (16, 32, np.uint8), Mma.S8_16816: (16, 16, np.int8),
    Mma.U8_16816: (16, 16, np.uint8), Mma.S8_8816: (8, 16, np.int8), Mma.U8_8816: (8, 16, np.uint8),
}  # fmt: skip


@pytest.mark.parametrize("clamped", [False, True])
@pytest.mark.parametrize("kind", list(INTEGERS))
@some
@given(st.data())
def test_integers_are_exact(kind, clamped, data):
    rows, depth, form = INTEGERS[kind]
    n, halves = depth // 16, rows // 8
    drawn = data.draw(words((n * halves + n + 2 * halves, 32)))
    a, b, c = drawn[: n * halves], drawn[n * halves : n * halves + n], drawn[n * halves + n :]
    left, right = np.zeros((rows, depth), np.int64), np.zeros((depth, 8), np.int64)
    for e in range(4):
        for r, word in enumerate(a):
            left[GROUP + 8 * (r % halves), 4 * T + 16 * (r // halves) + e] = word.view(form).reshape(32, 4)[:, e]
        for r, word in enumerate(b):
            right[4 * T + 16 * r + e, GROUP] = word.view(form).reshape(32, 4)[:, e]
    sheet = Sheet()
    first = [fragment(sheet, matrix) for matrix in (a, b, c)]
    sheet.emit(Op.IMMA, reg(64), *first, sub=kind, flags=Flag.SAT if clamped else 0)
    for r, got in enumerate(sheet.run(*(reg(64 + r) for r in range(len(c))))):
        want = (left @ right)[GROUP + 8 * (r // 2), 2 * T + r % 2] + c[r].view(np.int32)
        want = np.clip(want, -(2**31), 2**31 - 1) if clamped else want
        np.testing.assert_array_equal(got, (want & 0xFFFFFFFF).astype(np.uint32))
