"""Sides from files: a prediction that was written says the same as before, and other files are refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gpusim
from gpusim.decide.diff_files import read_side, side_in
from gpusim.decide.diff_sides import side_of
from gpusim.errors import GpusimError
from gpusim.measured import measurement
from gpusim.results.metric import CYCLES
from gpusim.results.traffic import Traffic
from tests.decide.made import timed


def told(found: gpusim.decide.diff.Diff) -> dict[str, Any]:  # type: ignore[name-defined]
    """Everything but why."""
    return {key: value for key, value in found.to_dict().items() if key not in ("why", "no_why")}


def test_what_was_written_says_the_same_but_for_why() -> None:
    lines = (Traffic("a.cu:1", "x = y[i];", sectors=8, l2_bytes=64),)
    a, b = timed(20000, lines=lines), timed(12000, lines=(Traffic("a.cu:3", "x = y[i];", sectors=4),))
    here = gpusim.diff(a, b)
    there = gpusim.diff(*(json.loads(json.dumps(profile.to_dict())) for profile in (a, b)))
    assert told(there) == told(here)
    assert there.why is None
    assert "A was read from a file, and cannot be run again" in there.no_why
    assert "Why is not known: A was read from a file" in repr(there)


def test_one_of_several_results_is_chosen_by_number_or_name(tmp_path: Path) -> None:
    file = tmp_path / "two.json"
    profiles = [timed(20000), timed(12000, kernel="other")]
    file.write_text(json.dumps({"gpusim": "0", "profiles": [profile.to_dict() for profile in profiles]}))
    assert read_side(file, "2").whole.cycles == 12000
    assert read_side(file, "other").whole.cycles == 12000
    with pytest.raises(GpusimError, match=r"holds 2 results: .*two.json#1 to .*two.json#2 choose one"):
        read_side(file)
    with pytest.raises(GpusimError, match="there are 2 results, from #1 on"):
        read_side(file, "3")
    with pytest.raises(GpusimError, match="did you mean other"):
        read_side(file, "othr")


def test_results_of_one_name_are_told_apart_by_number() -> None:
    with pytest.raises(GpusimError, match="2 results have that name"):
        side_in({"profiles": [timed().to_dict()] * 2}, "two.json", "matmul-tiled")


def test_a_launch_of_a_measurement_is_chosen_by_its_id() -> None:
    path = measurement.shipped("h200")
    assert path is not None
    launch = measurement.read(path).launches[3]
    side = read_side(path, launch.id)
    assert (side.kind, side.name, side.whole.gpu, side.whole.cache) == ("measured", launch.id, "h200", "cold")
    assert side.whole.cycles == launch.value(CYCLES)


def test_a_file_of_launches_says_nothing_of_trust() -> None:
    record = {"id": "mine", "metrics": {CYCLES: 100, "dram__bytes_read.sum": 32}, "notes": [], "error": None}
    document = {"gpu": "h200", "cache": "cold", "launches": [record, {**record, "id": "other"}]}
    a, b = (side_in(document, "l.json", which) for which in ("mine", "other"))
    found = gpusim.diff(a, b).time
    assert found is not None
    assert found.told_apart is None
    assert "does not say how they were simulated" in found.unknown
    assert [of.name for of in gpusim.diff(a, timed(), why=False).settings] == ["kernel"]  # nothing else is known
    failed = {**document, "launches": [{**record, "metrics": {}, "error": "no such kernel"}]}
    with pytest.raises(GpusimError, match=r"l\.json: mine could not be predicted: no such kernel"):
        side_in(failed, "l.json")


def test_advice_that_was_written_tells_why() -> None:
    def advised(cycles: float, without: float) -> dict[str, Any]:
        finding = {"cause": "bank conflicts", "cycles": cycles, "without": without}
        return timed(cycles).to_dict() | {"advice": [finding]}

    found = gpusim.diff(advised(20000, 12000), advised(13000, 12500))
    assert found.why is not None
    assert [(of.cause, of.a, of.b) for of in found.why.reasons] == [("bank conflicts", 8000, 500)]
    assert found.why.other.change == 500


def test_a_file_of_advice_has_times_and_why_alone() -> None:
    finding = {"cause": "divergence", "cycles": 500, "without": 300}
    entry = {"kernel": "k", "params": {}, "gpu": "h200", "cache": "cold", "grid": [1, 1, 1], "block": [32, 1, 1]}
    a, b = ({"advice": [entry | {"cycles": cycles, "findings": [finding]}]} for cycles in (500, 400))
    found = gpusim.diff(a, b)
    assert found.verdict == "B takes 0.80 of A's time: 400 cycles instead of 500 cycles (1.25x as fast)."
    assert found.why is not None


def test_a_chain_comes_back_from_its_file() -> None:
    chain = gpusim.predict_chain("sin2cos2-unfused", N=4096)
    here, there = side_of(chain), side_in({"chains": [chain.to_dict()]})
    assert len(here.steps) > 1
    assert here.whole.dram_bytes_read == sum(step.dram_bytes_read for step in chain.steps)
    found = gpusim.diff(here, there)
    assert found.is_unchanged
    assert found.a.whole.seconds == pytest.approx(chain.seconds)


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ([], "neither a prediction nor a measurement"),
        (7, "neither a prediction nor a measurement"),
        ({"diff": {}}, "neither a prediction nor a measurement"),
        ({"profiles": [{"kernel": "k", "metrics": {"m": {"value": 1}}}]}, "neither a prediction nor a measurement"),
        ({"profiles": []}, "holds no results"),
        ({"format": "gpusim measurement", "version": 99}, "version 99"),
    ],
)
def test_other_files_are_refused(document: Any, says: str, tmp_path: Path) -> None:
    file = tmp_path / "it.json"
    file.write_text(json.dumps(document))
    with pytest.raises(GpusimError, match=says):
        read_side(file)


@pytest.mark.parametrize(("text", "says"), [("{", "no JSON"), ("\ud800".encode("utf-8", "surrogatepass"), "not UTF-8")])
def test_what_is_no_json_is_refused(text: str | bytes, says: str, tmp_path: Path) -> None:
    file = tmp_path / "it.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(GpusimError, match=says):
        read_side(file)
    with pytest.raises(GpusimError, match="cannot be read"):
        read_side(tmp_path / "missing.json")
