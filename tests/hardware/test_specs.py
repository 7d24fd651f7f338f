"""Every built-in specification loads, says where its numbers come from, and survives being written out."""

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gpusim import hardware
from gpusim.errors import GpusimError
from gpusim.hardware import library
from gpusim.hardware.quantities import KINDS, rules
from gpusim.hardware.sections import SECTIONS
from gpusim.hardware.spec import key_of, values

NAMES = hardware.names()


def test_the_gpus_that_are_promised_are_there():
    assert set(NAMES) >= {
        "a100-40gb",
        "a100-80gb",
        "b200",
        "h100-pcie",
        "h100-sxm",
        "h200",
        "p100",
        "rtx-4090",
        "rtx-a6000",
        "v100",
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_number_has_a_unit_a_kind_and_a_source(name):
    gpu = hardware.load(name)
    held = values(gpu)
    for section, kind in SECTIONS.items():
        for field, rule in rules(kind).items():
            key = key_of(section, field)
            if held[key] is None:
                continue
            entry = gpu.provenance(key)
            assert entry.value == held[key]
            assert entry.unit == rule.unit
            assert entry.kind in KINDS
            assert len(entry.source) > 3


@pytest.mark.parametrize("name", NAMES)
def test_whatever_is_not_text_is_a_number_with_a_source(name):
    gpu = hardware.load(name)
    numbers = {key for key, value in values(gpu).items() if value is not None and not isinstance(value, str | bool)}
    assert numbers == {key for key, _ in gpu.sources}


@pytest.mark.parametrize("name", NAMES)
def test_a_specification_survives_being_written_out(name, tmp_path):
    gpu = hardware.load(name)
    path = tmp_path / f"{name}.toml"
    path.write_text(hardware.to_toml(gpu), encoding="utf-8")
    again = hardware.load(path)
    assert again == gpu
    assert hardware.to_toml(again) == hardware.to_toml(gpu)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_is_named_after_its_gpu_and_keeps_to_itself(name):
    text = (library.SPECS / f"{name}.toml").read_text(encoding="utf-8")
    assert hardware.load(name).name == name
    assert not re.search(r"/(home|tmp|work|root|usr)\b", text)


@pytest.mark.parametrize("name", NAMES)
def test_derived_figures_agree(name):
    gpu = hardware.load(name)
    lanes = gpu.sm_count * gpu.sm.fp32_lanes * 2 * gpu.clock.sm_hz
    assert gpu.throughput.fp32_flops == pytest.approx(lanes, rel=0.04)
    assert gpu.dram.bus_bits == gpu.dram.channels * (128 if gpu.dram.type.startswith("HBM") else 16)
    achieved = (gpu.dram.read_bytes_per_s, gpu.dram.write_bytes_per_s, gpu.dram.copy_bytes_per_s)
    assert all(rate < gpu.dram_peak_bytes_per_s for rate in achieved if rate is not None)
    slices = gpu.l2.slices * gpu.l2.slice_bytes_per_cycle * gpu.clock.l2_hz / gpu.clock.sm_hz
    assert gpu.throughput.l2_read_bytes_per_cycle < slices
    latency = gpu.latency
    assert latency.l1_hit_cycles < latency.l2_hit_near_cycles <= latency.l2_hit_far_cycles < latency.dram_cycles


@pytest.mark.parametrize("name", NAMES)
def test_every_sm_is_placed(name):
    gpu = hardware.load(name)
    place = gpu.placement
    assert sorted(place.order) == list(range(gpu.sm_count))
    assert tuple(place.sm_gpc.count(gpc) for gpc in range(len(gpu.gpcs))) == gpu.gpcs
    assert set(place.sm_half) == set(range(gpu.l2.partitions))


def test_blocks_fill_an_h200_gpc_by_gpc():
    place = hardware.load("h200").placement
    gpcs = [place.sm_gpc[sm] for sm in place.order]
    assert gpcs == sorted(gpcs)
    assert place.order[:8] == (124, 125, 126, 127, 128, 129, 130, 131)
    assert place.sm_half.count(0) == 66


def test_only_the_gpu_we_measured_says_so():
    assert [name for name in NAMES if hardware.load(name).measured] == ["h200"]


def test_a_gpu_is_immutable_and_loaded_once():
    gpu = hardware.load("h200")
    assert hardware.load("H200") is gpu
    assert hardware.load("a100") is hardware.load("a100-40gb")
    assert hash(gpu) == hash(dataclasses.replace(gpu))
    with pytest.raises(dataclasses.FrozenInstanceError):
        gpu.sm_count = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        gpu.l2.size_bytes = 1


def test_provenance_of_an_unknown_key_offers_the_nearest():
    with pytest.raises(GpusimError, match=r"unknown number of h200 'l2.size': did you mean l2.size_bytes or l2.slices"):
        hardware.load("h200").provenance("l2.size")


def test_compute_capability_is_read_off_the_architecture():
    assert [hardware.load(name).compute_capability for name in ("p100", "rtx-4090", "h200", "b200")] == [
        (6, 0),
        (8, 9),
        (9, 0),
        (10, 0),
    ]


def test_importing_the_room_leaves_pydantic_out():
    code = "import sys, gpusim.hardware; sys.exit('pydantic' in sys.modules or 'numpy' in sys.modules)"
    root = Path(hardware.__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
