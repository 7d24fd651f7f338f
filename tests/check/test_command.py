"""What does ``gpusim check`` show, write, refuse, and how does it end?"""

from __future__ import annotations

import json

import pytest

from gpusim.cli import main
from tests.ask.documents import faults as schema_faults
from tests.check.observed import WORDS, beyond, race


@pytest.fixture
def check(source, monkeypatch):
    """Run the command on the source, with more words."""
    monkeypatch.chdir(source.parent)

    def run(*words):
        return main(["check", "reverse.cu", *WORDS, *words])

    return run


def test_it_ends_with_0_where_nothing_is_found_and_with_1_where_something_is(check, observing, capsys):
    observing()
    assert check() == 0
    assert "nothing found" in capsys.readouterr().out
    observing(lambda launch: [race(launch)])
    assert check() == 1
    assert "reverse.cu:6" in capsys.readouterr().out
    observing(ended="it never ends")
    assert check() == 1


def test_options_reach_the_run(check, observing):
    checks = observing()
    assert check("--tool", "racecheck", "--tool", "initcheck", "--blocks", "5", "--limit", "9") == 0
    assert [str(tool) for tool in checks[0]["tools"]] == ["racecheck", "initcheck"]
    assert (checks[0]["most_blocks"], checks[0]["limit"]) == (5, 9)


def test_several_gpus_are_checked_one_after_the_other(check, observing, capsys):
    assert observing() == []
    assert check("--gpu", "h200,a100-40gb") == 0
    assert capsys.readouterr().out.count("nothing found") == 2


def test_json_and_sarif_are_written_whole(check, observing, tmp_path):
    observing(lambda launch: [race(launch), beyond(launch)])
    assert check("--json", "out.json", "--sarif", "out.sarif") == 1
    assert schema_faults(json.loads((tmp_path / "out.json").read_text()), "check") == []
    log = json.loads((tmp_path / "out.sarif").read_text())
    assert [one["ruleId"] for one in log["runs"][0]["results"]] == ["out-of-bounds", "race-raw"]


def test_json_on_standard_output_stands_alone(check, observing, capsys):
    observing(lambda launch: [race(launch)])
    assert check("--json", "-") == 1
    assert len(json.loads(capsys.readouterr().out)["checks"]) == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--tool", "memchek"], "unknown tool 'memchek': did you mean memcheck"),
        (["--json", "out", "--sarif", "out"], "--json and --sarif name the same file"),
        (["--sarif", "no/such/folder/out"], "--sarif no/such/folder/out: there is no folder"),
        (["--only", "x"], "--only is for launch files"),
        (["--gpu", "h20"], "did you mean h200"),
        (["--launches", "some.json"], "FILE is for a single launch"),
    ],
)
def test_bad_input_ends_with_2_and_a_line(check, observing, capsys, words, says):
    observing()
    assert check(*words) == 2
    error = capsys.readouterr().err
    assert says in error
    assert len(error.splitlines()) == 1


def test_without_a_source_it_says_what_it_takes(capsys):
    assert main(["check"]) == 2
    assert "check needs a CUDA source (.cu), or a kernel" in capsys.readouterr().err


def test_a_described_kernel_is_checked_too(observing, capsys):
    checks = observing()
    assert main(["check", "vector-add", "--N", "256"]) == 0
    assert checks[0]["launch"].outputs == ("c",)
    assert "vector-add" in capsys.readouterr().out


def write_launches(source, *launches):
    arguments = ["a=normal:128", "b=zeros:128", "n=3"]
    one = {"source": source.name, "grid": [2], "block": [64], "args": arguments}
    path = source.parent / "launches.json"
    path.write_text(json.dumps([{**one, **launch} for launch in launches]))
    return path


def test_a_launch_file_is_checked_launch_by_launch(source, observing, capsys, tmp_path):
    observing(lambda launch: [race(launch)] if launch.grid[0] == 3 else [])
    path = write_launches(source, {"id": "good"}, {"id": "bad", "grid": [3]})
    assert main(["check", "--launches", str(path), "--json", str(tmp_path / "out.json")]) == 1
    out = capsys.readouterr().out
    assert "good: reverse" in out
    assert "bad: reverse" in out
    written = json.loads((tmp_path / "out.json").read_text())
    assert [(one["id"], one["clean"]) for one in written["checks"]] == [("good", True), ("bad", False)]
    assert main(["check", "--launches", str(path), "--only", "good"]) == 0


def test_a_launch_that_cannot_be_run_is_told_and_the_others_are_checked(source, observing, capsys, tmp_path):
    observing()
    path = write_launches(source, {"id": "good"}, {"id": "large", "block": [4096]})
    assert main(["check", "--launches", str(path), "--json", str(tmp_path / "out.json")]) == 2
    told = capsys.readouterr()
    assert "good: reverse" in told.out
    assert "gpusim: large: " in told.err
    written = json.loads((tmp_path / "out.json").read_text())
    assert schema_faults(written, "check") == []
    assert [one["id"] for one in written["failed"]] == ["large"]
    assert main(["check", "--launches", str(path), "--only", "large"]) == 2
    assert "none of 1 launches could be run" in capsys.readouterr().err
