"""Loads, stores and atomics of every width: the values they move, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim import hardware
from gpusim.isa.instruction import const, imm, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.program import ArrayInfo
from gpusim.isa.variants import Atomic, Flag
from gpusim.simulate import Launch, SimulationError, execute
from tests.engine.programs import FULL, LANES, Sheet, X, Y, words

W = words()
some = settings(max_examples=30)
permutations = st.permutations(range(32)).map(np.array)
SHARED = 4096


def run(sheet: Sheet, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Run what was emitted, with ``x`` and ``y`` as the buffers and some shared memory; ``y`` afterwards."""
    program = replace(sheet.program(), shared_bytes=SHARED)
    program = replace(program, arrays=(*program.arrays, ArrayInfo("s", "shared", "u32", 0, SHARED)))
    launch = Launch(program, (1, 1, 1), (32, 1, 1), {"x": x, "y": y})
    held = hardware.occupancy(hardware.load("h200"), 32, program.n_registers, SHARED)
    return execute(launch, hardware.load("h200"), held)["y"]


def addresses(sheet: Sheet, row: int, places: np.ndarray, base: int) -> None:
    """Registers row, row + 1: the byte at ``places`` after the buffer whose address lies at ``base``."""
    at = sheet.given(places)
    sheet.emit(Op.IMAD_WIDE, reg(row), at, imm(1), const(base), flags=Flag.UNSIGNED)


def table(sheet: Sheet, body: np.ndarray) -> np.ndarray:
    """Input buffer with what the sheet was given first, then ``body``; the byte it starts at is 128 * rows."""
    return np.concatenate([np.array(sheet.inputs, np.uint32).reshape(-1), body.reshape(-1)])


WIDTHS = [1, 2, 4, 8, 16]


@pytest.mark.parametrize("width", WIDTHS)
@some
@given(words((4, 32)), permutations)
def test_a_load_and_a_store_move_their_bytes(width, body, where):
    sheet = Sheet()
    addresses(sheet, 64, where * width, X)
    addresses(sheet, 66, LANES * width, Y)
    sheet.emit(Op.LDG, reg(72), reg(64), offset=128 * 2, width=width, array=0)
    sheet.emit(Op.STG, None, reg(66), reg(72), width=width, array=1)
    got = run(sheet, table(sheet, body), np.zeros((4, 32), np.uint32))
    octets = body.reshape(-1).view(np.uint8)[: 32 * width].reshape(32, width)
    want = np.zeros(512, np.uint8)
    want[: 32 * width] = octets[where].reshape(-1)
    np.testing.assert_array_equal(got.reshape(-1).view(np.uint8), want)


@pytest.mark.parametrize("width", WIDTHS)
@some
@given(words((4, 32)), permutations)
def test_shared_memory_gives_back_what_was_put_there(width, body, where):
    sheet = Sheet()
    addresses(sheet, 64, LANES * width, X)
    addresses(sheet, 66, LANES * width, Y)
    put, get = sheet.given(where * width), sheet.given(LANES * width)
    sheet.emit(Op.LDG, reg(72), reg(64), offset=128 * 4, width=width, array=0)
    sheet.emit(Op.STS, None, put, reg(72), width=width, offset=64, array=2)
    sheet.emit(Op.LDS, reg(76), get, width=width, offset=64, array=2)
    sheet.emit(Op.STG, None, reg(66), reg(76), width=width, array=1)
    got = run(sheet, table(sheet, body), np.zeros((4, 32), np.uint32))
    octets = body.reshape(-1).view(np.uint8)[: 32 * width].reshape(32, width)
    want = np.zeros((32, width), np.uint8)
    want[where] = octets
    np.testing.assert_array_equal(got.reshape(-1).view(np.uint8)[: 32 * width], want.reshape(-1))


