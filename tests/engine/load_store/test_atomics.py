"""Atomics of every type and width, one by one, and what they count."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from gpusim.engine.state import counts as C
from gpusim.isa.encode import encode
from gpusim.isa.instruction import RZ, const, imm, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.variants import Atomic, Flag
from tests.engine.images import counted
from tests.engine.programs import LANES, Sheet, Y

TYPES = {
    "u32": (np.uint32, Flag.UNSIGNED), "s32": (np.int32, 0), "u64": (np.uint64, Flag.UNSIGNED), "s64": (np.int64, 0),
    "f32": (np.float32, Flag.FLOAT), "f64": (np.float64, Flag.FLOAT), "f16x2": (np.float16, Flag.HALF),
    "bf16x2": (ml_dtypes.bfloat16, Flag.HALF | Flag.BF16),
}  # fmt: skip
EFFECT = {
    Atomic.ADD: np.add, Atomic.MIN: np.minimum, Atomic.MAX: np.maximum, Atomic.AND: np.bitwise_and,
    Atomic.OR: np.bitwise_or, Atomic.XOR: np.bitwise_xor, Atomic.EXCH: lambda a, b: b,
}  # fmt: skip
CASES = [
    (kind, name) for name in TYPES for kind in EFFECT
    if kind <= Atomic.MAX or name in ("u32", "s64")
]  # fmt: skip


def values_of(name: str, seed: int, n: int) -> np.ndarray:
    """Values of a type, a row of words each, small ones for floats so that sums are exact."""
    rng, (dtype, _) = np.random.default_rng(seed), TYPES[name]
    per_lane = 2 if "x2" in name else 1
    if np.dtype(dtype).kind in "iu":
        return np.frombuffer(rng.bytes(n * np.dtype(dtype).itemsize), dtype)
    return rng.integers(-8, 8, n * per_lane).astype(dtype)


def shared_or_global(sheet: Sheet, op: Op, cell: np.ndarray, n: int, **fields) -> None:
    """Put ``cell`` into memory, do one atomic of all lanes on it, read it back to R84..

    The value is in R72.., what compare-and-swap puts there in R76.., the result goes to R80..
    """
    sheet.emit(Op.IMAD_WIDE, reg(64), imm(0), imm(1), const(Y), flags=Flag.UNSIGNED)
    where, store, load = (reg(64), Op.STG, Op.LDG) if op is not Op.ATOMS else (reg(RZ), Op.STS, Op.LDS)
    for k, word in enumerate(cell.view(np.uint32)):
        sheet.emit(Op.MOV, reg(84 + k), imm(int(word)))
    sheet.emit(store, None, where, reg(84), width=4 * n)
    values = (reg(72), reg(76)) if fields["sub"] in (Atomic.CAS, Atomic.CAST) else (reg(72),)
    sheet.emit(op, None if op is Op.RED else reg(80), where, *values, width=4 * n, **fields)
    sheet.emit(load, reg(84), where, width=4 * n)


@pytest.mark.parametrize("op", [Op.ATOMG, Op.ATOMS, Op.RED])
@pytest.mark.parametrize(("kind", "name"), CASES, ids=lambda x: getattr(x, "name", x))
def test_an_atomic_of_any_type(kind, name, op):
    dtype, flags = TYPES[name]
    n = 2 if name in ("u64", "s64", "f64") else 1
    values, cell = values_of(name, 1, 32), values_of(name, 2, 1).copy()
    sheet = Sheet()
    for k, row in enumerate(values.view(np.uint32).reshape(32, n).T):
        sheet.emit(Op.MOV, reg(72 + k), sheet.given(row))
    shared_or_global(sheet, op, cell, n, sub=kind, flags=flags)
    outputs = [reg(r + k) for r in (80, 84) for k in range(n)]
    got = sheet.run(*outputs, shared_bytes=16)
    now, olds = cell.copy(), []
    with np.errstate(over="ignore"):
        for v in values.reshape(32, -1):
            olds.append(now.copy())
            now = EFFECT[kind](now, v).astype(dtype)
    last = np.stack(got[n:], axis=1)[0]
    np.testing.assert_array_equal(last, np.ascontiguousarray(now).view(np.uint32))
    if op is not Op.RED:
        want = np.array(olds).view(np.uint32).reshape(32, n)
        np.testing.assert_array_equal(np.stack(got[:n], axis=1), want)


@pytest.mark.parametrize("op", [Op.ATOMG, Op.ATOMS])
@pytest.mark.parametrize(("kind", "n"), [(Atomic.CAS, 1), (Atomic.CAS, 2), (Atomic.CAST, 1), (Atomic.CAST, 2)])
def test_compare_and_swap_of_both_widths(op, kind, n):
    """Every lane leaves what the next one expects; CAST tells whether it swapped."""
    sheet = Sheet()
    for k in range(n):
        sheet.emit(Op.MOV, reg(72 + k), sheet.given(LANES if k == 0 else LANES * 0 + 3))
        sheet.emit(Op.MOV, reg(76 + k), sheet.given(LANES + 1 if k == 0 else LANES * 0 + 3))
    cell = np.array([0, 3][:n], np.uint32)
    shared_or_global(sheet, op, cell, n, sub=kind)
    old, last = sheet.run(reg(80), reg(84), shared_bytes=16)
    np.testing.assert_array_equal(old, LANES if kind is Atomic.CAS else np.ones(32))
    assert last[0] == 32


def test_denormals_are_flushed_where_asked_for():
    sheet = Sheet()
    tiny = np.array([1e-40], np.float32)
    sheet.emit(Op.MOV, reg(72), imm(int(tiny.view(np.uint32)[0])))
    shared_or_global(sheet, Op.RED, np.zeros(1, np.float32), 1, sub=Atomic.ADD, flags=Flag.FLOAT | Flag.FTZ)
    assert sheet.run(reg(84))[0][0] == 0


@pytest.mark.parametrize(("spread", "waves"), [(0, 32), (4, 1), (128, 32), (8, 2)])
def test_lanes_of_one_bank_take_turns(spread, waves):
    sheet = Sheet()
    where = sheet.given(spread * LANES)
    sheet.emit(Op.ATOMS, None, where, imm(1), sub=Atomic.ADD)
    launch = sheet.launch(shared_bytes=4096)
    count, _ = counted(launch, "h200", encode(launch.program), data=True)
    assert count[C.SH_ATOM_WAVES] == waves
    assert count[C.SH_ST_WAVES] == 0
    assert count[C.INST_ATOMS] == 1


def test_atomics_are_counted_by_whether_they_give_something_back():
    sheet = Sheet()
    sheet.emit(Op.IMAD_WIDE, reg(64), sheet.given(4 * LANES), imm(1), const(Y), flags=Flag.UNSIGNED)
    sheet.emit(Op.RED, None, reg(64), imm(1), sub=Atomic.ADD)
    sheet.emit(Op.ATOMG, reg(80), reg(64), imm(1), sub=Atomic.ADD)
    launch = sheet.launch(reg(80))
    count, _ = counted(launch, "h200", encode(launch.program), data=True)
    assert [count[k] for k in (C.ATOM_REQ, C.ATOM_SECTORS, C.RED_REQ, C.RED_SECTORS)] == [1, 4, 1, 4]
