"""What an intensity allows: published ridge points, and no prediction is faster than its roofline."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim import hardware
from gpusim.errors import ParameterError, UnknownNameError
from gpusim.model import roofline
from gpusim.profiles.profile import Profile
from gpusim.results.metric import LEFT_DIRTY

rates = st.floats(1e9, 1e16)
intensities = st.floats(0, 1e6)


@pytest.mark.parametrize(
    ("gpu", "dtype", "flop_per_byte"),
    [
        ("h100-sxm", "bf16", 295), ("h100-sxm", "fp8", 591), ("h100-sxm", "fp32", 20), ("h200", "bf16", 206),
        ("a100-40gb", "bf16", 201), ("a100-80gb", "bf16", 153), ("v100", "fp16", 139), ("b200", "bf16", 281),
        ("p100", "fp16", 29),
    ],
)  # fmt: skip
def test_ridge_points_are_those_of_the_datasheets(gpu, dtype, flop_per_byte):
    assert round(roofline.ridge_point(gpu, dtype)) == flop_per_byte


@given(intensities, intensities, rates, rates)
def test_more_intensity_never_allows_less(first, second, peak, bandwidth):
    low, high = sorted((first, second))
    allowed = [roofline.attainable_flops(intensity, peak, bandwidth) for intensity in (low, high)]
    assert allowed[0] <= allowed[1] <= peak


@given(st.floats(0.01, 0.99), rates, rates)
def test_below_the_ridge_memory_decides_and_above_it_arithmetic(share, peak, bandwidth):
    ridge = peak / bandwidth
    assert roofline.attainable_flops(share * ridge, peak, bandwidth) == pytest.approx(share * peak)
    assert roofline.attainable_flops(ridge / share, peak, bandwidth) == peak


@pytest.mark.parametrize("gpu", hardware.names())
def test_nearer_memory_is_faster_and_no_one_reaches_more_than_the_peak(gpu):
    peaks = [roofline.bandwidth(gpu, level) for level in roofline.LEVELS]
    assert peaks == sorted(peaks, reverse=True)
    assert roofline.bandwidth(gpu, "L2", "achieved") < peaks[1]
    assert 0.7 * peaks[2] < roofline.bandwidth(gpu, "HBM", "achieved") < peaks[2]


@pytest.mark.parametrize("gpu", hardware.names())
def test_datasheet_and_bus_agree(gpu):
    assert roofline.bandwidth(gpu) == pytest.approx(hardware.load(gpu).dram_peak_bytes_per_s, rel=0.05)


@pytest.mark.parametrize("gpu", hardware.names())
def test_half_the_bytes_of_an_operand_never_have_a_lower_peak(gpu):
    """Dense figures: one with sparsity among them would stick out."""
    peaks = {dtype: roofline.peak_flops(gpu, dtype) for dtype in roofline.dtypes(gpu)}
    for wide, narrow in (("tf32", "bf16"), ("bf16", "fp8"), ("fp8", "fp4")):
        if wide in peaks and narrow in peaks:
            assert peaks[narrow] == pytest.approx(2 * peaks[wide], rel=0.01)
    if "bf16" in peaks:
        assert peaks["bf16"] == peaks["fp16"]


def test_a_memory_of_another_speed_has_not_its_bases_datasheet(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'base = "h200"\n[clock]\nmemory_hz = { value = 3e9, unit = "Hz", kind = "assumed", source = "x" }\n'
    )
    mine = hardware.load(str(path))
    assert mine.dram.datasheet_bytes_per_s is None
    assert roofline.bandwidth(mine) == mine.dram_peak_bytes_per_s


def test_without_tensor_cores_an_h200_does_fp64_at_half_the_rate():
    assert roofline.peak_flops("h200", "fp64") == pytest.approx(
        2 * roofline.peak_flops("h200", "fp64", tensor_cores=False), rel=0.01
    )


levels = st.dictionaries(st.sampled_from(roofline.LEVELS), st.floats(0, 1e15), min_size=1)


@given(st.floats(1, 1e15), levels, rates, st.tuples(rates, rates, rates))
def test_time_and_rate_say_the_same(flops, nbytes, peak, bandwidths):
    found = roofline.hierarchical(flops, nbytes, peak, dict(zip(roofline.LEVELS, bandwidths, strict=True)))
    assert found.flops_per_s == pytest.approx(flops / found.seconds)
    slowest = {ceiling.level: ceiling.seconds for ceiling in found.ceilings} | {"compute": flops / peak}
    assert slowest[found.bound] == max(slowest.values())


def test_what_moves_no_bytes_has_infinite_intensity():
    found = roofline.hierarchical(1e9, {"L2": 1e9, "HBM": 0}, 1e15, {"L2": 5e12, "HBM": 2e12})
    assert found.ceilings[1].intensity == math.inf
    assert found.bound == "L2"


SMALL = [
    ("vector-add", {"N": 1 << 18}), ("matmul-tiled", {"n": 256, "tile": 16}), ("matmul-naive", {"n": 128}),
    ("reduce-shuffle", {"N": 1 << 18}),
]  # fmt: skip


@pytest.mark.parametrize(("kernel", "params"), SMALL)
def test_no_prediction_is_faster_than_its_roofline(kernel, params):
    profile = gpusim.predict(kernel, gpu="h200", sample=False, **params)
    assert 0 < roofline.of_profile(profile).seconds < profile.seconds


def test_levels_of_a_vector_addition():
    n = 1 << 18
    found = roofline.of_profile(gpusim.predict("vector-add", gpu="h200", sample=False, N=n))
    moved = {ceiling.level: ceiling.nbytes for ceiling in found.ceilings}
    assert moved == {"L1": 12 * n, "L2": 12 * n, "HBM": pytest.approx(8 * n, rel=0.05)}  # the result stays in L2
    assert found.bound == "HBM"


def test_it_is_said_how_much_of_the_result_l2_still_holds():
    n = 1 << 18
    profile = gpusim.predict("vector-add", gpu="h200", sample=False, N=n)
    found = roofline.of_profile(profile)
    assert found.ceilings[-1].intensity == n / profile.dram_bytes  # by what this launch moves
    assert found.note == (
        "HBM moves 2.10 MB (0.125 FLOP/byte); 1.05 MB of the result are still in L2 when the launch ends, with which "
        "it is 0.0833 FLOP/byte."
    )
    written = {LEFT_DIRTY: replace(profile[LEFT_DIRTY], value=0)}
    assert roofline.of_profile(replace(profile, metrics={**profile.metrics, **written})).note == ""


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (ParameterError, "p100 has no peak for bf16: it has fp64, fp32, fp16",
         lambda: roofline.ridge_point("p100", "bf16")),
        (ParameterError, "h200 has no peak for fp8 outside the tensor cores: it has fp64, fp32",
         lambda: roofline.peak_flops("h200", "fp8", tensor_cores=False)),
        (UnknownNameError, "unknown type 'fp9'", lambda: roofline.ridge_point("h200", "fp9")),
        (UnknownNameError, "unknown level 'L3'", lambda: roofline.bandwidth("h200", "L3")),
        (UnknownNameError, "unknown figure", lambda: roofline.bandwidth("h200", "L2", "best")),
        (ParameterError, "intensity must be 0 or more", lambda: roofline.attainable_flops(math.nan, 1, 1)),
        (ParameterError, "bytes_per_s must be above 0, not 0", lambda: roofline.attainable_flops(1, 1, 0)),
        (ParameterError, "bytes_per_s lacks the level L2", lambda: roofline.hierarchical(1, {"L2": 1}, 1, {})),
        (ParameterError, "nbytes must name a level", lambda: roofline.hierarchical(1, {}, 1, {})),
        (ParameterError, "the profile of copy does not say how many FLOPs",
         lambda: roofline.of_profile(Profile("copy", {}, "h200", (1, 1, 1), (1, 1, 1), {}))),
        (ParameterError, "L1 must be 0 or more, not nan",
         lambda: roofline.of_profile(Profile("copy", {}, "h200", (1, 1, 1), (1, 1, 1), {}, flops=1))),
    ],
)  # fmt: skip
def test_bad_input_is_told_in_a_line(error, message, call):
    with pytest.raises(error) as told:
        call()
    assert message in str(told.value)
    assert "\n" not in str(told.value)
