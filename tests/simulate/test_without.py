"""A launch without a cause of its time: the cause is gone, and what the launch executes is the same."""

from __future__ import annotations

import functools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gpusim
from gpusim import cuda
from gpusim.errors import ParameterError
from gpusim.results.causes import Cause

EXECUTED = ("smsp__inst_executed.sum", "smsp__thread_inst_executed.sum", "smsp__sass_inst_executed_op_branch.sum")
REQUESTS = tuple(f"l1tex__t_requests_pipe_lsu_mem_global_op_{op}.sum" for op in ("ld", "st"))


@functools.cache
def kernel(name: str, gpu: str) -> cuda.Kernel:
    source = Path(__file__).parent / "without.cu"
    return cuda.compile(source, gpu=gpu, kernel=name).kernel(name)


def profiled(name: str, blocks: int, threads: int, *arrays: Any, **how: Any) -> gpusim.Profile:
    how = {"gpu": "h200", "values": False, **how}
    return gpusim.profile(kernel(name, how["gpu"]), blocks, threads, arrays, **how)


def ones(count: int, kind: Any = np.float32) -> Any:
    return np.ones(count, kind)


def same(before: gpusim.Profile, after: gpusim.Profile) -> bool:
    """Whether two runs executed the same."""
    return all(before.value(name) == after.value(name) for name in EXECUTED + REQUESTS)


def test_a_launch_without_nothing_is_the_launch() -> None:
    before = gpusim.predict("matmul-tiled", n=64, tile=16)
    assert before.rerun is not None
    after = before.rerun()
    assert after.metrics == before.metrics


def test_bank_conflicts_go_and_nothing_else() -> None:
    before = gpusim.predict("transpose-shared", n=256)
    assert before.rerun is not None
    after = before.rerun(Cause.BANK_CONFLICTS)
    assert same(before, after)
    assert before.bank_conflicts > 0 == after.bank_conflicts
    assert after.cycles < before.cycles
    assert after.global_load_bytes == before.global_load_bytes


@pytest.mark.parametrize("name", ["transpose-naive", "copy-strided"])
def test_words_side_by_side_take_the_sectors_they_need(name: str) -> None:
    before = gpusim.predict(name, **({"n": 256} if "transpose" in name else {"n": 1 << 16, "s": 7}))
    assert before.rerun is not None
    after = before.rerun(Cause.EXCESS_SECTORS)
    assert same(before, after)
    assert sum(line.excess_sectors for line in before.lines) > 0
    assert sum(line.excess_sectors for line in after.lines) == 0
    assert after.cycles < before.cycles


def test_sectors_that_all_requests_need_together_are_fetched_once() -> None:
    before = gpusim.predict("matmul-naive", n=128)
    assert before.rerun is not None
    after = before.rerun(Cause.EXCESS_SECTORS)
    assert after.dram_bytes_read == pytest.approx(before.dram_bytes_read, rel=0.01)


@pytest.mark.usefixtures("compiler")
def test_paths_that_take_no_turns_take_half_the_time() -> None:
    before = profiled("two_ways", 528, 256, ones(528 * 256), ones(528 * 256), np.int32(512))
    assert before.rerun is not None
    after = before.rerun(Cause.DIVERGENCE)
    assert same(before, after)
    working = before.value("sm__cycles_active.max")
    assert after.value("sm__cycles_active.max") == pytest.approx(working / 2, rel=0.15)


@pytest.mark.usefixtures("compiler")
def test_local_memory_costs_nothing() -> None:
    before = profiled("chosen", 1, 256, ones(2048), ones(256), np.arange(33, dtype=np.int32))
    assert before.rerun is not None
    after = before.rerun(Cause.SPILLS)
    assert same(before, after)
    assert before.local_load_bytes > 0
    assert after.cycles < before.cycles


@pytest.mark.usefixtures("compiler")
def test_atomics_cost_nothing() -> None:
    before = profiled("one_bin", 264, 256, ones(264 * 256), ones(1))
    assert before.rerun is not None
    after = before.rerun(Cause.ATOMICS)
    assert same(before, after)
    assert after.cycles < before.cycles / 4


@pytest.mark.usefixtures("compiler")
def test_no_warp_passes_a_barrier_behind_which_addresses_are() -> None:
    before = profiled("passed_on", 1, 256, ones(256), ones(256), np.int32(8))
    assert before.rerun is not None
    assert before.rerun(Cause.BARRIERS).metrics == before.metrics


def test_warps_pass_barriers_behind_which_there_are_only_values() -> None:
    before = gpusim.predict("matmul-tiled", n=256, tile=16)
    assert before.rerun is not None
    after = before.rerun(Cause.BARRIERS)
    assert same(before, after)
    assert after.stall_shares["barrier"] == 0 < before.stall_shares["barrier"]


@pytest.mark.usefixtures("compiler")
def test_an_l2_that_holds_everything_gets_it_once() -> None:
    before = profiled("twice", 160, 256, ones(1 << 22), ones(160 * 256), np.int32(1 << 20), gpu="rtx-a6000")
    assert before.rerun is not None
    after = before.rerun(Cause.L2_CAPACITY)
    assert before.dram_bytes_read == pytest.approx(2 << 24, rel=0.02)
    assert after.dram_bytes_read == pytest.approx(1 << 24, rel=0.02)


def test_an_l2_that_holds_everything_writes_as_much_as_before() -> None:
    before = gpusim.predict("copy-vec4", "rtx-a6000", n=1 << 22)
    assert before.rerun is not None
    after = before.rerun(Cause.L2_CAPACITY)
    assert after.dram_bytes_written == pytest.approx(before.dram_bytes_written, rel=0.1)
    assert after.cycles == pytest.approx(before.cycles, rel=0.05)