@pytest.mark.parametrize("width", [1, 2])
@some
@given(W)
def test_narrow_loads_clear_the_rest_of_the_register(width, body):
    sheet = Sheet()
    addresses(sheet, 64, LANES * width, X)
    addresses(sheet, 66, LANES * 4, Y)
    sheet.emit(Op.MOV, reg(72), imm(-1))
    sheet.emit(Op.LDG, reg(72), reg(64), offset=128 * 2, width=width, array=0)
    sheet.emit(Op.STG, None, reg(66), reg(72), array=1)
    got = run(sheet, table(sheet, body), np.zeros((1, 32), np.uint32))
    kind = {1: np.uint8, 2: np.uint16}[width]
    np.testing.assert_array_equal(got[0], body.view(kind)[:32])


def test_constants_are_loaded_as_words():
    sheet = Sheet()
    sheet.emit(Op.LDC, reg(64), offset=Y, width=8)
    low, high = sheet.run(reg(64), reg(65))
    assert len(set(low)) == len(set(high)) == 1
    assert high[0] == 1 << 8  # buffers lie from 1 << 40


# ------------------------------------------------------------------ atomics

EFFECT = {
    Atomic.ADD: lambda old, v: old + v & FULL,
    Atomic.MIN: min,
    Atomic.MAX: max,
    Atomic.AND: lambda old, v: old & v,
    Atomic.OR: lambda old, v: old | v,
    Atomic.XOR: lambda old, v: old ^ v,
    Atomic.EXCH: lambda old, v: v,
    Atomic.INC: lambda old, v: 0 if old >= v else old + 1,
    Atomic.DEC: lambda old, v: v if old == 0 or old > v else old - 1,
}


def one_by_one(kind, flags, first, values):
    """Old values and the last one, the lanes taking turns."""
    as_type = np.uint32 if flags & Flag.UNSIGNED else np.int32
    now, olds = first, []
    for v in values.astype(np.uint32).view(as_type).tolist():
        olds.append(now & FULL)
        now = EFFECT[kind](np.uint32(now & FULL).view(as_type).item(), v)
    return olds, now & FULL


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize("flags", [0, Flag.UNSIGNED], ids=["signed", "unsigned"])
@pytest.mark.parametrize("kind", list(EFFECT), ids=lambda kind: kind.name)
@some
@given(W, st.integers(0, FULL))
def test_an_atomic_takes_lanes_one_by_one(kind, flags, space, values, first):
    """Any order would do on hardware; the engine takes them in order of lanes."""
    if kind in (Atomic.INC, Atomic.DEC):
        flags = Flag.UNSIGNED  # there are no others
    sheet = Sheet()
    v = sheet.given(values)
    if space == "global":
        addresses(sheet, 64, np.zeros(32, np.uint32), Y)
        sheet.emit(Op.ATOMG, reg(72), reg(64), v, sub=kind, flags=flags, array=1)
    else:
        sheet.emit(Op.STS, None, reg(255), imm(first), array=2)
        sheet.emit(Op.ATOMS, reg(72), reg(255), v, sub=kind, flags=flags, array=2)
        sheet.emit(Op.LDS, reg(73), reg(255), array=2)
    addresses(sheet, 66, LANES * 4, Y)
    sheet.emit(Op.STG, None, reg(66), reg(72), offset=128, array=1)
    if space == "shared":
        sheet.emit(Op.STG, None, reg(66), reg(73), array=1)
    got = run(sheet, table(sheet, np.zeros(0, np.uint32)), np.full((2, 32), first, np.uint32))
    olds, last = one_by_one(kind, flags, first, values)
    np.testing.assert_array_equal(got[1], olds)
    assert got[0, 0] == last


