"""Is what scenarios quote from hardware what was measured, and do they say so?"""

import json
from pathlib import Path

import pytest

from calibration import flash_attention_2, hopper
from calibration.handwritten import counters as measured
from gpusim.catalogue import lookup
from gpusim.launches.spec import DescribedLaunch
from gpusim.measured import measurement
from gpusim.results.metric import CYCLES
from tests.scenarios.running import load, names, source

DATA = Path(__file__).resolve().parents[1]
ROOT = DATA.parent
REQUESTS, SECTORS = (f"l1tex__t_{what}_pipe_lsu_mem_global_op_ld.sum" for what in ("requests", "sectors"))
LINES = "l1tex__t_set_accesses.sum"
MHZ = 1980


@pytest.fixture(scope="module")
def counters():
    return measured()


def read(row, *metrics):
    return tuple(float(row[metric]) for metric in metrics)


def took(row):
    """Nanoseconds, from the cycles; the clock of a short launch is not quite the nominal one."""
    return pytest.approx(float(row[CYCLES]) / MHZ * 1000, rel=0.06)


@pytest.mark.parametrize("name", names())
def test_a_quote_names_device_driver_clock_and_date(name):
    text = source(name)
    for gpu, clock in (("H200", "1980 MHz"), ("H100", "clocks not fixed")):
        if f"{gpu} = {{" in text:
            for word in (f"NVIDIA {gpu}", "driver 580.159", "CUDA 13.0", clock, "2026-11"):
                assert word in text


def test_strided_copies(counters):
    for stride, (*quoted, time) in load("row_or_column")["H200"].items():
        row = counters[f"strided_s{stride}_1048576"]
        assert tuple(quoted) == read(row, SECTORS, LINES)
        assert time == took(row)


def test_bursts(counters):
    for stride, (quoted, time) in load("dram_bursts")["H200"].items():
        row = counters[f"strided_s{stride}_1048576"]
        assert (quoted,) == read(row, "dram__bytes_read.sum")
        assert time == took(row)


def test_naive_and_coalesced(counters):
    launches = {"matmul-naive": "mm_naive_uncoalesced", "matmul-coalesced": "mm_coalesced32"}
    for (kernel, n), (*quoted, time) in load("naive_or_coalesced")["H200"].items():
        row = counters[f"{launches[kernel]}_{n}x{n}x{n}"]
        assert tuple(quoted) == read(row, REQUESTS, SECTORS)
        assert 1000 * time == took(row)
    for kernel, quoted in load("alignment")["H200"].items():
        requests, sectors = read(counters[f"{launches[kernel]}_1024x1024x1024"], REQUESTS, SECTORS)
        assert quoted == sectors / requests


def test_tiles(counters):
    measured = {case: quoted for case, quoted in load("tiling")["H200"].items() if case[0] <= 1024}
    assert len(measured) == 6
    for (n, tile), quoted in measured.items():
        assert (quoted,) == read(counters[f"mm_tiled{tile}_{n}x{n}x{n}"], "dram__bytes_read.sum")


def test_coarsening(counters):
    launches = {1: "mm_tiled32_512x512x512", 4: "mm_coarse32x4_512x512x512"}
    metrics = ("smsp__inst_executed_op_shared_st.sum", "smsp__inst_executed_op_shared_ld.sum")
    for factor, quoted in load("coarsening")["H200"].items():
        assert quoted == read(counters[launches[factor]], *metrics)


def test_paths(counters):
    metrics = ("smsp__inst_executed.sum", "smsp__thread_inst_executed.sum")
    for paths, (*quoted, time) in load("divergence")["H200"].items():
        row = counters[f"diverge_w{paths}_1048576"]
        assert tuple(quoted) == read(row, *metrics)
        assert time == took(row)


def test_transposes(counters):
    launches = {"transpose-naive": "transpose_naive_1024", "transpose-shared": "transpose_smem_1024"}
    metrics = ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "smsp__inst_executed_op_shared_ld.sum")
    for kernel, (conflicts, time) in load("bank_conflicts")["H200"].items():
        row = counters[launches[kernel]]
        wavefronts, loads = read(row, *metrics)
        assert conflicts == wavefronts - loads
        assert time == took(row)


def test_the_stages_of_l1_cost_what_was_measured_of_every_pattern():
    stages = load("alignment")["stages"]
    patterns = json.loads((DATA / "engine/data/h200_patterns.json").read_text(encoding="utf-8"))["patterns"]
    words = [pattern for pattern in patterns if pattern["access"] == "ldg4"]
    assert len(words) > 100
    for pattern in words:
        assert stages(pattern["offsets"]) == (pattern["tag_wavefronts"], pattern["data_wavefronts"]), pattern["name"]


def test_the_ladder_of_tensor_cores():
    found = hopper.by_hand("h100-sxm")
    for (kernel, n), (*quoted, microseconds) in load("tensor_ladder")["H100"].items():
        launch = found[f"{kernel} {n}x{n}x{n}"]
        assert quoted == [launch.value(CYCLES)]
        assert microseconds == pytest.approx(1e6 * launch.value(hopper.TIME))


def test_attention():
    found = {launch.id: launch for launch in measurement.read(measurement.shipped("h200")).launches}
    for kernel, nanoseconds in load("attention_loops")["H200"].items():
        launch = found[DescribedLaunch.of(lookup.get(kernel), {"N": 512}).id]
        assert nanoseconds == took({CYCLES: launch.value(CYCLES)})


def test_published_rates_of_attention():
    for way, rates in load("flash_attention_generations")["PUBLISHED"].items():
        mode, kernel = "fwd" if way != "FA-1" else "fwd+bwd", way.lower().replace("-", "")
        both = [flash_attention_2.published("h100-sxm", mode, name) for name in (kernel, "standard")]
        for N, quoted in rates.items():
            assert quoted == tuple(of[flash_attention_2.Shape(128, False, N)] for of in both)


def test_launches_one_after_another():
    lines = (ROOT / "calibration/data/launches/between_h200.txt").read_text(encoding="utf-8").splitlines()
    printed = dict(line.split(": ") for line in lines)
    for way, quoted in load("launch_overhead")["H200"].items():
        assert quoted == float(printed[f"{way.split()[-1]}, empty 1x1, 200"].split()[0])


def test_published_shares_of_peak():
    for (way, gpu, N, d), (passes, rate) in load("attention_peak")["PUBLISHED"].items():
        kernel, card = way.lower().replace("-", ""), gpu.replace("40gb", "80gb")
        assert rate == flash_attention_2.published(card, passes, kernel)[flash_attention_2.Shape(d, False, N)]


def test_softmaxes(counters):
    for way, (*quoted, nanoseconds) in load("softmax_three_ways")["H200"].items():
        row = counters[f"softmax_{way}_4096x1024"]
        assert tuple(quoted) == read(row, SECTORS, "lts__t_sectors_srcunit_tex_op_read.sum", "dram__bytes_read.sum")
        assert nanoseconds == took(row)
