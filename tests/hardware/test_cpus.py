"""CPUs are a roofline only: their numbers have sources, and no kernel is predicted on one."""

import re

import pytest

import gpusim
from gpusim import hardware
from gpusim.errors import UnknownNameError
from gpusim.hardware.quantities import KINDS


@pytest.mark.parametrize("name", hardware.cpu_names())
def test_every_number_has_a_unit_a_kind_and_a_source(name):
    cpu = hardware.load_cpu(name)
    assert cpu.name == name
    for key, entry in cpu.sources:
        assert entry.value == getattr(cpu, key)
        assert entry.unit
        assert entry.kind in KINDS
        assert len(entry.source) > 10


def test_peaks_and_bandwidths_are_those_of_the_vendors():
    epyc, xeon = hardware.load_cpu("epyc-7742"), hardware.load_cpu("xeon-8480plus")
    assert epyc.peak_flops == {"fp32": 4.608e12, "fp64": 2.304e12}
    assert xeon.peak_flops == {"fp32": 7.168e12, "fp64": 3.584e12}
    assert (epyc.dram_bytes_per_s, xeon.dram_bytes_per_s) == (8 * 8 * 3.2e9, 8 * 8 * 4.8e9)


def test_cpu_is_one_of_them():
    assert hardware.load_cpu("cpu") is hardware.load_cpu("EPYC 7742") or hardware.cpu_of("cpu") == "epyc-7742"
    assert hardware.cpu_of("h200") is None
    with pytest.raises(UnknownNameError, match="unknown CPU 'z80'"):
        hardware.load_cpu("z80")


@pytest.mark.parametrize("name", ["cpu", "xeon-8480plus"])
def test_no_kernel_is_predicted_on_one(name):
    says = f"{name} is a CPU \\(.*\\), known as a roofline only: gpusim cannot predict kernels on it"
    with pytest.raises(hardware.SpecError, match=says):
        gpusim.predict("copy", gpu=name, N=1024)


def test_no_gpu_has_the_name_of_a_cpu():
    assert not {*hardware.names()} & {*hardware.cpu_names()}
    assert not any(re.search("cpu|epyc|xeon", name) for name in hardware.names())