@pytest.mark.parametrize("op", [Op.ATOMG, Op.ATOMS])
def test_compare_and_swap_puts_the_new_value_where_the_old_is_expected(op):
    sheet = Sheet()
    compare, swap = sheet.given(LANES), sheet.given(LANES + 1)
    addresses(sheet, 64, np.zeros(32, np.uint32), Y)
    if op is Op.ATOMS:
        sheet.emit(Op.STS, None, reg(255), imm(0), array=2)
        sheet.emit(Op.ATOMS, reg(72), reg(255), compare, swap, sub=Atomic.CAS, array=2)
        sheet.emit(Op.LDS, reg(73), reg(255), array=2)
        sheet.emit(Op.STG, None, reg(64), reg(73), array=1)
    else:
        sheet.emit(Op.ATOMG, reg(72), reg(64), compare, swap, sub=Atomic.CAS, array=1)
    got = run(sheet, table(sheet, np.zeros(0, np.uint32)), np.zeros((2, 32), np.uint32))
    assert got[0, 0] == 32  # every lane finds what it expects and leaves the next lane's


@some
@given(st.lists(st.integers(-1000, 1000), min_size=32, max_size=32))
def test_a_reduction_in_global_memory_adds_floats(values):
    sheet = Sheet()
    v = sheet.given(np.array(values, np.float32))
    addresses(sheet, 64, (LANES % 4 * 4).astype(np.uint32), Y)
    sheet.emit(Op.RED, None, reg(64), v, sub=Atomic.ADD, flags=Flag.FLOAT, array=1)
    got = run(sheet, table(sheet, np.zeros(0, np.uint32)), np.zeros((1, 32), np.uint32))
    np.testing.assert_array_equal(got[0, :4].view(np.float32), np.reshape(values, (8, 4)).sum(axis=0))


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize("width", [2, 4, 8, 16])
@pytest.mark.parametrize("op", [Op.LDG, Op.STG, Op.LDS, Op.STS])
def test_a_misaligned_access_is_refused(op, width):
    sheet = Sheet()
    addresses(sheet, 64, np.full(32, width // 2, np.uint32), X)
    where = sheet.given(np.full(32, width // 2)) if op in (Op.LDS, Op.STS) else reg(64)
    sheet.emit(op, reg(72) if op in (Op.LDG, Op.LDS) else None, where, *([reg(72)] if op in (Op.STG, Op.STS) else []),
               width=width, array=0 if op in (Op.LDG, Op.STG) else 2, line=77)  # fmt: skip
    with pytest.raises(SimulationError, match=r"sheet.py:77: .*misaligned") as error:
        run(sheet, table(sheet, np.zeros(64, np.uint32)), np.zeros((1, 32), np.uint32))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("op", "byte", "lane"), [(Op.LDG, 1 << 20, 3), (Op.STG, 1 << 20, 0), (Op.LDS, SHARED, 31), (Op.STS, SHARED, 9)]
)
def test_one_lane_out_of_bounds_is_enough(op, byte, lane):
    sheet = Sheet()
    places = np.where(lane == LANES, byte, LANES * 4).astype(np.uint32)
    addresses(sheet, 64, places, X)
    where = sheet.given(places) if op in (Op.LDS, Op.STS) else reg(64)
    if op is Op.LDS:
        sheet.emit(Op.STS, None, sheet.given(LANES * 4), reg(255), array=2)
    sheet.emit(op, reg(72) if op in (Op.LDG, Op.LDS) else None, where, *([reg(72)] if op in (Op.STG, Op.STS) else []),
               array=0 if op in (Op.LDG, Op.STG) else 2, line=5)  # fmt: skip
    with pytest.raises(
        SimulationError, match=rf"sheet.py:5: .*thread \({lane}, 0, 0\) of block \(0, 0, 0\).*out of bounds"
    ):
        run(sheet, table(sheet, np.zeros(64, np.uint32)), np.zeros((1, 32), np.uint32))


@pytest.mark.parametrize("places", [-4, -(1 << 30)])
def test_before_the_start_is_out_of_bounds(places):
    sheet = Sheet()
    at = sheet.given(np.full(32, places, np.int32))
    sheet.emit(Op.IMAD_WIDE, reg(64), at, imm(1), const(X))
    sheet.emit(Op.LDG, reg(72), reg(64), array=0, line=5)
    with pytest.raises(SimulationError, match="reads x out of bounds"):
        run(sheet, table(sheet, np.zeros(64, np.uint32)), np.zeros((1, 32), np.uint32))
