"""A launch from a little of it: is it as close to the whole as its errors say, and does it rank alike?"""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from benchmarks.sweep import rank_correlation
from gpusim import cuda
from gpusim.errors import ParameterError
from gpusim.results.metric import Claim
from gpusim.simulate import quick
from gpusim.simulate.block_queue import BlockQueue
from gpusim.simulate.part_of_gpu import part_of, sms_of_gpcs
from gpusim.simulate.placement import first_wave
from gpusim.simulate.rounds import Round, dealt, rounds

CYCLES, INSTRUCTIONS = "gpc__cycles_elapsed.max", "smsp__inst_executed.sum"
LAUNCHES = {
    "matmul-tiled": {"n": 512},
    "reduce-divergent": {"N": 1 << 22},
    "softmax-safe": {"M": 6000},
    "transpose-shared": {"n": 4096},
    "vector-add": {"N": 1 << 24},
}

TILES = [
    {"BM": 16, "BN": 16, "BK": 4, "TM": 2, "TN": 2},
    {"BM": 32, "BN": 32, "BK": 8, "TM": 2, "TN": 2},
    {"BM": 32, "BN": 64, "BK": 8, "TM": 4, "TN": 4},
    {"BM": 64, "BN": 64, "BK": 8, "TM": 4, "TN": 4},
    {"BM": 64, "BN": 64, "BK": 8, "TM": 8, "TN": 8},
    {"BM": 128, "BN": 64, "BK": 16, "TM": 8, "TN": 4},
]


@functools.cache
def both(name):
    """A launch whole, and from a little of it."""
    return tuple(gpusim.predict(name, sample=sample, **LAUNCHES[name]) for sample in (False, "quick"))


def test_time_is_within_the_error_it_states_nine_times_in_ten():
    times = [(whole.value(CYCLES), quickly[CYCLES]) for whole, quickly in map(both, LAUNCHES)]
    assert all(found.claim is Claim.EXTRAPOLATED and found.value != whole for whole, found in times)
    beyond = [abs(found.value / whole - 1) / found.p90 for whole, found in times]
    assert sorted(beyond)[-2] <= 1
    assert max(beyond) < 2
    assert max(found.p90 for _, found in times) < 0.15


@pytest.mark.parametrize("name", LAUNCHES)
def test_what_executes_is_exact(name):
    whole, quickly = both(name)
    assert quickly.value(INSTRUCTIONS) == whole.value(INSTRUCTIONS)
    assert "quick predictions" in quickly[INSTRUCTIONS].among


@pytest.mark.parametrize("name", LAUNCHES)
def test_traffic_is_close(name):
    whole, quickly = both(name)
    for metric in ("lts__t_sectors_srcunit_tex_op_read.sum", "dram__bytes_read.sum"):
        assert quickly.value(metric) == pytest.approx(whole.value(metric), rel=0.15)


def test_tiles_are_ranked_as_whole_launches_are(monkeypatch):
    monkeypatch.setattr(quick, "RUN_WHOLE", 1e6)

    def times(sample):
        found = [gpusim.predict("matmul-register-tiled", n=512, sample=sample, **config) for config in TILES]
        return np.array([profile.value(CYCLES) for profile in found])

    whole, quickly = times(False), times("quick")
    assert (whole != quickly).all()
    assert rank_correlation(whole, quickly) >= 0.9


def test_a_small_launch_runs_whole():
    whole, quickly = (gpusim.predict("copy", N=4096, sample=sample) for sample in (False, "quick"))
    assert quickly.metrics == whole.metrics


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"cache": "warm"}, "cold caches"),
        ({"timeline": gpusim.Recording()}, "no timeline"),
        ({"sample": "fast"}, "'quick'"),
    ],
)
def test_what_a_little_does_not_tell_is_refused(asked, says):
    with pytest.raises(ParameterError, match=says):
        gpusim.predict("copy", **{"sample": "quick", "N": 64, **asked})


def test_a_chain_is_refused():
    with pytest.raises(ParameterError, match="of one kernel"):
        gpusim.predict_chain("attention-standard", sample="quick", H=1, N=64, d=32)


