"""Is the same found by ``profile --check``, over MCP and in pytest?"""

from __future__ import annotations

import json

import pytest

from gpusim.cli import main
from gpusim.mcp import tools
from gpusim.mcp.call import Call
from gpusim.pytest_plugin import Checker
from tests.ask.documents import faults as schema_faults
from tests.check.observed import ARGUMENTS, SOURCE, WORDS, race


@pytest.fixture
def profile(source, monkeypatch):
    """Run ``gpusim profile --check`` on the source."""
    monkeypatch.chdir(source.parent)

    def run(*words):
        return main(["profile", "reverse.cu", *WORDS, "--check", *words])

    return run


def test_a_profile_shows_findings_below_its_tables(profile, observing, capsys):
    observing(lambda launch: [race(launch)])
    assert profile() == 1
    out = capsys.readouterr().out
    assert out.index("source line") < out.index("1 finding") < out.index("Put __syncthreads()")


def test_a_profile_of_what_is_right_ends_with_0(profile, observing, capsys):
    observing()
    assert profile() == 0
    assert capsys.readouterr().out.rstrip().endswith("2 of 2 blocks run")


def test_a_profile_that_fails_shows_what_is_wrong_all_the_same(source, observing, capsys):
    observing(lambda launch: [race(launch)])
    words = [word.replace("a=normal:128", "a=normal:8") for word in WORDS]
    assert main(["profile", str(source), *words, "--check", "--limit", "1"]) == 2
    told = capsys.readouterr()
    assert "read after write" in told.out
    assert len(told.err.splitlines()) == 1


def test_json_of_a_profile_has_what_is_wrong(profile, observing, tmp_path):
    observing(lambda launch: [race(launch)])
    assert profile("--json", "out.json") == 1
    written = json.loads((tmp_path / "out.json").read_text())
    assert schema_faults(written, "profiles") == []
    assert [one["kind"] for one in written["checks"][0]["findings"]] == ["race-raw"]


def test_launch_files_are_not_checked_by_profile(profile, capsys):
    assert main(["profile", "--launches", "some.json", "--check"]) == 2
    assert "--check is for a single launch" in capsys.readouterr().err


def test_a_model_is_told_the_worst_first_and_no_folder(observing, compiler):
    checks = observing(lambda launch: [race(launch)])
    arguments = {"grid": 2, "block": 64, "args": ARGUMENTS, "tools": ["racecheck"]}
    answer = tools.TOOLS["check"](Call(60), source=SOURCE, **arguments)
    assert answer.text.startswith("Worst: read after write at kernel.cu:6: thread (31,0,0) of block (1,0,0) reads")
    assert schema_faults(answer.document, "check") == []
    assert {one["place"]["file"] for one in answer.document["checks"][0]["findings"]} == {"kernel.cu"}
    assert [str(tool) for tool in checks[0]["tools"]] == ["racecheck"]
    assert tools.parameters("check").model_validate({"source": SOURCE, **arguments})


def test_a_model_is_told_that_nothing_was_found(observing):
    observing(blocks_run=1)
    answer = tools.TOOLS["check"](Call(60), kernel="vector-add", params={"N": 512})
    assert answer.text.startswith("Nothing was found in 1 of ")


def test_an_answer_stays_within_its_size(observing, compiler):
    observing(lambda launch: [race(launch, times=n) for n in range(1, 200)])
    answer = tools.TOOLS["check"](Call(60), source=SOURCE, grid=2, block=64, args=ARGUMENTS)
    assert len(answer.text) <= 6000
    assert len(json.dumps(answer.document)) <= 6000


def test_a_test_checks_a_file_of_its_own_folder(source, observing):
    checks = observing()
    check = Checker("a100-40gb", source.parent)
    check("reverse.cu", 2, 64, ARGUMENTS).assert_clean()
    assert checks[0]["gpu"].name == "a100-40gb"
    observing(lambda launch: [race(launch)])
    with pytest.raises(AssertionError, match=r"reverse\.cu:6"):
        check("reverse.cu", 2, 64, ARGUMENTS, gpu="h200").assert_clean()