@pytest.mark.usefixtures("compiler")
def test_what_changed_the_arrays_that_decide_where_it_goes_is_not_run_again() -> None:
    found = profiled("counted", 1, 32, ones(32), np.zeros(1, np.int32), ones(32), values=True)
    assert found.rerun is not None
    with pytest.raises(ParameterError, match="predict it anew first"):
        found.rerun(Cause.ATOMICS)


@pytest.mark.usefixtures("compiler")
def test_what_only_read_the_arrays_that_decide_where_it_goes_may_run_again() -> None:
    found = profiled("chosen", 1, 256, ones(2048), ones(256), np.arange(33, dtype=np.int32), values=True)
    assert found.rerun is not None
    assert found.rerun().cycles == found.cycles


@pytest.mark.usefixtures("compiler")
def test_arrays_that_were_changed_since_are_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GPUSIM_FORGET")
    monkeypatch.setenv("GPUSIM_CACHE_DIR", str(tmp_path))
    which = np.arange(33, dtype=np.int32)
    found = profiled("chosen", 1, 256, ones(2048), ones(256), which)
    assert found.rerun is not None
    found.rerun(Cause.SPILLS)
    which[:] = 0
    with pytest.raises(ParameterError, match="hold something else by now"):
        found.rerun(Cause.SPILLS)


def test_a_profile_that_comes_from_elsewhere_has_no_launch() -> None:
    found = gpusim.predict("copy", n=4096)
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.rerun is None
    with pytest.raises(ParameterError, match="needs its launch"):
        again.advice()


def without(before: gpusim.Profile, cause: Cause, **how: Any) -> gpusim.Profile:
    """The launch again, which executes the same, and fetches the same where nothing else is said."""
    assert before.rerun is not None
    after: gpusim.Profile = before.rerun(cause, **how)
    assert same(before, after)
    return after


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("name", ["divided", "left_over"])
def test_a_division_takes_what_one_by_a_known_divisor_takes(name: str) -> None:
    integers = ones(256, np.int32)
    slow = profiled(name, 1, 256, integers, integers, np.int32(7))
    known = profiled("divided_by_seven", 1, 256, integers, integers, np.int32(7))
    found = without(slow, Cause.DIVISION)
    assert slow.cycles > found.cycles > 0.7 * known.cycles
    assert without(known, Cause.DIVISION).cycles == known.cycles


@pytest.mark.usefixtures("compiler")
def test_doubles_by_mistake_take_what_floats_take() -> None:
    floats = ones(528 * 256)
    slow = profiled("by_mistake", 528, 256, floats, floats)
    assert without(slow, Cause.DOUBLES).cycles < slow.cycles / 2


@pytest.mark.usefixtures("compiler")
def test_doubles_that_are_meant_stay() -> None:
    doubles = ones(256, np.float64)
    slow = profiled("meant", 1, 256, doubles, doubles, np.float32(0.5))
    assert without(slow, Cause.DOUBLES).cycles == slow.cycles


@pytest.mark.usefixtures("compiler")
def test_bytes_are_loaded_at_once_and_all_of_them() -> None:
    slow = profiled("bytes", 1, 256, ones(64 * 256, np.uint8), ones(256, np.int32))
    found = without(slow, Cause.NARROW)
    assert found.cycles < slow.cycles
    assert found.dram_bytes_read == slow.dram_bytes_read


@pytest.mark.usefixtures("compiler")
def test_bytes_at_places_that_were_loaded_cannot_be() -> None:
    at = np.zeros(64 * 256, np.int32)
    slow = profiled("bytes_at", 1, 256, ones(256, np.uint8), at, ones(256, np.int32))
    assert without(slow, Cause.NARROW).cycles == slow.cycles


@pytest.mark.usefixtures("compiler")
def test_special_functions_take_what_multiplying_takes() -> None:
    slow = profiled("waves", 1, 1024, ones(1024), ones(1024))
    assert without(slow, Cause.SPECIAL).cycles < slow.cycles


def tiles() -> gpusim.Profile:
    matrices = (ones(1 << 16) for _ in range(3))
    return gpusim.profile(kernel("tiles_of_8", "h200"), (32, 32), (8, 8), (*matrices,), gpu="h200", values=False)


@pytest.mark.usefixtures("compiler")
def test_larger_tiles_are_loaded_half_as_often() -> None:
    slow = tiles()
    found = without(slow, Cause.SMALL_TILES)
    assert found.l2_read_bytes == pytest.approx(slow.l2_read_bytes / 2, rel=0.1)
    assert found.cycles < slow.cycles


@pytest.mark.usefixtures("compiler")
def test_half_of_the_shared_loads_cost_nothing() -> None:
    slow = tiles()
    found = without(slow, Cause.REUSE)
    assert found.cycles < slow.cycles
    assert found.shared_wavefronts == slow.shared_wavefronts


@pytest.mark.usefixtures("compiler")
def test_products_cost_nothing_that_tensor_cores_could_do() -> None:
    slow = tiles()
    busy = "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active"
    assert without(slow, Cause.NO_TENSOR).value(busy) < slow.value(busy) / 2


@pytest.mark.usefixtures("compiler")
def test_what_l1_keeps_nothing_of_leaves_it_to_others() -> None:
    n, threads = 64, 264 * 256
    places = np.random.default_rng(0).integers(0, 6000, n * threads).astype(np.int32)
    slow = profiled("table_beside", 264, 256, places, ones(6000), ones(threads), np.int32(n), dynamic_shared=100 * 1024)
    at, table = slow.arrays[:2]
    found = without(slow, Cause.L1_PLACES, once=("at",))
    kept = next(array for array in found.arrays if array.name == "table")
    assert (at.name, table.name) == ("at", "table")
    assert kept.l1_hit_rate > table.l1_hit_rate
