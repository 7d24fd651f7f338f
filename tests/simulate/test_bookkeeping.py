"""What must add up in the counts of any launch, whatever the model of the caches."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpusim import hardware
from gpusim.catalogue import lookup
from gpusim.engine.state import counts as C
from gpusim.isa.opcodes import Op
from gpusim.simulate import Counts, count, driving
from tests.kernels.cases import CASES, REPRESENTATIVE, gpus
from tests.kernels.run import prepare
from tests.marks import most_by_hand

GPUS = ("h200", "p100", "a100-40gb", "rtx-4090")
SECTOR = 32
READS_EVERYTHING = [
    "vector-add", "copy", "copy-vec4", "transpose-naive", "transpose-shared", "transpose-padded", "reduce-divergent",
    "reduce-conflicting", "reduce-sequential", "reduce-shuffle", "matmul-naive", "matmul-coalesced", "matmul-tiled",
    "matmul-coarsened", "matmul-register-tiled", "matmul-register-tiled-vec4", "copy-f16", "dropout-residual",
    "softmax-safe", "softmax-parallel", "layernorm", "rmsnorm-f16",
]  # fmt: skip


def whole(name: str, params: dict[str, int], gpu: str = "h200", *, warm: bool = False) -> Counts:
    if "sms" in params:  # arrays of as many entries as the GPU has SMs
        params = {**params, "sms": hardware.load(gpu).sm_count}
    ready = prepare(lookup.get(name), params, gpu)
    l2 = count(*ready, sample=False, keep_l2=True).l2 if warm else None
    return count(*ready, sample=False, l2=l2)


def inputs_in(name: str, params: dict[str, int], granule: int) -> int:
    """Sectors of the inputs, each array rounded up to whole granules; buffers start on 512 bytes."""
    arrays = [a for a in lookup.get(name).launch(**params).arrays if a.intent != "out"]
    return sum(math.ceil(a.nbytes / granule) * granule // SECTOR for a in arrays)


def copies_past_l1(name: str, params: dict[str, int]) -> bool:
    """Whether a kernel copies to shared memory; lines that go to several lines there are asked for more than once."""
    return any(instr.op is Op.LDGSTS for instr in prepare(lookup.get(name), params, "h200")[0].program.instrs)


# ------------------------------------------------------------------ sums


@pytest.mark.parametrize("name", most_by_hand(CASES, REPRESENTATIVE[::2]))
@settings(max_examples=2)
@given(data=st.data())
def test_levels_add_up(name, data):
    gpu = data.draw(gpus(name, *GPUS))
    params = data.draw(CASES[name])
    t = whole(name, params, gpu).total
    asked, lacking = t[C.L2_READ] + t[C.MERGED], t[C.LD_SECTORS] - t[C.LD_HIT]
    assert asked == lacking or (
        copies_past_l1(name, params) and asked > lacking
    )  # what L1 lacks, L2 has, or another SM
    assert t[C.L2_WRITE] <= t[C.ST_SECTORS]  # L1 writes through; a sector may be written twice by one request
    assert (t[C.L2_WRITE] > 0) == (t[C.ST_SECTORS] > 0)
    assert t[C.L2_ATOM] == t[C.RED_SECTORS] + t[C.ATOM_SECTORS]
    assert t[C.PENDING] <= t[C.LD_HIT] <= t[C.LD_SECTORS]
    assert t[C.FABRIC] >= 0 if hardware.load(gpu).l2.partitions > 1 else t[C.FABRIC] == 0
    assert (t >= 0).all()
    assert t[C.LD_SECTORS] <= 32 * t[C.LD_REQ]
    assert t[C.LD_REQ] <= t[C.INST_LDG] + t[C.INST_LDGSTS]
    assert t[C.ST_REQ] <= t[C.INST_STG]
    assert t[C.ATOM_REQ] + t[C.RED_REQ] <= t[C.INST_ATOM]
    assert t[C.THREAD_ON] <= t[C.THREAD_INST] <= 32 * t[C.INST]
    assert t[C.SH_LD_IDEAL] <= t[C.SH_LD_WAVES] or t[C.SH_LD_WAVES] >= t[C.SH_LD_IDEAL] / 2  # paired lanes halve them
    assert t[C.SH_ST_IDEAL] <= t[C.SH_ST_WAVES]
    assert t[C.DIVERGED] <= t[C.BRANCHES]


@pytest.mark.parametrize("name", most_by_hand(CASES, REPRESENTATIVE[::2]))
@settings(max_examples=2)
@given(data=st.data())
def test_misses_are_accesses_and_fetches_are_misses(name, data):
    gpu = data.draw(gpus(name, *GPUS))
    t = whole(name, data.draw(CASES[name]), gpu).total
    promotion = 2 if hardware.load(gpu).l2.fetch_bytes >= 64 else 1
    assert t[C.L2_MISS] <= promotion * (t[C.L2_READ] + t[C.L2_ATOM])
    lacked = t[C.L2_READ] - t[C.L2_READ_HIT]
    assert lacked <= t[C.L2_READ_MISS] <= promotion * lacked
    assert 0 <= t[C.L2_MISS] - t[C.L2_READ_MISS] <= t[C.L2_ATOM]
    assert t[C.DRAM_READ] <= promotion * t[C.L2_MISS]
    assert t[C.DRAM_WRITE] <= t[C.L2_WRITE] + t[C.L2_ATOM]


@pytest.mark.parametrize("name", most_by_hand(CASES, REPRESENTATIVE[::2]))
@settings(max_examples=2)
@given(data=st.data())
def test_arrays_add_up_to_the_launch(name, data):
    counts = whole(name, data.draw(CASES[name]), data.draw(gpus(name, *GPUS)))
    each, t = counts.arrays.sum(axis=0), counts.total
    assert each[C.A_LD_REQ] == t[C.LD_REQ]
    assert each[C.A_LD_SECTORS] == t[C.LD_SECTORS]
    assert each[C.A_ST_REQ] == t[C.ST_REQ] + t[C.RED_REQ] + t[C.ATOM_REQ]
    assert each[C.A_ST_SECTORS] == t[C.ST_SECTORS] + t[C.RED_SECTORS] + t[C.ATOM_SECTORS]


@pytest.mark.parametrize("name", most_by_hand(CASES, REPRESENTATIVE[::2]))
@settings(max_examples=2)
@given(data=st.data())
def test_every_block_and_warp_runs_once(name, data):
    params = data.draw(CASES[name])
    counts, launch = whole(name, params), lookup.get(name).launch(**params)
    blocks, threads = math.prod(launch.grid), math.prod(launch.block)
    assert counts.total[C.BLOCKS] == blocks == counts.blocks_run
    assert counts.total[C.WARPS] == blocks * math.ceil(threads / 32)
    assert counts.total[C.INST] == counts.warp_instructions
    assert counts.timing.cycles > 0


# ------------------------------------------------------------------ HBM


@pytest.mark.parametrize("gpu", most_by_hand(["h200", "v100", "p100", "rtx-4090"], {"h200"}))
@pytest.mark.parametrize("name", READS_EVERYTHING)
@settings(max_examples=2)
@given(data=st.data())
def test_cold_caches_fetch_every_input_once(name, gpu, data):
    """Inputs that fit L2 with room to spare are read from HBM once each, in the chunks L2 fetches."""
    params = data.draw(CASES[name])
    fetched = whole(name, params, gpu).total[C.DRAM_READ]
    granule = 64 if hardware.load(gpu).l2.fetch_bytes >= 64 else SECTOR
    assert fetched == inputs_in(name, params, granule)


@pytest.mark.parametrize("name", ["vector-add", "matmul-tiled", "transpose-padded", "reduce-shuffle", "stencil5"])
@settings(max_examples=3)
@given(data=st.data(), gpu=st.sampled_from(GPUS))
def test_a_small_footprint_is_still_there_when_warm(name, data, gpu):
    params = data.draw(CASES[name])
    warm = whole(name, params, gpu, warm=True).total
    assert warm[C.DRAM_READ] == 0
    assert warm[C.DRAM_WRITE] == 0
    assert warm[C.L2_READ] + warm[C.MERGED] == warm[C.LD_SECTORS] - warm[C.LD_HIT]


def test_a_large_footprint_is_not():
    """24 MB through the 4 MB of a P100's L2: the second time is like the first."""
    params = {"N": 1 << 21, "B": 256}
    cold, warm = (whole("vector-add", params, "p100", warm=w).total for w in (False, True))
    assert cold[C.DRAM_READ] == inputs_in("vector-add", params, SECTOR)
    assert 0.95 * cold[C.DRAM_READ] <= warm[C.DRAM_READ] <= cold[C.DRAM_READ]
    written = 4 * params["N"] / SECTOR
    left = hardware.load("p100").l2.size_bytes / SECTOR  # at most, at the end
    assert written - left <= cold[C.DRAM_WRITE] < written


