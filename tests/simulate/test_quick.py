"""A launch from a little of it: is it as close to the whole as its errors say, and does it rank alike?"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from benchmarks.sweep import rank_correlation
from gpusim import cuda, hardware
from gpusim.errors import ParameterError
from gpusim.results.metric import Claim
from gpusim.simulate import quick
from gpusim.simulate.block_queue import BlockQueue
from gpusim.simulate.part_of_gpu import part_of, shares, sms_of_gpcs
from gpusim.simulate.placement import first_wave
from gpusim.simulate.rounds import Round, dealt, rounds
from gpusim.simulate.scattered import scattered

CYCLES, INSTRUCTIONS = "gpc__cycles_elapsed.max", "smsp__inst_executed.sum"
FABRIC, HBM = "lts__t_sectors_srcunit_ltcfabric.sum", "dram__bytes_read.sum"
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


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.parametrize("blocks", [12, 16])
def test_a_launch_of_a_few_blocks_runs_whole(blocks, monkeypatch):
    monkeypatch.setattr(quick, "RUN_WHOLE", 0)
    whole, quickly = (gpusim.predict("layernorm", M=blocks, N=8192, sample=sample) for sample in (False, "quick"))
    assert whole.grid == (blocks, 1, 1)
    assert quickly.metrics == whole.metrics


def test_one_sm_with_a_block_more_decides_the_time(monkeypatch):
    monkeypatch.setattr(quick, "RUN_WHOLE", 0)
    sizes = {"M": 224, "N": 608, "K": 512, "T": 32}
    whole, quickly = (gpusim.predict("matmul-tiled", sample=sample, **sizes) for sample in (False, "quick"))
    assert math.prod(whole.grid) == gpusim.load_gpu("h200").sm_count + 1
    assert quickly.value(CYCLES) != whole.value(CYCLES)
    assert quickly.value(CYCLES) == pytest.approx(whole.value(CYCLES), rel=0.15)


def test_rows_of_odd_length_lie_on_as_many_sectors(monkeypatch):
    monkeypatch.setattr(quick, "RUN_WHOLE", 0)
    whole, quickly = (gpusim.predict("softmax-parallel", M=3000, N=1021, sample=sample) for sample in (False, "quick"))
    for op in ("ld", "st"):
        sectors = f"l1tex__t_sectors_pipe_lsu_mem_global_op_{op}.sum"
        assert quickly.value(sectors) == pytest.approx(whole.value(sectors), rel=0.005)
        assert quickly[sectors].p90 is None
    assert quickly[INSTRUCTIONS].p90 == 0


# ------------------------------------------------------------------ L2 and device memory


def test_what_l2_makes_of_reads_is_consistent():
    whole, quickly = both("matmul-tiled")
    for metric in ("op_read_lookup_hit", "op_read_lookup_miss", "lookup_miss"):
        name = f"lts__t_sectors_srcunit_tex_{metric}.sum"
        assert quickly.value(name) == pytest.approx(whole.value(name), rel=0.15)
    assert quickly.value(FABRIC) == pytest.approx(whole.value(FABRIC), rel=0.15)


def test_operands_a_little_larger_than_l2_are_not_read_anew_by_every_wave(monkeypatch, tmp_path):
    monkeypatch.setattr(quick, "RUN_WHOLE", 0)
    small = tmp_path / "small.toml"
    small.write_text(
        """base = "p100"
        [l2]
        size_bytes = { value = 1048576, unit = "byte", kind = "assumed", source = "a what-if" }
        """
    )
    sizes = {"gpu": str(small), "n": 384, "T": 16}
    whole, quickly = (gpusim.predict("matmul-tiled", sample=sample, **sizes) for sample in (False, "quick"))
    assert 2 * 384**2 * 4 > 1048576
    assert quickly.value(CYCLES) != whole.value(CYCLES)
    assert quickly.value(HBM) == pytest.approx(whole.value(HBM), rel=0.6)


# ------------------------------------------------------------------ blocks that differ


def compiled(body, monkeypatch, grid, words, **how):
    """A kernel of blocks of 64 threads whole, and from a little of it, however short it is."""
    monkeypatch.setattr(quick, "RUN_WHOLE", 0)
    text = f"__global__ void k(const float* a, float* c) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; {body} }}"
    kernel, arrays = cuda.compile(text, gpu="h200").kernel(), [np.zeros(words, np.float32) for _ in range(2)]
    return tuple(
        gpusim.profile(kernel, grid, 64, arrays, values=False, sample=sample, **how) for sample in (False, "quick")
    )


def loop(turns):
    """Loads whose number depends on the block."""
    return f"float s = 0; for (int j = 0; j < {turns}; j++) s = s * 1.5f + a[(i + 64 * j) & 65535]; c[i & 65535] = s;"


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("turns", ["(blockIdx.x % 3 == 1 ? 200 : 10)", "(blockIdx.x % 7 == 5 ? 99 : 9)"])
def test_blocks_that_do_unequal_work_in_turns_are_all_run(turns, monkeypatch):
    whole, quickly = compiled(loop(turns), monkeypatch, 2000, 1 << 16)
    assert quickly.metrics == whole.metrics


@pytest.mark.usefixtures("compiler")
def test_what_blocks_did_is_held_against_the_probes(monkeypatch):
    probes = set(scattered((4000, 1, 1))[0] % 97)
    missed = next(k for k in range(97) if k not in probes)
    whole, quickly = compiled(loop(f"(blockIdx.x % 97 == {missed} ? 900 : 9)"), monkeypatch, 4000, 1 << 16)
    assert quickly.metrics == whole.metrics


@pytest.mark.long
@pytest.mark.usefixtures("compiler")
def test_blocks_that_do_alike_are_not_all_run(monkeypatch):
    whole, quickly = compiled(loop("99"), monkeypatch, 4000, 1 << 16)
    assert quickly.metrics != whole.metrics
    assert quickly.value(INSTRUCTIONS) == whole.value(INSTRUCTIONS)


@pytest.mark.usefixtures("compiler")
def test_what_gpcs_bring_into_l2_for_one_another_is_not_left_out(monkeypatch):
    body = "float s = 0; for (int j = 0; j < 8; j++) s += a[i ^ (j * 4096)]; c[i] = s;"
    whole, quickly = compiled(body, monkeypatch, 1 << 14, 1 << 20)
    assert quickly.metrics == whole.metrics


@pytest.mark.usefixtures("compiler")
def test_values_are_not_computed_from_a_little():
    kernel = cuda.compile("__global__ void k(float* x) { x[threadIdx.x] = 1; }", gpu="h200").kernel()
    with pytest.raises(ParameterError, match="values=False"):
        gpusim.profile(kernel, 1, 32, [np.zeros(32, np.float32)], sample="quick")


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


@given(st.integers(1, 5000), st.integers(1, 8), st.booleans())
def test_one_of_the_sms_has_as_many_blocks_as_any(blocks, slots, evenly):
    gpu = gpusim.load_gpu("h200")
    lands = first_wave(gpu, slots, blocks)
    sms = sms_of_gpcs(gpu, 1, lands, evenly=evenly)
    assert max(lands.count(sm) for sm in sms) == max(lands.count(sm) for sm in set(lands))


def test_a_gpc_with_another_share_than_its_sms_have_does_not_stand_for_the_gpu(monkeypatch, tmp_path):
    monkeypatch.setattr(quick, "RUN_WHOLE", 0)
    odd = tmp_path / "odd.toml"
    odd.write_text(
        """base = "p100"
        [identity]
        sm_count = { value = 55, unit = "1", kind = "assumed", source = "a what-if" }
        gpcs = { value = [1, 1, 1, 1, 1, 1, 49], unit = "1", kind = "assumed", source = "a what-if" }
        """
    )
    gpu = gpusim.load_gpu(odd)
    assert all(max(shares(gpu, [sm for sm, of in enumerate(gpu.placement.sm_gpc) if of == k])) > 1.25 for k in range(6))
    whole, quickly = (gpusim.predict("vector-add", gpu, N=1 << 17, sample=sample) for sample in (False, "quick"))
    assert quickly.metrics == whole.metrics


@pytest.mark.parametrize("name", hardware.names())
def test_what_is_shared_is_shared_about_fairly_on_every_gpu(name):
    gpu = gpusim.load_gpu(name)
    assert shares(gpu, sms_of_gpcs(gpu, 1)) == pytest.approx([1] * 4, abs=quick.UNFAIR)


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


def test_heads_of_attention_are_read_and_written_once():
    """Twice as much was read and written: of blocks that had begun, as matmuls go that share tiles with later waves."""
    found = gpusim.predict("flash-attention-2-tensor", "h100-sxm", N=512, H=256, sample="quick")
    array = 256 * 512 * 128 * 2
    assert found["dram__bytes_read.sum"].claim is gpusim.Claim.EXTRAPOLATED
    assert found.value("dram__bytes_read.sum") == pytest.approx(3 * array, rel=0.01)
    assert found.value("dram__bytes_write.sum") <= 1.02 * array
