"""Where kernels stand below a roof: intensities, shares and claims are those of the profile, on GPUs and on CPUs."""

import math
from dataclasses import replace

import pytest

import gpusim
from gpusim import hardware
from gpusim.errors import ParameterError, UnknownNameError
from gpusim.model import marks, roofline
from gpusim.results.metric import DURATION, Claim, Interval, Metric


@pytest.fixture(scope="module")
def tiled():
    return gpusim.predict("matmul-tiled", "h200", n=256, tile=16)


@pytest.mark.parametrize("gpu", hardware.names())
def test_a_roof_has_what_the_specification_has(gpu):
    roof, spec = marks.roof_of(gpu), hardware.load(gpu)
    assert roof.gpu == gpu
    assert roof.bandwidths == {level: roofline.bandwidth(gpu, level) for level in roofline.LEVELS}
    assert roof.peak_flops["fp32"] == spec.throughput.fp32_flops
    for name in ("fp16", "bf16", "tf32", "fp8"):
        assert roof.peak_flops.get(f"tensor {name}") == getattr(spec.throughput, f"tensor_{name}_flops")
    assert set(roof.kinds) == {*roof.peak_flops, *roof.bandwidths}


def test_a_roof_says_which_of_its_numbers_are_assumed():
    roof = marks.roof_of("a100-40gb")
    assert (roof.kinds["L1"], roof.kinds["L2"], roof.kinds["HBM"]) == ("datasheet", "assumed", "datasheet")
    assert hardware.load("a100-40gb").provenance("clock.l2_hz").kind == "assumed"


def test_halves_outside_tensor_cores_go_by_their_lanes():
    assert marks.roof_of("h200").peak_flops["fp16"] == 132 * 256 * 2 * 1.98e9
    assert marks.roof_of("v100").peak_flops["fp16"] == 31.4e12


def test_marks_are_the_hierarchical_roofline_of_the_profile(tiled):
    found, roof = marks.marks_of(tiled), roofline.of_profile(tiled, "fp32")
    assert [mark.level for mark in found] == ["L1", "L2", "HBM"]
    for mark, ceiling in zip(found, roof.ceilings, strict=True):
        assert mark.nbytes == ceiling.nbytes
        assert mark.intensity == ceiling.intensity == mark.flops / mark.nbytes
        assert mark.roof_flops == ceiling.flops_per_s
        assert mark.bound == (ceiling.level if ceiling.flops_per_s < roof.peak_flops else "compute")
        assert mark.flop_rate == pytest.approx(2 * 256**3 / tiled.seconds)
        assert mark.share == pytest.approx(mark.flop_rate / mark.roof_flops)
        assert 0 < mark.share < 1
    assert (found[0].kernel, found[0].gpu, found[0].measured) == ("matmul-tiled M=256 N=256 K=256 T=16", "h200", False)


def test_claims_and_the_interval_are_kept(tiled):
    first, second, memory = marks.marks_of(tiled)
    assert first.bytes_claim == "exact"
    assert second.bytes_claim == tiled["lts__t_sectors_srcunit_tex_op_read.sum"].claim_text
    assert memory.bytes_claim == tiled["dram__bytes_read.sum"].claim_text
    assert memory.seconds_claim == tiled[DURATION].claim_text
    assert memory.interval == tiled[DURATION].interval
    low, high = memory.flop_rate_interval
    assert (low, high) == (memory.flops / memory.interval.high, memory.flops / memory.interval.low)


def test_a_launch_without_an_interval_has_none(tiled):
    bare = replace(tiled, metrics={**tiled.metrics, DURATION: Metric(1e-5, "s", Claim.MODELLED)})
    assert all(mark.flop_rate_interval is None for mark in marks.marks_of(bare))


def test_a_time_of_other_length_moves_the_rate_and_no_roof(tiled):
    twice = Metric(2 * tiled.seconds, "s", Claim.MODELLED, interval=Interval(1.0, 2.0, "some"))
    slow = marks.marks_of(replace(tiled, metrics={**tiled.metrics, DURATION: twice}))
    for mark, before in zip(slow, marks.marks_of(tiled), strict=True):
        assert mark.flop_rate == pytest.approx(before.flop_rate / 2)
        assert mark.roof_flops == before.roof_flops


def test_tensor_cores_have_the_peak_of_their_type():
    halves = gpusim.predict("matmul-tensor", "h200", n=128)
    assert marks.peak_name(halves) == "tensor fp16"
    assert marks.peak_name(gpusim.predict("matmul-tensor-bf16", "h200", n=128)) == "tensor bf16"
    assert {mark.peak for mark in marks.marks_of(halves, peak="tensor fp8")} == {"tensor fp8"}


def test_narrow_arrays_alone_make_no_tensor_peak():
    assert marks.peak_name(gpusim.predict("matmul-tiled-fp8", "h200", n=64)) == "fp32"


def test_a_chain_has_marks_of_each_launch_that_computes():
    chain = gpusim.predict_chain("attention-standard", "h200", N=64)
    found = marks.marks_of(chain)
    assert len(found) == 3 * sum(bool(step.flops) for step in chain.steps)
    assert all(mark.kernel.startswith("attention-standard: ") for mark in found)


def test_what_computes_nothing_has_no_place(tiled):
    with pytest.raises(ParameterError, match=r"copy computes nothing in floating point"):
        marks.marks_of(gpusim.predict("copy", "h200", N=1024))
    with pytest.raises(ParameterError, match="does not say how many FLOPs"):
        marks.marks_of(replace(tiled, flops=None))
    with pytest.raises(UnknownNameError, match=r"unknown peak of h200 'fp33': did you mean fp32"):
        marks.marks_of(tiled, peak="fp33")


def test_a_cpu_has_a_roof_and_no_rate():
    mark = marks.least_mark("saxpy", 2e9, 12e9, "cpu")
    assert (mark.gpu, mark.level, mark.bound) == ("epyc-7742", "DRAM", "DRAM")
    assert mark.roof_flops == pytest.approx(204.8e9 / 6)
    assert math.isnan(mark.flop_rate)
    assert marks.least_mark("dense", 1e12, 1.0, "cpu").bound == "compute"
    with pytest.raises(UnknownNameError, match="unknown peak of epyc-7742 'tensor fp16'"):
        marks.least_mark("saxpy", 2e9, 12e9, "cpu", "tensor fp16")


def test_marks_as_json_have_no_nan_and_no_infinity(tiled):
    assert marks.least_mark("nothing", 1e9, 0.0, "cpu").to_dict()["flops_per_byte"] is None
    written = marks.marks_of(tiled)[2].to_dict()
    assert written["interval"]["high"] == tiled[DURATION].interval.high
    assert written["seconds_claim"] == tiled[DURATION].claim_text
