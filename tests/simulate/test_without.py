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
