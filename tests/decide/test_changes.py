"""What changed: the same from both sides, nothing where nothing did, and each figure once."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given

import gpusim
from gpusim import report
from gpusim.decide.diff_sides import measured_side
from gpusim.errors import GpusimError
from gpusim.measured.measurement import MeasuredLaunch
from gpusim.results.metric import CYCLES, DURATION
from tests.decide.made import timed

COUNTS = (
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "lts__t_sectors_srcunit_tex_op_read.sum",
    "dram__bytes_read.sum",
    "smsp__inst_executed.sum",
)


@st.composite
def profiles(draw: st.DrawFn) -> gpusim.Profile:
    counts = {name: draw(st.integers(0, 10**12)) for name in COUNTS}
    return timed(draw(st.integers(1, 10**9)), **counts)


@given(profiles())
def test_nothing_changes_from_a_launch_to_itself(profile: gpusim.Profile) -> None:
    found = gpusim.diff(profile, profile, why=False)
    assert found.is_unchanged
    assert found.verdict.startswith("Nothing changed")
    assert found.settings == ()
    assert found.exceeded("time>0%", "dram_bytes_read>0%") == []


@given(profiles(), profiles())
def test_either_way_round_says_the_same(a: gpusim.Profile, b: gpusim.Profile) -> None:
    there, back = gpusim.diff(a, b, why=False), gpusim.diff(b, a, why=False)
    for one, other in zip([*there.levels, *there.counters], [*back.levels, *back.counters], strict=True):
        assert (one.name, one.a, one.b, one.difference) == (other.name, other.b, other.a, -other.difference)
        assert one.is_unchanged == other.is_unchanged
        assert one.is_little == other.is_little
        if one.a and one.b:
            assert one.factor * other.factor == pytest.approx(1)
    assert there.time is not None
    assert back.time is not None
    assert there.time.ratio * back.time.ratio == pytest.approx(1)
    assert there.time.told_apart == back.time.told_apart
    assert there.time.interval is not None
    assert back.time.interval is not None
    assert there.time.interval.low * back.time.interval.high == pytest.approx(1)


@given(profiles(), profiles())
def test_it_can_be_written(a: gpusim.Profile, b: gpusim.Profile) -> None:
    found = gpusim.diff(a, b, why=False)
    written = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [row["name"] for row in written["metrics"]] == list(a.metrics)
    assert list(found.to_dataframe().index) == list(a.metrics)
    assert found.to_dataframe()["b"].tolist() == [metric.value for metric in b.metrics.values()]


@given(profiles(), profiles())
def test_no_line_is_wider_than_80_columns(a: gpusim.Profile, b: gpusim.Profile) -> None:
    text = report.text(gpusim.diff(a, b, why=False).table(), 80)
    assert max(map(len, text.splitlines())) <= 80


def test_every_level_is_there_in_the_order_of_the_hierarchy() -> None:
    found = gpusim.diff(timed(), timed(30000), why=False)
    order = [change.level for change in found.levels]
    wanted = ["instructions", "L1 global loads", "shared", "L2 reads", "L2 writes", "HBM reads"]
    assert [level for level in dict.fromkeys(order) if level in wanted] == wanted
    assert {"requests", "sectors", "hit rate"} <= {of.what for of in found.levels if of.level == "L1 global loads"}


def test_a_hit_rate_changes_by_points_and_a_count_by_a_factor() -> None:
    hits = "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"
    a = timed()
    b = timed(**{hits: 0, "dram__bytes_read.sum": 3 * int(a.dram_bytes_read)})
    text = report.text(gpusim.diff(a, b, why=False).table(), 80)
    rows = {line.partition("  ")[0]: line for line in text.splitlines()}
    assert "points" in rows["L2 reads: hit rate"]
    assert "3.0x" in rows["HBM reads"]
    assert "Unchanged: instructions" in text


def test_launches_that_differ_in_registers_say_so() -> None:
    b = timed(launch__registers_per_thread=64, grid=(8, 8, 1))
    said = {setting.name: (setting.a, setting.b) for setting in gpusim.diff(timed(), b, why=False).settings}
    assert said["registers"] == ("32", "64")
    assert said["grid"] == ("16×16", "8×8")
    assert "Launched otherwise: grid 16×16 -> 8×8; registers 32 -> 64." in repr(gpusim.diff(timed(), b, why=False))


def test_times_within_the_error_of_ratios_are_not_told_apart() -> None:
    near, far = (gpusim.diff(timed(20000), timed(cycles), why=False) for cycles in (19600, 12000))
    assert near.time is not None
    assert near.time.told_apart is False
    assert "not told apart" in near.verdict
    assert far.time is not None
    assert far.time.told_apart is True
    assert far.verdict.startswith("B takes 0.60 of A's time: 6.00 us instead of 10.0 us (1.67x as fast; 80 %: ")


# ---------------------------------------------------------------- measurements


def measured(cycles: list[float], name: str = "matmul-tiled N=512", **metrics: list[float]) -> MeasuredLaunch:
    times = {CYCLES: cycles, DURATION: [of / 2e9 for of in cycles]}
    return MeasuredLaunch(name, {}, "matmul_tiled", (16, 16), (1024,), metrics={**times, **metrics}, runs=len(cycles))


def test_measurements_are_told_apart_by_their_runs() -> None:
    slow, quick, between = measured([100, 110, 105]), measured([50, 55, 52]), measured([104, 95, 99])
    assert gpusim.diff(slow, quick).time.told_apart is True  # type: ignore[union-attr]
    assert gpusim.diff(slow, between).time.told_apart is False  # type: ignore[union-attr]
    assert "A was measured" in gpusim.diff(slow, quick).no_why


def test_a_single_run_does_not_say_how_sure_it_is() -> None:
    found = gpusim.diff(measured([100]), measured([50])).time
    assert found is not None
    assert found.interval is None
    assert found.told_apart is None
    assert "no interval is known of the time of A" in found.unknown


def test_a_prediction_is_held_against_its_measurement() -> None:
    found = gpusim.diff(timed(20000), measured([20200, 20000, 20100]))
    assert found.verdict.startswith("A is predicted to take 10.0 us, 0.5 % less than was measured (10.1 us), within")
    assert "outside its interval" in gpusim.diff(timed(20000), measured([40000, 40200])).verdict


def test_counts_said_to_be_exact_that_were_measured_otherwise_are_named() -> None:
    name = "smsp__inst_executed.sum"
    here = timed(**{name: 1000, "dram__bytes_read.sum": 5})
    there = measured([20000, 20000], **{name: [1001.0], "dram__bytes_read.sum": [5.0]})
    for found in (gpusim.diff(here, there), gpusim.diff(there, here)):
        assert [change.key for change in found.wrong] == [name]
        assert "Predicted as exact, and measured otherwise: smsp__inst_executed.sum" in repr(found)
    other = measured([20000, 20000], "copy N=8", **{name: [1001.0]})
    assert gpusim.diff(here, MeasuredLaunch("copy", {}, "copy", metrics=other.metrics)).wrong == ()


def test_a_measurement_elsewhere_is_not_of_the_same_launch() -> None:
    there = measured([20000, 20100])
    for gpu, cache, same in (("h200", "cold", True), ("h100-sxm", "cold", False), ("h200", "warm", False)):
        side = measured_side(there, gpu, cache)
        assert ("is predicted to take" in gpusim.diff(timed(), side).verdict) == same
    other = replace(there, launch={"kernel": "matmul-tiled", "params": {"M": 500, "N": 500, "K": 500, "T": 32}})
    assert gpusim.diff(timed(), other).verdict.startswith("The times of A and B are not told apart")


def test_what_was_measured_is_never_called_a_claim() -> None:
    found = gpusim.diff(timed(), measured([20000, 20100]))
    assert {row["claim_b"] for row in found.to_dict()["metrics"]} == {"measured"}
    assert {row["claim_a"] for row in found.to_dict()["metrics"]} == {"calibrated"}
    assert set(found.to_dataframe()["claim_b"]) == {"measured"}


def test_a_measurement_without_counters_has_its_time_between_events() -> None:
    found = gpusim.diff(
        MeasuredLaunch("copy", {}, seconds=[2e-5, 2.1e-5]), MeasuredLaunch("copy", {}, seconds=[1e-5] * 2)
    )
    assert found.time is not None
    assert found.time.ratio == pytest.approx(1e-5 / 2.05e-5)
    assert "measured between events" in repr(found)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (42, "diff takes profiles"),
        ({"a": 1}, "neither a prediction nor a measurement"),
        (MeasuredLaunch("copy", {}, error="no such kernel"), "nothing was measured: no such kernel"),
        (MeasuredLaunch("copy", {}), "nothing was measured"),
        (MeasuredLaunch("copy", {}, metrics={"mine": [1.0]}), "have no figure in common"),
    ],
)
def test_what_cannot_be_compared_is_refused(given: object, says: str) -> None:
    with pytest.raises(GpusimError, match=says):
        gpusim.diff(timed(), given)  # type: ignore[arg-type]


# ---------------------------------------------------------------- limits


def test_limits_are_exceeded_by_more_than_they_say() -> None:
    found = gpusim.diff(timed(20000), timed(22000, **{"dram__bytes_read.sum": 0}), why=False)
    assert found.exceeded("time>10%", "dram_bytes_read>0%") == []
    (text,) = found.exceeded("time>9.9 %", "cycles > 50%")
    assert text == "time grew by 10 %, from 10.0 us to 11.0 us: the limit is 9.9 %"
    (text,) = gpusim.diff(found.b, found.a, why=False).exceeded("dram__bytes_read.sum>1000%")
    assert "grew from nothing" in text


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ("time", "is no limit"),
        ("time>", "is no limit"),
        ("time>5", "'time>5' says not of what: 'time>5%' is 5 % more than A has"),
        ("cycles > 1000", "'cycles>1000%' is 1000 % more"),
        (5, "5 is no limit"),
        (None, "None is no limit"),
        (["time>5%"], "is no limit"),
        ("time>-5%", "is no limit"),
        ("tim>5%", "did you mean time"),
        ("texture_hit_rate>5%", "is not known of A"),
    ],
)
def test_limits_that_cannot_be_held_are_refused(limit: str, says: str) -> None:
    with pytest.raises(GpusimError, match=says):
        gpusim.diff(timed(), timed(), why=False).exceeded(limit)


def test_figures_that_are_not_known_do_not_appear() -> None:
    found = gpusim.diff(timed(), timed(30000), why=False)
    assert not any(math.isnan(change.a) or math.isnan(change.b) for change in found.levels)