# ------------------------------------------------------------------ rounds


@given(st.integers(1, 10**6), st.integers(1, 200), st.integers(1, 32))
def test_rounds_are_all_blocks_of_the_busiest_sm(blocks, n_sm, slots):
    found = rounds(blocks, n_sm, slots)
    assert sum(one.blocks for one in found) == -(-blocks // n_sm)
    assert all(one.held <= slots and one.blocks % one.held == 0 and one.first < blocks for one in found)
    assert [one.first for one in found] == sorted({one.first for one in found})


@given(st.integers(1, 5000), st.integers(1, 8), st.floats(1, 1000))
def test_an_sm_begins_with_the_blocks_that_it_begins_with_on_the_whole_gpu(blocks, held, enough):
    gpu = gpusim.load_gpu("h200")
    sms = sms_of_gpcs(gpu, 1)
    found = dealt(Round(held, held, 0), blocks, gpu, sms, enough)
    lands = first_wave(gpu, held, blocks)
    mine = [k for k, sm in enumerate(lands) if sm in sms]
    if mine:
        assert [sms[k] for k in found.order] == [lands[k] for k in mine]
        assert found.queue.numbers()[: len(mine)].tolist() == mine
    assert len(found.queue) >= min(enough, len(mine))
    assert found.queue.numbers().max() < blocks


def test_all_gpcs_run_all_blocks():
    gpu = gpusim.load_gpu("h200")
    found = dealt(Round(4, 4, 0), 3000, gpu, sms_of_gpcs(gpu, len(gpu.gpcs)), 1e9)
    assert found.whole
    assert found.queue.numbers().tolist() == BlockQueue.whole(3000).numbers().tolist()


# ------------------------------------------------------------------ a part of a GPU


@pytest.mark.parametrize("name", ["h200", "h100-pcie", "a100-40gb", "v100", "p100"])
def test_an_sm_of_a_gpc_has_as_much_of_what_is_shared_as_before(name):
    gpu = gpusim.load_gpu(name)
    sms = sms_of_gpcs(gpu, 1)
    part = part_of(gpu, sms)
    assert part.sm_count == len(sms) == part.gpcs[0]
    slices, nbytes, reads = (
        [of(g) for g in (part, gpu)]
        for of in (
            lambda g: g.l2.slices / g.sm_count,
            lambda g: np.array([g.dram_peak_bytes_per_s, g.l2.size_bytes]) / g.sm_count,
            lambda g: g.throughput.l2_read_bytes_per_cycle / len(g.gpcs),
        )
    )
    assert slices[0] == pytest.approx(slices[1], rel=0.2)
    assert nbytes[0] == pytest.approx(nbytes[1], rel=0.005)
    assert reads[0] == pytest.approx(reads[1])


def test_all_gpcs_are_the_gpu():
    gpu = gpusim.load_gpu("h200")
    part = part_of(gpu, sms_of_gpcs(gpu, len(gpu.gpcs)))
    assert (part.l2, part.dram, part.gpcs) == (gpu.l2, gpu.dram, gpu.gpcs)
    assert part.placement.sm_gpc == gpu.placement.sm_gpc


@pytest.mark.usefixtures("compiler")
def test_machine_code_is_predicted_quickly_too(monkeypatch):
    monkeypatch.setattr(quick, "RUN_WHOLE", 1e6)
    text = """__global__ void k(float* x) {
        float a = x[0];
        for (int j = 0; j < 99; j++) a = a * a + j;
        x[blockIdx.x * 256 + threadIdx.x] = a;
    }"""
    kernel, x = cuda.compile(text, gpu="h200", options=["-ftz=true"]).kernel(), np.zeros(1 << 21, np.float32)
    whole, quickly = (gpusim.profile(kernel, 1 << 13, 256, [x], values=False, sample=how) for how in (False, "quick"))
    assert quickly.value(INSTRUCTIONS) == whole.value(INSTRUCTIONS)
    assert quickly.value(CYCLES) == pytest.approx(whole.value(CYCLES), rel=0.15)
    assert quickly.value(CYCLES) != whole.value(CYCLES)
