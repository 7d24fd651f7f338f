"""Does a measurement come back from its file as it went, and is a file that is none refused?"""

import json
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpusim.measured import measurement
from gpusim.measured.measurement import MeasuredLaunch, Measurement, is_held_out
from tests.measure.standin import H200

NUMBERS = st.floats(0, 1e15) | st.integers(0, 10**15)
RUNS = st.lists(NUMBERS, min_size=3, max_size=3) | NUMBERS.map(lambda x: [x] * 3)
LAUNCHES = st.builds(
    MeasuredLaunch,
    id=st.text(min_size=1),
    launch=st.just({"kernel": "copy", "params": {"N": 8}}),
    kernel=st.just("copy_words"),
    grid=st.just((1, 2, 3)),
    block=st.just((32, 1, 1)),
    metrics=st.dictionaries(st.sampled_from(["dram__bytes_read.sum", "smsp__inst_executed.sum"]), RUNS),
    seconds=st.lists(st.floats(1e-9, 1)),
    sm_hz=st.none() | st.just(1.98e9),
    values=st.sampled_from(["", "match"]),
    error=st.none() | st.just("failed"),
)


def measured(*launches):
    return Measurement(H200, "2026-11-25", "cold", "NVRTC 13.0", "", 2e-6, list(launches), "0.1.0")


def folded(launch):
    """With one number for runs that came to the same, as files have it."""
    runs = {name: values[:1] if len(set(values)) == 1 else values for name, values in launch.metrics.items()}
    return replace(launch, metrics=runs, runs=max(map(len, runs.values()), default=0))


@given(st.lists(LAUNCHES, max_size=3))
def test_a_file_gives_back_what_was_written(launches):
    found = measurement.parse(measured(*launches).to_text(), "x.json")
    assert found == measured(*map(folded, launches))


def test_how_often_it_was_counted_is_kept_though_all_runs_are_alike():
    launch = MeasuredLaunch("a", {}, metrics={"smsp__inst_executed.sum": [8, 8, 8]}, runs=3)
    assert measurement.parse(measured(launch).to_text(), "x.json").launches[0].runs == 3


def test_a_launch_is_a_line():
    lines = measured(MeasuredLaunch("a", {}), MeasuredLaunch("b", {})).to_text().splitlines()
    assert [json.loads(line.rstrip(","))["id"] for line in lines if line.startswith("  {")] == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda raw: raw.update(format="other"), "not a measurement"),
        (lambda raw: raw.update(version=9), "version 9; this gpusim reads 1"),
        (lambda raw: raw["device"].pop("arch"), "device.arch: Field required"),
        (lambda raw: raw["launches"][0].update(seconds="soon"), "launches[0].seconds"),
        (lambda raw: raw["launches"][0].update(metrics={"m": "many"}), "launches[0].metrics.m"),
        (lambda raw: raw.update(launches=[7]), "launches[0]"),
        (lambda raw: raw.update(cache="lukewarm"), "x.json: cache: must be cold, warm or flushed, not 'lukewarm'"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(change, says):
    raw = json.loads(measured(MeasuredLaunch("a", {}, seconds=[1.0])).to_text())
    change(raw)
    with pytest.raises(measurement.MeasurementError) as caught:
        measurement.parse(json.dumps(raw), "x.json")
    assert says in str(caught.value)


CYCLES, HBM = "gpc__cycles_elapsed.max", "dram__bytes_read.sum"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"metrics": {HBM: -1}}, f"{HBM}: must be 0 or more, not -1"),
        ({"metrics": {HBM: [1, math.nan]}}, f"{HBM}: must be 0 or more, not nan"),
        ({"metrics": {CYCLES: [7, math.inf]}}, f"{CYCLES}: must be above 0, not inf"),
        ({"metrics": {CYCLES: [7, 0]}}, f"{CYCLES}: must be above 0, not 0"),
        ({"metrics": {"gpu__time_duration.sum": 0}}, "gpu__time_duration.sum: must be above 0, not 0"),
        ({"metrics": {HBM: []}}, f"{HBM}: a value is missing"),
        ({"seconds": [1e-6, -1e-6]}, "seconds: must be above 0, not -1e-06"),
        ({"sm_hz": -1}, "sm_hz: must be 0 or more, not -1"),
        ({"celsius": math.nan}, "celsius: must be -273.15 or more, not nan"),
    ],
)
def test_what_no_gpu_gives_is_refused_with_launch_and_metric(change, says):
    raw = json.loads(measured(MeasuredLaunch("fine", {}), MeasuredLaunch("a b", {})).to_text())
    raw["launches"][1].update(change)
    with pytest.raises(measurement.MeasurementError) as caught:
        measurement.parse(json.dumps(raw), "x.json")
    assert str(caught.value) == f"x.json: launch 'a b': {says}"


@pytest.mark.parametrize("seconds", [0, -1, math.inf])
def test_an_empty_launch_takes_some_time(seconds):
    raw = json.loads(measured().to_text()) | {"overhead_seconds": seconds}
    with pytest.raises(measurement.MeasurementError, match=r"x\.json: overhead_seconds: must be above 0, not"):
        measurement.parse(json.dumps(raw), "x.json")


def test_files_that_are_no_json(tmp_path):
    for content, says in ((b"{", "no JSON"), (b"\xff\xfe\x00", "is not UTF-8 text"), (b"[]", "not a measurement")):
        file = tmp_path / "x.json"
        file.write_bytes(content)
        with pytest.raises(measurement.MeasurementError, match=says):
            measurement.read(file)
    with pytest.raises(measurement.MeasurementError, match="No such file"):
        measurement.read(tmp_path / "none.json")


def test_a_third_is_held_out_whatever_the_names():
    share = sum(is_held_out(f"kernel {n}") for n in range(3000)) / 3000
    assert 0.3 < share < 0.37


def test_median_and_spread_are_of_the_runs():
    launch = MeasuredLaunch("a", {}, metrics={"m": [10, 12, 11], "same": [4, 4], "once": [0, 0, 1]})
    assert (launch.value("m"), launch.value("same")) == (11, 4)
    assert launch.spread("m") == pytest.approx(2 / 11)
    assert (launch.spread("same"), launch.spread("once")) == (0, 1)


def test_what_comes_with_gpusim_is_whole():
    found = measurement.read(measurement.shipped("h200"))
    assert measurement.shipped("p100") is None
    assert len(found.launches) >= 200
    assert {launch.values for launch in found.launches} == {"match"}
    assert not [launch.id for launch in found.launches if launch.error or len(launch.seconds) < 20]
    assert len({launch.id for launch in found.launches}) == len(found.launches)
    assert (found.device.gpu, found.cache) == ("h200", "cold")
