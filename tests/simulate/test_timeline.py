"""A timeline says what the engine did, is what viewers read, and changes nothing."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import pairwise

import pytest

import gpusim
from gpusim import hardware
from gpusim.errors import ParameterError
from gpusim.simulate.clock import REASONS

TRACED = ("copy", {"N": 1 << 18})


def predict(kernel, params, **recording):
    return gpusim.predict(kernel, sample=False, timeline=gpusim.Recording(**recording), **params)


@pytest.fixture(scope="module")
def profile():
    return predict("matmul-tiled", {"n": 128, "tile": 16})


def issues(timeline):
    return [event for event in timeline.events if event.kind == "issue"]


def test_nothing_is_recorded_unless_asked_for():
    assert gpusim.predict(TRACED[0], **TRACED[1]).timeline is None


@pytest.mark.parametrize(
    ("kernel", "params"), [TRACED, ("matmul-tiled", {"n": 128, "tile": 16}), ("reduce-shuffle", {"N": 1 << 16})]
)
def test_recording_changes_nothing_and_repeats(kernel, params):
    first, second = predict(kernel, params), predict(kernel, params)
    assert first.metrics == gpusim.predict(kernel, sample=False, **params).metrics
    assert first.timeline == second.timeline


def test_every_instruction_of_the_sm_is_an_issue(profile):
    """An SM of 64 blocks on 132 has one block; all blocks do the same."""
    events = issues(profile.timeline)
    assert len({event.block for event in events}) == 1
    assert len(events) == profile.instructions / profile.blocks
    assert len({event.warp for event in events}) == 8


def test_units_take_as_long_as_the_metrics_say():
    gpu = hardware.load("h200")
    found = predict("copy", {"N": 1 << 20})
    busy = Counter()
    for event in found.timeline.events:
        busy[event.track] += event.cycles
    share = found.value("l1tex__m_l1tex2xbar_req_cycles_active.avg.pct_of_peak_sustained_elapsed") / 100
    of_all = found.blocks / len({event.block for event in found.timeline.events})
    assert busy["wire to L2"] * of_all == pytest.approx(share * found.cycles * gpu.sm_count, rel=1e-3)


def test_nothing_on_a_track_overlaps(profile):
    tracks = defaultdict(list)
    for event in profile.timeline.events:
        tracks[event.track].append((event.begin, event.begin + event.cycles))
    assert set(tracks) <= set(profile.timeline.tracks)
    assert {f"scheduler {k}" for k in range(4)} < set(tracks)
    for spans in tracks.values():
        assert all(end <= begin + 1e-6 for (_, end), (begin, _) in pairwise(sorted(spans)))


def test_waits_are_nsight_computes_reasons_and_do_not_exceed_the_time_between(profile):
    latest = {}
    for event in issues(profile.timeline):
        assert (event.waited_for in REASONS.values()) == (event.waited > 0)
        since = event.begin - latest.get(event.warp, 0)
        assert event.waited <= since + 1e-3
        latest[event.warp] = event.begin
    assert {"barrier", "long_scoreboard"} <= {event.waited_for for event in issues(profile.timeline)}


def test_a_block_holds_its_issues(profile):
    (block,) = (event for event in profile.timeline.events if event.kind == "block")
    inside = issues(profile.timeline)
    assert block.begin <= inside[0].begin
    assert inside[-1].begin < block.begin + block.cycles
    assert block.name == f"block {inside[0].block}"


def test_it_is_in_chromes_trace_event_format(profile):
    trace = json.loads(json.dumps(profile.timeline.to_dict(), allow_nan=False))
    names = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
    assert list(names.values()) == list(profile.timeline.tracks)
    complete = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    assert len(complete) == len(profile.timeline.events)
    assert {e["ph"] for e in trace["traceEvents"]} == {"M", "X"}
    for e in complete:
        assert set(e) == {"ph", "name", "cat", "pid", "tid", "ts", "dur", "args"}
        assert e["pid"] == profile.timeline.sm + 1
        assert e["tid"] in names
        assert e["ts"] >= 0
        assert e["dur"] > 0
        assert e["args"]["cycle"] == e["ts"]
    assert "1 cycle" in trace["otherData"]["time"]


def test_the_first_events_are_kept_and_the_others_counted(profile):
    whole = [event for event in profile.timeline.events if event.kind != "block"]
    part = predict("matmul-tiled", {"n": 128, "tile": 16}, events=100).timeline
    kept = [event for event in part.events if event.kind != "block"]
    assert len(kept) == 100
    assert kept == whole[:100]
    assert len(kept) + part.left_out == len(whole)
    assert f"{part.left_out} later ones left out" in part.summary


def test_recording_begins_where_it_is_told(profile):
    first, last = profile.timeline.span
    middle = int(first + last) // 2
    part = predict("matmul-tiled", {"n": 128, "tile": 16}, start=middle).timeline
    assert issues(part) == [event for event in issues(profile.timeline) if event.begin >= middle]


def test_any_sm_may_be_shown(profile):
    other = predict("copy", {"N": 1 << 20}, sm=7).timeline
    assert other.sm == 7
    assert issues(other)


@pytest.mark.parametrize(
    ("recording", "says"),
    [
        ({"sm": 132}, "a timeline of SM 132: h200 has SMs 0 to 131"),
        ({"start": 10**9}, "from cycle 1000000000 on: it does nothing"),
    ],
)
def test_what_cannot_be_shown_is_refused(recording, says):
    with pytest.raises(ParameterError, match=says):
        predict("vector-add", {"N": 1024}, **recording)


@pytest.mark.parametrize("wrong", [{"sm": -1}, {"start": -1}, {"events": 0}])
def test_a_recording_that_makes_no_sense_is_refused(wrong):
    ((name, value),) = wrong.items()
    with pytest.raises(ParameterError, match=f"a timeline's {name} = {value}: it must be {value + 1} to "):
        gpusim.Recording(**wrong)


def test_of_a_long_launch_the_stretch_that_is_timed_is_shown(monkeypatch):
    from gpusim.simulate import counting
    from gpusim.simulate.window import WINDOW

    monkeypatch.setattr(counting, "MOST_TIMED", 1e5)
    monkeypatch.setattr(counting, "WINDOW", WINDOW._replace(most=2e5))
    found = gpusim.predict("matmul-tiled", n=256, tile=16, timeline=gpusim.Recording())
    assert found["gpc__cycles_elapsed.max"].claim is gpusim.Claim.EXTRAPOLATED
    assert "a stretch from the middle of the launch" in found.timeline.summary
    assert issues(found.timeline)
