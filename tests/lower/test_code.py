"""Is the code what a compiler would have produced?

Compared with sm_90 code of nvcc 13.0 for the same kernels, guards included, in CUDA C++; shared loads also with
counters measured on an H200 (smsp__inst_executed_op_shared_ld.sum over iterations).
"""

from __future__ import annotations

from collections import Counter

import pytest

from gpusim.catalogue import lookup
from gpusim.isa.instruction import Instr
from gpusim.isa.opcodes import Op
from gpusim.isa.program import Program
from gpusim.isa.variants import Flag
from gpusim.lang import DescriptionError
from gpusim.lang.lower import values
from gpusim.lang.lower.pipeline import lower
from gpusim.lang.lower.target import target

TILES_1D = {"BM": 64, "BN": 64, "BK": 8, "TM": 8, "TN": 1}
TILES_2D = {"BM": 64, "BN": 64, "BK": 8, "TM": 4, "TN": 4}
TILES_BIG = {"BM": 128, "BN": 128, "BK": 8, "TM": 8, "TN": 8}


def lowered(name: str, **tiles: int) -> Program:
    return lookup.get(name).kernel.lower(**tiles)


def loop(program: Program) -> tuple[Instr, ...]:
    """Instructions of the longest loop, which is the first or has the others in it."""
    ends = [i for i, instr in enumerate(program.instrs) if instr.op is Op.BRA and 0 <= instr.target <= i]
    end = max(ends, key=lambda i: i - program.instrs[i].target)
    return program.instrs[program.instrs[end].target : end + 1]


@pytest.mark.parametrize(
    ("name", "tiles", "wide", "narrow"),
    [
        ("matmul-tiled", {"T": 8}, 2, 8),
        ("matmul-tiled", {"T": 16}, 4, 16),
        ("matmul-tiled", {"T": 32}, 8, 32),
        ("matmul-register-tiled", TILES_1D, 16, 8),
        ("matmul-register-tiled", TILES_2D, 16, 0),
        ("matmul-register-tiled", TILES_BIG, 32, 0),
    ],
)
def test_shared_loads_join_as_measured(name: str, tiles: dict[str, int], wide: int, narrow: int) -> None:
    widths = Counter(i.width for i in loop(lowered(name, **tiles)) if i.op is Op.LDS)
    assert widths == Counter({16: wide, 4: narrow})


@pytest.mark.parametrize(
    ("name", "tiles", "compiled"),
    [
        ("matmul-tiled", {"T": 8}, 36.5),  # two iterations in 73 instructions
        ("matmul-tiled", {"T": 16}, 58),
        ("matmul-tiled", {"T": 32}, 94),
        ("matmul-coalesced", {}, 73),  # sixteen steps along K
        ("matmul-coarsened", {"T": 32, "Cf": 4}, 330),
        ("matmul-coarsened", {"T": 16, "Cf": 8}, 363),
    ],
)
def test_iterations_are_as_long_as_the_compilers(name: str, tiles: dict[str, int], compiled: float) -> None:
    assert len(loop(lowered(name, **tiles))) == pytest.approx(compiled, rel=0.07)


@pytest.mark.parametrize(("tiles", "compiled"), [(TILES_1D, 96), (TILES_2D, 149), (TILES_BIG, 557)])
def test_products_are_as_long_as_the_compilers(tiles: dict[str, int], compiled: int) -> None:
    ops = [i.op for i in loop(lowered("matmul-register-tiled", **tiles))]
    assert len(ops) - ops.index(Op.BAR) == pytest.approx(compiled, rel=0.07)


@pytest.mark.parametrize("tiles", [TILES_1D, TILES_2D, TILES_BIG])
def test_copy_loops_do_what_fours_leave_over_first(tiles: dict[str, int]) -> None:
    """One move by itself, two of which one may be nobody's, then fours; the thread's number is read again."""
    ops = [i.op for i in loop(lowered("matmul-register-tiled", **tiles))]
    moves = [op for op in ops[: ops.index(Op.BAR)] if op in (Op.LDG, Op.STS)]
    rest = [Op.LDG, Op.STS, *[Op.LDG] * 2, *[Op.STS] * 2]
    fours = [*[Op.LDG] * 4, *[Op.STS] * 4] if tiles is TILES_BIG else []
    assert moves == (rest + fours) * 2
    assert ops.count(Op.S2R) == 2


