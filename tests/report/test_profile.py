import json
import math

import pytest

from gpusim.profiles.profile import DERIVED, Profile
from gpusim.results.metric import Claim, Interval, Metric
from tests.report.profiles import tiled_matmul

BARE = Profile("copy", {"N": 1024}, "h200", (4, 1, 1), (256, 1, 1), {})


def test_derived_figures_follow_from_the_metrics():
    profile = tiled_matmul(n=1024, tile=32, l1_hit=0.25, merged=0.25, l2_hit=0.25)
    assert profile.global_load_bytes == 2 * 4 * 1024**3 // 32
    assert profile.l1_hit_rate == pytest.approx(0.25)
    assert profile.l2_read_bytes == pytest.approx(profile.global_load_bytes / 2)
    assert profile.dram_bytes_read == pytest.approx(profile.global_load_bytes / 4)
    assert profile.sectors_per_load == 4
    assert profile.blocks == 32 * 32
    assert profile.blocks_per_sm == 2
    assert profile.occupancy == 1
    assert profile.occupancy_limiters == ("registers", "warps")
    assert profile.arithmetic_intensity == pytest.approx(profile.flops / profile.dram_bytes)


@pytest.mark.parametrize("name", DERIVED)
def test_a_derived_figure_without_its_metrics_is_not_a_number(name):
    assert name in ("blocks", "threads_per_block") or math.isnan(getattr(BARE, name))


@pytest.mark.parametrize(
    "profile", [tiled_matmul(), tiled_matmul(error=None), BARE], ids=["full", "unmeasured", "bare"]
)
def test_to_dict_is_json_and_complete(profile):
    read_back = json.loads(json.dumps(profile.to_dict(), allow_nan=False))
    assert set(read_back["metrics"]) == set(profile.metrics)
    assert set(read_back["derived"]) == set(DERIVED)
    for name, metric in profile.metrics.items():
        assert read_back["metrics"][name] == {
            "value": metric.value,
            "unit": metric.unit,
            "claim": metric.claim.value,
            "error": metric.error,
            "held_out": metric.held_out,
            "p90": metric.p90,
            "among": metric.among,
            "interval": None,
        }


def test_an_interval_is_in_json_and_in_the_table_of_metrics():
    interval = Interval(4350.0, 5210.5, "9 launches of mine")
    metrics = {
        "a": Metric(4674, "cycle", Claim.CALIBRATED, 0.05, interval=interval),
        "b": Metric(1, "byte", Claim.EXACT),
    }
    profile = Profile("mine", {}, "h200", (1, 1, 1), (1, 1, 1), metrics)
    told = json.loads(json.dumps(profile.to_dict(), allow_nan=False))["metrics"]
    assert told["a"]["interval"] == {"low": 4350.0, "high": 5210.5, "among": "9 launches of mine", "share": 0.8}
    assert told["b"]["interval"] is None
    frame = profile.to_dataframe()
    assert list(frame.loc["a", ["low", "high"]]) == [4350.0, 5210.5]
    assert frame.loc["b", ["low", "high"]].isna().all()


def test_to_dataframe_has_a_row_for_every_metric():
    profile = tiled_matmul()
    frame = profile.to_dataframe()
    assert list(frame.index) == list(profile.metrics)
    assert list(frame["value"]) == [metric.value for metric in profile.metrics.values()]
    assert set(frame["T"]) == {32}


def test_to_dataframe_of_a_profile_without_metrics_is_empty():
    metric = ["value", "unit", "claim", "error", "held_out", "p90", "among", "low", "high"]
    assert list(BARE.to_dataframe().columns) == ["kernel", "gpu", "N", *metric]


@pytest.mark.parametrize(
    ("claim", "error", "p90", "text"),
    [
        (Claim.EXACT, 0.0, None, "exact"),
        (Claim.EXACT, 0.0, 0.0, "exact"),
        (Claim.EXACT, None, None, "exact"),
        (Claim.EXACT, 0.0, 0.01, "exact ±0/1 %"),
        (Claim.MODELLED, 0.0, None, "modelled ±0 %"),
        (Claim.MODELLED, 0.0123, None, "modelled ±1.2 %"),
        (Claim.MODELLED, 0.00004, 0.905783, "modelled ±0/91 %"),
        (Claim.MODELLED, 0.0, math.inf, "modelled ±0/∞ %"),
        (Claim.CALIBRATED, 0.0282, 0.0817, "calibrated ±2.8/8.2 %"),
        (Claim.EXTRAPOLATED, None, None, "extrapolated, unmeasured"),
    ],
)
def test_claim_text(claim, error, p90, text):
    metric = Metric(1, "byte", claim, error, p90=p90)
    assert metric.claim_text == text
    json.dumps(Profile("mine", {}, "h200", (1, 1, 1), (1, 1, 1), {"m": metric}).to_dict(), allow_nan=False)


def test_repr_is_the_table_and_html_shows_it_in_a_notebook():
    profile = tiled_matmul()
    assert "HBM reads" in repr(profile)
    assert "<pre>matmul-tiled" in profile._repr_html_()
