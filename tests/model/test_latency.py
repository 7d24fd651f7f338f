"""Does Little's law bound what warps can draw, in the simulator too?"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim import hardware
from gpusim.errors import ParameterError, UnknownNameError
from gpusim.model import latency, roofline
from tests.model.kernels import CHASE

widths = st.sampled_from([4, 8, 16])
several = st.integers(1, 8)


def test_bytes_in_flight_are_latency_times_bandwidth():
    """An A100's lines are answered after 475 (near) or 623 cycles (far), 549 on average, at 1410 MHz."""
    assert latency.gpu_bytes_in_flight("a100-40gb") == pytest.approx(549 / 1.41e9 * 1.555e12)


@pytest.mark.parametrize("level", roofline.LEVELS)
@pytest.mark.parametrize("gpu", hardware.names())
@given(each=widths, loads=several)
def test_the_warps_needed_are_just_enough(gpu, level, each, loads):
    needed = latency.warps_needed(gpu, level, bytes_per_lane=each, loads_in_flight=loads)
    full = roofline.bandwidth(gpu, level)
    assert latency.reachable_bytes_per_s(gpu, needed, level, bytes_per_lane=each, loads_in_flight=loads) == full
    if needed > 1:
        fewer = latency.reachable_bytes_per_s(gpu, needed - 1, level, bytes_per_lane=each, loads_in_flight=loads)
        assert fewer < full


@pytest.mark.parametrize("gpu", hardware.names())
def test_farther_memory_answers_later(gpu):
    times = [latency.latency_seconds(gpu, level) for level in roofline.LEVELS]
    assert times == sorted(times)


def test_far_lines_count_half():
    spec = hardware.load("h100-pcie")
    assert latency.latency_seconds(spec) * spec.clock.sm_hz == pytest.approx((556 + 744) / 2)
    spec = hardware.load("h200")  # no far miss is given: what the fabric adds to a hit is added
    assert latency.latency_seconds(spec) * spec.clock.sm_hz == pytest.approx((540 + 540 + 470 - 284) / 2)
    spec = hardware.load("v100")
    assert latency.latency_seconds(spec) * spec.clock.sm_hz == pytest.approx(430)


def test_occupancy_alone_cannot_hide_an_h200s_memory_but_wide_loads_can():
    assert latency.occupancy_needed("h200") > 1
    assert latency.occupancy_needed("h200", bytes_per_lane=16) < 0.5


@pytest.mark.parametrize("gpu", ["h200", "a100-40gb", "v100"])
def test_a_simulated_chase_draws_what_the_law_allows(gpu):
    """A warp an SM, one load in flight: bandwidth is 128 bytes an SM for each latency."""
    spec = gpusim.load_gpu(gpu)
    short, long = (gpusim.predict(CHASE, gpu=gpu, sample=False, G=spec.sm_count, K=loads) for loads in (8, 40))
    drawn = (long.dram_bytes_read - short.dram_bytes_read) / (long.seconds - short.seconds)
    allowed = latency.reachable_bytes_per_s(gpu, warps_per_sm=1)
    assert 0.8 * allowed < drawn < allowed


@given(st.integers(1, 100), st.floats(0.1, 1), several)
def test_warps_for_arithmetic_keep_a_unit_busy(cycles, rate, independent):
    warps = latency.warps_for_arithmetic(cycles, rate, independent)
    assert warps * independent >= cycles * rate * (1 - 1e-12)
    assert (warps - 1) * independent < cycles * rate


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (ParameterError, "latency_s must be above 0", lambda: latency.bytes_in_flight(0, 1)),
        (ParameterError, "bytes_per_s must be above 0", lambda: latency.bytes_in_flight(1, math.inf)),
        (ParameterError, "loads_in_flight must be 1 or more", lambda: latency.warps_needed("h200", loads_in_flight=0)),
        (ParameterError, "warps_per_sm must be 1 or more", lambda: latency.reachable_bytes_per_s("h200", 0)),
        (UnknownNameError, "unknown level 'DRAM'", lambda: latency.latency_seconds("h200", "DRAM")),
    ],
)
def test_bad_input_is_told_in_a_line(error, message, call):
    with pytest.raises(error, match=message):
        call()
