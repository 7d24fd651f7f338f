"""Do intervals of time cover what they say, narrow where predictions are good, and none where nobody measured?"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpusim
from gpusim import load_gpu
from gpusim.results.metric import CYCLES, DURATION, INTERVAL_SHARE, STALL_REASON, Claim, Metric
from gpusim.simulate import sample
from gpusim.simulate.metrics import _launches_like
from gpusim.simulate.prediction_intervals import FEATURES, Known, Residuals, features, known, with_intervals

REACH, LEAST = 0.06, 0.02
ENDS = (0.1, 0.9)


def drawn(launches, seed):
    """Launches told apart by one feature from 0 to 1, of which those above the middle are five times as far off."""
    rng = np.random.default_rng(seed)
    like = rng.random((launches, 1))
    return like, rng.normal(0.03, np.where(like[:, 0] < 0.5, 0.02, 0.1))


def residuals(like, ratios, *, reach=REACH, least=LEAST):
    return Residuals(np.asarray(like, float), np.asarray(ratios, float), reach, least)


def bounds(of, like):
    return np.array([of.quantiles(one, ENDS) for one in like])


def test_eight_in_ten_of_new_launches_fall_inside_wherever_they_are():
    of = residuals(*drawn(600, 1))
    like, ratios = drawn(2000, 2)
    low, high = bounds(of, like).T
    inside = (low <= ratios) & (ratios <= high)
    quiet = like[:, 0] < 0.4
    loud = like[:, 0] > 0.6
    assert inside[quiet].mean() == pytest.approx(INTERVAL_SHARE, abs=0.07)
    assert inside[loud].mean() == pytest.approx(INTERVAL_SHARE, abs=0.07)
    assert 3 * (high - low)[quiet].mean() < (high - low)[loud].mean()


@given(
    st.lists(st.tuples(st.floats(0, 9), st.floats(-1, 1)), min_size=2, max_size=30),
    st.floats(-1, 10),
    st.lists(st.floats(0, 1), min_size=2, max_size=6),
)
def test_more_of_the_launches_never_take_a_narrower_interval(launches, like, shares):
    of = residuals([[x] for x, _ in launches], [ratio for _, ratio in launches])
    found = of.quantiles([like], sorted(shares))
    assert (np.diff(found) >= 0).all()
    assert of.log_ratios.min() <= found[0] <= found[-1] <= of.log_ratios.max()


@given(st.permutations(range(12)))
def test_the_order_of_the_launches_does_not_matter(order):
    like, ratios = drawn(12, 3)
    shuffled = residuals(like[list(order)], ratios[list(order)])
    assert np.allclose(residuals(like, ratios).quantiles([0.3], ENDS), shuffled.quantiles([0.3], ENDS))


def test_only_the_order_within_a_feature_matters_not_its_unit():
    like, ratios = drawn(200, 4)
    in_bytes = residuals(like * 1e9, ratios)
    assert np.array_equal(residuals(like, ratios).quantiles([0.3], ENDS), in_bytes.quantiles([0.3e9], ENDS))


def test_where_nothing_is_alike_all_launches_decide():
    near, far = [(0.0, 0.0)] * 50, [(1.0, 1.0)] * 50
    ratios = [*np.linspace(-0.01, 0.01, 50), *np.linspace(-0.3, 0.3, 50)]
    of = residuals([*near, *far], ratios)
    alike, unlike = of.quantiles((0, 0), ENDS), of.quantiles((0, 1), ENDS)
    assert np.abs(alike).max() < 0.011
    assert np.allclose(unlike, np.quantile(ratios, ENDS), atol=0.01)


def test_a_launch_that_is_nothing_like_it_still_counts_what_is_said():
    weights = residuals([[0.0], [1.0]], [0, 0]).weights([0.0])
    assert weights == pytest.approx([1 + LEAST, LEAST])


def test_features_are_what_they_are_called():
    waits = {STALL_REASON.format("wait"): 3.0, STALL_REASON.format("barrier"): 1.0}
    values = {
        CYCLES: 1000.0,
        "sm__cycles_active.avg": 500.0,
        "smsp__inst_executed.sum": 2000.0,
        "sm__warps_active.avg.pct_of_peak_sustained_active": 40.0,
        "lts__t_sectors_srcunit_tex_op_read.sum": 300.0,
        "lts__t_sectors_srcunit_tex_op_write.sum": 100.0,
        "lts__t_sectors_srcunit_tex_lookup_hit.sum": 100.0,
        "lts__t_sectors_srcunit_tex_lookup_miss.sum": 300.0,
    }
    told = dict(zip(FEATURES, features(values | waits), strict=True))
    assert told == {
        "cycles": 1000,
        "waits for arithmetic": 0.6,
        "achieved occupancy": 40,
        "instructions a cycle": 4,
        "L2 sectors a cycle": 0.4,
        "L2 hits": 0.25,
    }
    assert features({CYCLES: 10.0}) == (10.0, 0, 0, 0, 0, 0)


def test_cycles_and_seconds_have_the_same_interval_and_nothing_else_has_one():
    of = Known(residuals([[1.0] * len(FEATURES)] * 9, np.linspace(-0.1, 0.3, 9)), ENDS, "9 launches of mine")
    given_ = {name: Metric(value, unit, Claim.CALIBRATED, 0.1) for name, value, unit in
              ((CYCLES, 1000, "cycle"), (DURATION, 5e-7, "s"), ("dram__bytes_read.sum", 7, "byte"))}  # fmt: skip
    found = with_intervals(given_, of)
    cycles, seconds = found[CYCLES].interval, found[DURATION].interval
    assert 900 <= cycles.low < 1000 < cycles.high <= 1000 * math.exp(0.3)
    assert (seconds.low / 5e-7, seconds.high / 5e-7) == pytest.approx((cycles.low / 1000, cycles.high / 1000))
    assert cycles.among == "9 launches of mine"
    assert found["dram__bytes_read.sum"] == given_["dram__bytes_read.sum"]
    assert with_intervals(given_, None) == given_


def test_only_what_was_measured_has_residuals():
    assert known("h200", "machine_code").among.endswith("on h200")
    assert known("h200", "description") != known("h200", "machine_code")
    unknown = [(gpu, "machine_code") for gpu in ("a100-40gb", "h100-sxm", "h200@1410MHz")]
    assert all(known(*one) is None for one in (*unknown, ("h200", "program"), ("h200", "other")))


def test_a_prediction_has_an_interval_and_is_not_changed_by_it():
    metric = gpusim.predict("copy", "h200", N=4096)[CYCLES]
    low, high = known("h200", "description").factors(
        {n: m.value for n, m in gpusim.predict("copy", N=4096).metrics.items()}
    )
    assert (metric.interval.low, metric.interval.high) == (metric.value * low, metric.value * high)
    assert 0.5 < low < high < 2


@pytest.mark.parametrize(("gpu", "how"), [("a100-40gb", {}), ("h200@1410MHz", {}), ("h200", {"cache": "warm"})])
def test_what_nobody_measured_has_none(gpu, how):
    profile = gpusim.predict("copy", gpu, N=4096, **how)
    assert [profile[name].interval for name in (CYCLES, DURATION)] == [None, None]
    assert "80 %" not in repr(profile)
    assert profile[CYCLES].claim_text.endswith("unmeasured")


def test_a_quick_prediction_has_the_errors_of_quick_ones():
    profile = gpusim.predict("vector-add", "h200", N=1 << 24, sample="quick")
    assert profile[CYCLES].interval is None
    assert "against full ones" in profile[CYCLES].among


@pytest.mark.parametrize(
    ("way", "family", "has"),
    [
        ("machine_code", "", True),
        ("machine_code", "matmul", False),
        ("description", "matmul", True),
        ("program", "", False),
        ("other", "", False),
    ],
)
def test_an_interval_follows_from_launches_that_came_about_alike(way, family, has):
    assert (_launches_like(load_gpu("h200"), way, family) is not None) is has


def test_a_launch_that_is_timed_in_part_has_the_errors_of_such_launches(monkeypatch):
    monkeypatch.setattr(sample, "BUDGET", 1e5)
    profile = gpusim.predict("vector-add", "h200", N=1 << 22, sample=True)
    assert profile.notes
    assert profile[CYCLES].interval is None
    assert profile[CYCLES].among.endswith("each sampled")
