"""Does ``gpusim advise`` take what ``predict`` and ``profile`` do, and show what helps where a reader looks for it?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gpusim
from gpusim.cli import main

COPIED = """\
__global__ void transposed(int n, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int r = i / n, c = i % n;
    if (r < n) y[c * n + r] = x[i];
}
"""
LAUNCH = ["--grid", "64", "--block", "256", "--arg", "n=128", "--arg", "x=normal:n*n", "--arg", "y=zeros:n*n"]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.cu").write_text(COPIED)
    return "mine.cu"


def test_a_cause_without_a_line_has_no_column_for_one() -> None:
    advice = gpusim.predict("transpose-shared", "h200", n=256).advice()
    assert "where" in repr(advice)
    bare = gpusim.predict("copy", "h200", n=300000, block=128).advice()
    assert any(finding.gain >= 0.05 for finding in bare.findings)
    assert not any(finding.places for finding in bare.findings)
    assert "where" not in repr(bare)


@pytest.mark.usefixtures("compiler")
def test_advice_stands_below_the_tables_of_lines(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", source, *LAUNCH, "--advise"]) == 0
    shown = capsys.readouterr().out
    places = [shown.index(text) for text in ("HBM reads", "source line", "array ", "what costs time")]
    assert places == sorted(places)


@pytest.mark.usefixtures("compiler")
def test_what_is_not_given_is_guessed(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", source, "--guess", "--quick", "--json", "advice.json"]) == 0
    found = capsys.readouterr()
    assert found.err.splitlines()[-1].startswith("guessed: --grid ")
    (advice,) = json.loads(Path("advice.json").read_text())["advice"]
    assert advice["kernel"] == "transposed"


@pytest.mark.usefixtures("compiler")
def test_a_launch_file_is_advised_on_launch_by_launch(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    launches = [
        {"id": "mine", "source": source, "grid": [64], "block": [256],
         "args": [{"int32": 128}, *2 * [{"buffer": "float32", "count": 16384, "init": "normal"}]]},
        {"id": "theirs", "kernel": "transpose-shared", "params": {"n": 128}},
        {"id": "lost", "source": "nothere.cu", "grid": [1], "block": [32], "args": []},
    ]  # fmt: skip
    Path("launches.json").write_text(json.dumps(launches))
    assert main(["advise", "--launches", "launches.json"]) == 0
    found = capsys.readouterr()
    assert found.out.index("transposed ") < found.out.index("transpose-shared ")
    assert found.err.startswith("gpusim: lost on h200: nothere.cu: cannot be read")
    assert main(["advise", "--launches", "launches.json", "--only", "lost"]) == 2
    assert main(["advise", "--launches", "launches.json", "--only", "theirs"]) == 0
    assert "transposed " not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "advise needs a kernel"),
        (["copy", "--guess"], "--guess is for a CUDA source"),
        (["copy", "--only", "a"], "--only is for launch files"),
        (["copy", "--launches", "some.json"], "a kernel is for a single launch"),
        (["--launches", "some.json", "--guess"], "--guess is for a single launch"),
        (["copy", "--quick", "--exact"], "--quick and --exact: take one of them"),
        (["mine.cu", "--block", "32"], "--grid is missing: advise needs X,Y,Z (or --launches FILE)"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    words: list[str], says: str, source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line


def test_only_commands_that_take_launch_files_offer_them(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command, offers in (("profile", True), ("measure", True), ("advise", True), ("diff", False), ("sweep", False)):
        words = [command, *[source] * (2 if command == "diff" else 1), "--block", "32"]
        assert main(words) == 2
        assert ("--launches FILE" in capsys.readouterr().err) is offers, command


def test_advice_on_a_part_of_a_launch_says_so_as_predictions_do(capsys: pytest.CaptureFixture[str]) -> None:
    for how in ("--sample", "--exact", "--quick"):
        assert main(["advise", "transpose-shared", "--n", "256", how]) == 0
        assert "what costs time" in capsys.readouterr().out