@pytest.mark.parametrize(
    ("name", "tiles", "compiled"),
    [
        ("copy", {}, 16),
        ("vector-add", {}, 16),
        ("matmul-coalesced", {}, 32),
        ("matmul-tiled", {"T": 8}, 32),
        ("matmul-tiled", {"T": 16}, 32),
        ("matmul-tiled", {"T": 32}, 32),
        ("matmul-coarsened", {"T": 32, "Cf": 4}, 40),
        ("matmul-coarsened", {"T": 16, "Cf": 8}, 40),
        ("matmul-register-tiled", TILES_1D, 58),
        ("matmul-register-tiled", TILES_2D, 64),
        ("matmul-register-tiled", TILES_BIG, 128),
    ],
)
def test_registers_come_near_the_compilers(name: str, tiles: dict[str, int], compiled: int) -> None:
    assert lowered(name, **tiles).n_registers == pytest.approx(compiled, rel=0.25)


def test_an_iteration_spends_little_on_addresses() -> None:
    ops = Counter(i.op for i in loop(lowered("matmul-tiled", T=32)))
    assert ops[Op.FFMA] == 32
    assert ops[Op.IMAD] + ops[Op.LEA] + ops[Op.SHF] + ops[Op.LOP3] == 0
    assert ops[Op.IADD3] + ops[Op.IMAD_WIDE] <= 6  # two pointers, the loop's index, two guards


def test_a_guard_around_the_whole_kernel_is_an_early_exit() -> None:
    program = lowered("vector-add")
    assert not any(i.op in (Op.BRA, Op.BSSY) for i in program.instrs)
    assert sum(i.op is Op.EXIT for i in program.instrs) == 2


def test_a_short_branch_is_predicated_and_a_long_one_jumped_over() -> None:
    ops = Counter(i.op for i in lowered("divergence").instrs)
    assert ops[Op.BSSY] == ops[Op.BSYNC] > 0
    assert ops[Op.FFMA] == 4 * 64
    guarded = [i for i in lowered("reduce-conflicting").instrs if i.op is Op.LDS and i.guard.index != 7]
    assert guarded


@pytest.mark.parametrize(("name", "width"), [("flash-attention-2", 16), ("flash-attention-2-f16", 8)])
def test_keys_are_read_by_four_whatever_their_type(name: str, width: int) -> None:
    program = lowered(name)
    loads = Counter(i.width for i in program.instrs if i.op is Op.LDS)
    assert loads[width] == 2 * 4 * 64 // 4  # keys for the scores, and values
    assert set(loads) == {4, width}  # and the scores themselves
    assert sum(i.op is Op.HADD2 for i in program.instrs) == (2 * 4 * 64 + 64) * name.endswith("f16")  # and the query


def test_halves_that_are_copied_are_not_converted() -> None:
    ops = Counter(i.op for i in lowered("flash-attention-2-backward-f16").instrs)
    assert ops[Op.F2FP] == 1  # the zeros of rows that are not there


@pytest.mark.parametrize(("kind", "width"), [("bf16", 2), ("fp8", 1)])
def test_nvcc_joins_no_loads_of_bf16_and_fp8(kind: str, width: int) -> None:
    loads = Counter(i.width for i in lowered(f"matmul-tiled-{kind}", T=32).instrs if i.op is Op.LDS)
    assert loads == {width: 64}


def test_fp8_is_converted_by_what_ptxas_takes() -> None:
    program = lowered("relu-fp8")
    assert [i.op for i in program.instrs if i.op in (Op.F2FP, Op.HADD2)] == [Op.F2FP, Op.HADD2, Op.F2FP]
    unpack, pack = (i for i in program.instrs if i.op is Op.F2FP)
    assert (unpack.flags, pack.flags) == (Flag.UNPACK, Flag.SAT)


def test_fp8_is_moved_on_any_gpu_and_converted_where_there_are_instructions() -> None:
    assert lower(lookup.get("copy-fp8").kernel.tree, {}, target("sm_60"))
    with pytest.raises(DescriptionError, match=r"sm_80 has no instructions.*sm_89 or later"):
        lower(lookup.get("relu-fp8").kernel.tree, {}, target("sm_80"))


def test_too_many_values_are_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 100 000 and more the places of registers alone would take gigabytes."""
    monkeypatch.setattr(values, "MOST_VALUES", 1000)
    with pytest.raises(DescriptionError, match=r"more than 1,000 values.*unrolled; choose smaller per-thread tiles"):
        lowered("matmul-register-tiled", BM=64, BN=64, BK=8, TM=8, TN=8)


def test_too_many_registers_are_refused_with_a_remedy() -> None:
    with pytest.raises(DescriptionError, match=r"255 exist.*smaller"):
        lowered("matmul-register-tiled", BM=256, BN=256, BK=4, TM=16, TN=16)