# ------------------------------------------------------------------ the same again


@pytest.mark.parametrize("name", most_by_hand(CASES, REPRESENTATIVE[::2]))
@settings(max_examples=2)
@given(data=st.data(), warm=st.booleans(), steps=st.sampled_from([1, 7, 1000]))
def test_a_repeat_counts_the_same(name, data, warm, steps):
    """However often the engine comes back to report progress, too."""
    gpu, params = data.draw(gpus(name, *GPUS)), data.draw(CASES[name])
    first = whole(name, params, gpu, warm=warm)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driving, "STEPS_A_CALL", steps)
        second = whole(name, params, gpu, warm=warm)
    np.testing.assert_array_equal(first.total, second.total)
    np.testing.assert_array_equal(first.arrays, second.arrays)
    assert first.timing == second.timing


def test_a_machine_is_not_left_dirty_by_another_run():
    params = {"M": 70, "N": 33, "K": 65, "T": 16}
    before = whole("matmul-tiled", params)
    whole("transpose-shared", {"M": 200, "N": 300})
    np.testing.assert_array_equal(before.total, whole("matmul-tiled", params).total)


def test_progress_rises_to_all_blocks(monkeypatch):
    monkeypatch.setattr(driving, "STEPS_A_CALL", 50)
    seen = []
    launch, gpu, held = prepare(lookup.get("vector-add"), {"N": 100_000, "B": 128})
    count(launch, gpu, held, sample=False, progress=lambda done, total, text: seen.append((done, total, text)))
    done = [d for d, _, _ in seen]
    assert done == sorted(done)
    assert len(set(done)) > 3
    assert seen[-1] == (launch.blocks, launch.blocks, "counting")
