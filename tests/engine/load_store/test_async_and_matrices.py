"""Copies past the registers, and matrices of 16-bit elements."""

from __future__ import annotations

import numpy as np
import pytest

from gpusim.engine.compiling.jit import jit
from gpusim.engine.hierarchy.access_patterns import N_PATTERN, PATTERNS_KEPT, coalesce
from gpusim.engine.load_store.copied_lines import WANTED, pair_lines, requests_of_pairs
from gpusim.engine.state import counts as C
from gpusim.engine.state.columns import N_SCRATCH
from gpusim.isa.encode import encode
from gpusim.isa.instruction import RZ, const, imm, reg
from gpusim.isa.opcodes import Op
from gpusim.isa.slice import counting_image
from gpusim.isa.variants import Cache, Flag
from gpusim.simulate import SimulationError
from tests.engine.images import counted
from tests.engine.programs import LANES, Sheet, X

SHARED = 8192
ALL_LANES = np.uint32(0xFFFFFFFF)


def counts_of(sheet: Sheet, *outputs, image=encode) -> np.ndarray:
    launch = sheet.launch(*outputs, shared_bytes=SHARED)
    return counted(launch, "h200", image(launch.program), data=True)[0]


# ------------------------------------------------------------------ LDGSTS


@pytest.mark.parametrize("width", [4, 8, 16])
@pytest.mark.parametrize("cache", [Cache.CA, Cache.CG])
def test_a_copy_moves_zeros_or_nothing(width, cache):
    """Lanes 0 to 7 are guarded off, lanes 8 to 15 write zeros."""
    sheet = Sheet()
    rows = [np.random.default_rng(k).integers(1, 1 << 32, 32, dtype=np.uint32) for k in range(4)]
    for row in rows:
        sheet.given(row)
    on, reads = sheet.holds(0, LANES >= 8), sheet.holds(1, LANES >= 16)
    place = sheet.given(width * LANES)
    for k in range(4):
        sheet.emit(Op.STS, None, sheet.given(4 * LANES + 128 * k), imm(7))
    sheet.emit(Op.IMAD_WIDE, reg(64), place, imm(1), const(X), flags=Flag.UNSIGNED)
    sheet.emit(
        Op.LDGSTS, None, place, reg(64), offset=0, target=0, width=width, cache=cache, guard=on, psrcs=(reads,), line=4
    )
    sheet.emit(Op.LDGDEPBAR)
    sheet.emit(Op.DEPBAR, sub=0)
    sheet.emit(Op.LDS, reg(72), place, width=width)
    program = sheet.program()
    body = [i for i in program.instrs if i.op is Op.LDGSTS]
    assert len(body) == 1
    got = np.stack(sheet.run(*(reg(72 + k) for k in range(width // 4)), shared_bytes=SHARED), axis=1)
    flat = np.concatenate(rows)[: 8 * width].reshape(32, width // 4)
    want = np.where((LANES >= 16)[:, None], flat, np.where((LANES >= 8)[:, None], 0, 7))
    np.testing.assert_array_equal(got, want)


def test_a_copy_counts_as_a_load():
    sheet = Sheet()
    sheet.emit(Op.IMAD_WIDE, reg(64), sheet.given(4 * LANES), imm(1), const(X), flags=Flag.UNSIGNED)
    before = counts_of(sheet)
    sheet.emit(Op.LDGSTS, None, sheet.given(8 * LANES), reg(64), target=0)
    for image in (encode, counting_image):
        count = counts_of(sheet, image=image)
        assert count[C.INST_LDGSTS] == 1
        assert count[C.LD_REQ] - before[C.LD_REQ] == 2  # and the load of its second operand
        assert count[C.LD_SECTORS] - before[C.LD_SECTORS] == 8
        assert (count[C.SH_ASYNC_WAVES], count[C.SH_ASYNC_IDEAL]) == (2, 1)  # 8 bytes apart: two lanes share a bank


CHUNK = 16 * LANES  # 16 bytes a lane, one after another


def copied(source: np.ndarray, target: np.ndarray, width: int, cache: Cache, reads: np.ndarray | bool = True) -> list:
    """Lines looked up, wavefronts of the tag stage and of the data stage that a copy takes between these places."""
    found = []
    for copies in (0, 1):
        sheet = Sheet()
        from_, to, p = sheet.given(source), sheet.given(target), sheet.holds(0, np.broadcast_to(reads, 32))
        while len(sheet.inputs) < 12:
            sheet.given(0)
        sheet.emit(Op.IMAD_WIDE, reg(64), from_, imm(1), const(X), flags=Flag.UNSIGNED)
        for _ in range(copies):
            sheet.emit(Op.LDGSTS, None, to, reg(64), offset=0, target=0, width=width, cache=cache, psrcs=(p,))
        found.append(counts_of(sheet))
    return [int(found[1][c] - found[0][c]) for c in (C.LINES, C.LD_TAGS, C.SH_ASYNC_WAVES)]


@pytest.mark.parametrize(
    ("what", "source", "target", "pairs", "waves"),
    [
        ("512 bytes to where they lie alike", CHUNK, CHUNK, 4, 1),
        ("8 rows of 64 bytes to 4 lines", LANES // 4 * 128 + LANES % 4 * 16, CHUNK, 8, 4),
        ("2 rows of 256 bytes, halves apart", CHUNK, LANES // 8 % 2 * 2048 + LANES // 16 * 128 + LANES % 8 * 16, 4, 2),
        ("512 bytes to lines of one set", CHUNK, LANES // 8 * 512 + LANES % 8 * 16, 4, 4),
        ("512 bytes, a sector of each line elsewhere", CHUNK, CHUNK + LANES % 8 // 6 * 2048, 8, 2),
    ],
)
def test_a_copy_past_l1_looks_up_pairs_of_lines(what, source, target, pairs, waves):
    """Pairs of a turn take wavefronts apart if their lines of shared memory share a set, as an H100 showed."""
    assert copied(source, target, 16, Cache.CG) == [pairs, waves, 0]


@jit
def requests_of(kept, source, target, scratch):
    p, origin = coalesce(kept, source, ALL_LANES, 16, False, False, scratch)
    n = pair_lines(p, origin, source, target, ALL_LANES, scratch)
    return requests_of_pairs(source, target, ALL_LANES, n, scratch)


@pytest.mark.parametrize(
    ("row", "apart", "offset", "requests", "sectors", "filled", "swizzle"),
    [
        *((64, 64, 0, 8, 16, 16, swizzle) for swizzle in (1, 2, 3)),
        *((128, 128, 0, 4, 16, 16, swizzle) for swizzle in (1, 2, 5)),
        (128, 128, 0, 4, 16, 16, LANES.astype(np.int64) % 8 ^ (LANES.astype(np.int64) + 3) % 8),
        (128, 128, 0, 4, 16, 16, 0),
        (128, 160, 0, 7, 16, 16, 0),
        (128, 144, 0, 10, 24, 18, 0),
        (64, 96, 0, 10, 16, 16, 0),
        (64, 80, 0, 15, 24, 20, 0),
        (32, 48, 0, 24, 24, 24, 0),
        (512, 512, 16, 12, 32, 20, 0),
        (512, 512, 32, 8, 16, 16, 0),
        (512, 512, 48, 16, 32, 20, 0),
        (16, 16, 0, 32, 32, 16, 0),
        (16, 80, 0, 32, 32, 32, 0),
    ],
)
def test_halves_of_sectors_that_part_in_shared_memory_are_asked_for_apart(
    row, apart, offset, requests, sectors, filled, swizzle
):
    """As an H200 counted them; requests one after another for the same sectors become one later."""
    at = 16 * LANES.astype(np.int64)
    pitch = 32 if row == 16 else max(row, 256)
    source, target = at // row * pitch + at % row, offset + at // row * apart + (at % row ^ 16 * swizzle)
    kept, scratch = np.zeros((PATTERNS_KEPT, N_PATTERN), np.int64), np.zeros((N_SCRATCH, 32), np.int64)
    n, found = requests_of(kept, source, target, scratch)
    assert (n, sum(int(mask).bit_count() for mask in scratch[WANTED, :n]), found) == (requests, sectors, filled)


@pytest.mark.parametrize(("reads", "waves"), [(LANES < 28, 1), (LANES < 20, 2), (LANES < 0, 4)])
def test_zeros_of_a_copy_past_l1_are_written_as_a_store_writes_them(reads, waves):
    assert copied(CHUNK, CHUNK, 16, Cache.CG, reads)[2] == waves


def test_a_copy_past_l1_that_is_moved_by_half_a_line_looks_up_each_line_twice():
    lines, waves, _ = copied(CHUNK + 64, CHUNK, 16, Cache.CG)
    assert lines == 8
    assert 3 <= waves <= 4  # by which of the five lines shares its set with another: 3.8 for softmax on an H100


@pytest.mark.parametrize(
    ("what", "target", "reads", "waves"),
    [
        ("lanes of a line in banks of their own", 4 * LANES, True, 2),
        ("lanes of a line in one bank", LANES // 8 * 128 + LANES % 8 * 4, True, 8),
        ("the second turn only writes zeros", 4 * LANES, LANES % 8 < 4, 1),
        ("nothing is read", 4 * LANES, False, 1),
    ],
)
def test_a_copy_through_l1_is_written_turn_by_turn(what, target, reads, waves):
    """Eight lines, two of each set: what the tag stage finds in one turn is written before the rest."""
    assert copied(LANES % 8 * 128, target, 4, Cache.CA, reads)[2] == waves


def test_a_copy_out_of_bounds_is_refused():
    sheet = Sheet()
    sheet.emit(Op.IMAD_WIDE, reg(64), sheet.given(4 * LANES), imm(1), const(X), flags=Flag.UNSIGNED)
    sheet.emit(Op.LDGSTS, None, imm(0), reg(64), target=1 << 16, line=8)
    with pytest.raises(SimulationError, match=r"sheet.py:8: .*reads global memory out of bounds"):
        sheet.run(reg(RZ), shared_bytes=SHARED)


# ------------------------------------------------------------------ LDSM, STSM, MOVM


def matrix_of(registers: np.ndarray) -> np.ndarray:
    """The 8x8 matrix that a warp holds: lane l has elements 2 (l % 4) and the next of row l / 4."""
    return np.ascontiguousarray(registers).view(np.uint16).reshape(8, 8)


def filled(sheet: Sheet, n_rows: int, stride: int) -> np.ndarray:
    """Shared memory full of halves, and R70 = address of row l; the matrices of rows."""
    halves = np.arange(1000, 1000 + SHARED // 2, dtype=np.uint16)
    for k in range(SHARED // 128):
        sheet.emit(Op.MOV, reg(70), imm(128 * k))
        sheet.emit(Op.IMAD, reg(70), reg(0), imm(4), reg(70))
        low, high = 1000 + 64 * k, 1001 + 64 * k
        sheet.emit(Op.IMAD, reg(71), reg(0), imm(0x20002), imm(high << 16 | low))
        sheet.emit(Op.STS, None, reg(70), reg(71))
    sheet.emit(Op.IMAD, reg(70), reg(0), imm(stride), reg(RZ))
    rows = [halves[stride // 2 * r : stride // 2 * r + 8] for r in range(n_rows)]
    return np.array(rows).reshape(-1, 8, 8)


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("transposed", [False, True])
def test_matrices_are_loaded(n, transposed):
    sheet = Sheet()
    want = filled(sheet, 8 * n, 48)
    sheet.emit(Op.LDSM, reg(80), reg(70), sub=n, flags=Flag.TRANSPOSE if transposed else 0)
    got = sheet.run(*(reg(80 + k) for k in range(n)), shared_bytes=SHARED)
    for k in range(n):
        np.testing.assert_array_equal(matrix_of(got[k]), want[k].T if transposed else want[k])


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("transposed", [False, True])
def test_matrices_are_stored(n, transposed):
    """Stored one way and loaded the same way they are what they were."""
    sheet = Sheet()
    rows = [sheet.given(np.random.default_rng(k).integers(0, 1 << 32, 32, dtype=np.uint32)) for k in range(n)]
    for k, row in enumerate(rows):
        sheet.emit(Op.MOV, reg(76 + k), row)
    sheet.emit(Op.IMAD, reg(70), reg(0), imm(16), reg(RZ))
    sheet.emit(Op.STSM, None, reg(70), reg(76), sub=n, flags=Flag.TRANSPOSE if transposed else 0)
    sheet.emit(Op.LDSM, reg(80), reg(70), sub=n)
    got = sheet.run(*(reg(80 + k) for k in range(n)), shared_bytes=SHARED)
    for k in range(n):
        want = matrix_of(sheet.inputs[k])
        np.testing.assert_array_equal(matrix_of(got[k]), want.T if transposed else want)


@pytest.mark.parametrize(("stride", "waves"), [(16, 4), (128, 32), (144, 4), (32, 8)])
def test_rows_of_one_matrix_conflict_by_banks(stride, waves):
    sheet = Sheet()
    sheet.emit(Op.IMAD, reg(70), reg(0), imm(stride), reg(RZ))
    sheet.emit(Op.LDSM, reg(80), reg(70), sub=4)
    count = counts_of(sheet, image=counting_image)
    assert (count[C.SH_LD_WAVES], count[C.SH_LD_IDEAL], count[C.INST_LDSM]) == (waves, 4, 1)


def test_a_matrix_is_transposed_in_registers():
    sheet = Sheet()
    row = np.random.default_rng(5).integers(0, 1 << 32, 32, dtype=np.uint32)
    sheet.emit(Op.MOVM, reg(70), sheet.given(row))
    np.testing.assert_array_equal(matrix_of(sheet.run(reg(70))[0]), matrix_of(row).T)
