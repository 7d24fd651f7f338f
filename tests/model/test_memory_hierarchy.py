"""Does the memory hierarchy of each GPU say what its documents say, and what lectures quote of it?"""

import itertools
import math

import pytest

from gpusim import hardware
from gpusim.model import gpu_figures, memory_hierarchy, roofline
from gpusim.model.gpu_tables import comparison, hierarchy
from gpusim.report import text


def level(gpu, name):
    return next(one for one in memory_hierarchy.levels(gpu) if one.name == name)


def test_20_mb_are_all_sms_of_an_a100_and_19_tb_per_s_their_data_stages():
    near = level("a100-40gb", "L1 and shared")
    assert (near.sm_bytes, near.nbytes) == (192 * 1024, 108 * 192 * 1024)
    assert near.nbytes / 2**20 == 20.25
    assert near.bytes_per_s == 108 * 128 * 1.41e9
    assert near.bytes_per_s / 1e12 == pytest.approx(19.5, abs=0.01)


def test_8_times_is_12_5_times():
    near, far = level("a100-40gb", "L1 and shared"), level("a100-40gb", "HBM")
    assert far.bytes_per_s == 1.555e12
    assert near.bytes_per_s / far.bytes_per_s == pytest.approx(12.5, abs=0.05)


def test_the_h100_of_14592_cores_is_the_pcie_one():
    assert memory_hierarchy.cuda_cores("h100-pcie") == 114 * 128 == 14592
    assert memory_hierarchy.cuda_cores("h100-sxm") == 132 * 128 == 16896


@pytest.mark.parametrize(("gpu", "flops"), [("v100", 1024), ("a100-40gb", 2048), ("h100-sxm", 4096), ("h200", 4096)])
def test_tensor_cores_double_from_one_generation_to_the_next(gpu, flops):
    assert memory_hierarchy.tensor_flops_per_cycle(gpu) == pytest.approx(flops, rel=0.005)


@pytest.mark.parametrize(
    ("gpu", "both_ways"),
    [("p100", 160e9), ("v100", 300e9), ("a100-40gb", 600e9), ("h100-pcie", 600e9), ("h200", 900e9), ("b200", 1.8e12)],
)
def test_nvlink_is_one_way(gpu, both_ways):
    assert 2 * level(gpu, "NVLink").bytes_per_s == both_ways


def test_a_gpu_without_nvlink_has_no_such_level():
    assert hardware.load("rtx-4090").links.nvlink_bytes_per_s == 0
    assert "NVLink" not in [one.name for one in memory_hierarchy.levels("rtx-4090")]


@pytest.mark.parametrize("gpu", hardware.names())
def test_farther_is_slower_and_takes_longer(gpu):
    found = [one for one in memory_hierarchy.levels(gpu) if one.name in ("shared memory", "L2", "HBM", "GDDR")]
    assert len(found) == 3
    for near, far in itertools.pairwise(found):
        assert near.latency_cycles < far.latency_cycles
        assert near.bytes_per_s > far.bytes_per_s > 0
    for one in memory_hierarchy.levels(gpu):
        assert math.isnan(one.reached_bytes_per_s) or one.reached_bytes_per_s < one.bytes_per_s


@pytest.mark.parametrize("gpu", hardware.names())
def test_every_number_says_how_it_is_known(gpu):
    for one in memory_hierarchy.levels(gpu):
        there = {
            "capacity": one.nbytes, "latency": one.latency_cycles, "bandwidth": one.bytes_per_s,
            "reached": one.reached_bytes_per_s, "sm_bandwidth": one.sm_bytes_per_cycle,
        }  # fmt: skip
        assert {what for what, value in there.items() if not math.isnan(value)} == {*one.kinds}


def test_latency_is_given_in_time_too():
    far = level("h200", "HBM")
    assert far.latency_s == far.latency_cycles / 1.98e9


def test_a_locked_clock_makes_bandwidths_assumed_and_no_width():
    locked = level("h200@1410MHz", "L1 and shared")
    assert locked.bytes_per_s == 132 * 128 * 1.41e9
    assert (locked.kinds["bandwidth"], locked.kinds["sm_bandwidth"]) == ("assumed", "measured")


# ---------------------------------------------------------------- side by side


@pytest.mark.parametrize("gpu", hardware.names())
def test_figures_are_those_of_the_specification(gpu):
    spec = hardware.load(gpu)
    found = {one.name: one for one in gpu_figures.figures(spec)}
    assert found["SMs"].value == spec.sm_count
    assert found["SMs"].kind == spec.provenance("sm_count").kind
    assert found["L2 size"].value == spec.l2.size_bytes
    assert found["ridge fp32, HBM"].value == roofline.ridge_point(gpu, "fp32")
    assert found["HBM bandwidth"].value == roofline.bandwidth(gpu)
    assert all(one.kind for one in found.values())


def test_several_stand_side_by_side_with_ratios_to_the_first():
    gpus = [hardware.load(name) for name in ("a100-40gb", "h200")]
    rows = {row[0].name: row for row in gpu_figures.side_by_side(gpus)}
    first, other = rows["HBM bandwidth"]
    assert gpu_figures.ratio(other, first) == 4.8e12 / 1.555e12
    missing, there = rows["tensor fp8 peak"]
    assert math.isnan(missing.value)
    assert there.value == 1978.9e12
    assert math.isnan(gpu_figures.ratio(there, missing))


def test_a_cpu_stands_beside_a_gpu_by_what_it_has():
    rows = {row[0].name: row for row in gpu_figures.side_by_side([hardware.load("h200"), hardware.load_cpu("cpu")])}
    assert rows["fp32 peak"][1].value == 64 * 2.25e9 * 32
    assert math.isnan(rows["SMs"][1].value)
    assert rows["DRAM bandwidth"][1].value == 204.8e9


def test_two_gpus_fit_80_columns_and_assumed_numbers_are_marked():
    shown = text(comparison([hardware.load("a100-40gb"), hardware.load("h200")]), 80)
    assert max(map(len, shown.splitlines())) <= 80
    clock = next(line for line in shown.splitlines() if line.startswith("L2 clock"))
    assert clock.split() == ["L2", "clock", "1410", "MHz*", "1685", "MHz", "1.20"]
    cores = next(line for line in shown.splitlines() if line.startswith("CUDA cores"))
    assert cores.split()[2:] == ["6912", "16896", "2.44"]


@pytest.mark.parametrize("gpu", hardware.names())
def test_the_hierarchy_fits_80_columns_and_marks_what_is_assumed(gpu):
    shown = text(hierarchy(hardware.load(gpu)), 80)
    assert max(map(len, shown.splitlines())) <= 80
    assumed = any("assumed" in one.kinds.values() for one in memory_hierarchy.levels(gpu))
    assert ("*" in shown.partition("known: ")[0]) == assumed
