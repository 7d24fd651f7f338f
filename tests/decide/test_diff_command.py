"""``gpusim diff``: how the two are named, what is refused in one line, and when a limit ends it with status 1."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from gpusim.cli import main
from gpusim.measured import measurement
from tests.decide.made import timed

SAXPY = "__global__ void saxpy(int n, const float *x, float *y) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
OLD = SAXPY + "if (i < n) y[i] += x[i];\n}\n"
NEW = SAXPY + "\n\nif (i < n) y[i] += x[(i * 8) % n];\n}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, cycles in (("slow", 20000), ("quick", 12000)):
        document = {"gpusim": "0", "profiles": [timed(cycles).to_dict()]}
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    (tmp_path / "two.json").write_text(json.dumps({"profiles": [timed(n).to_dict() for n in (20000, 12000)]}))
    return tmp_path


def typed(line: str) -> int:
    return main(["diff", *shlex.split(line)])


def first(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.partition("\n")[0]


@pytest.mark.parametrize(
    "line",
    [
        "slow.json quick.json",
        "two.json#1 two.json#2",
        "slow.json two.json#2 --json -",
        "slow.json quick.json --fail-on 'time>5%' --fail-on 'dram_bytes_read>0%'",
    ],
)
def test_files_are_compared(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(line) == 0
    assert "B takes 0.60 of A's time" in capsys.readouterr().out


def test_json_has_everything(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("slow.json quick.json --json out.json --fail-on 'cycles>0%'") == 0
    written = json.loads((folder / "out.json").read_text())
    assert written["diff"]["verdict"] == first(capsys)
    assert written["diff"]["time"]["ratio"] == pytest.approx(0.6)
    assert written["exceeded"] == []
    assert {"a", "b", "why", "no_why", "levels", "metrics", "lines", "arrays", "settings"} <= written["diff"].keys()


def test_nothing_changes_between_a_file_and_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("slow.json slow.json --fail-on 'time>0%'") == 0
    assert first(capsys) == "Nothing changed: both take 10.0 us."


def test_a_limit_that_is_exceeded_ends_with_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert typed("quick.json slow.json --fail-on 'time>5%' --fail-on 'dram_bytes_read>0%'") == 1
    shown = capsys.readouterr()
    assert shown.err == "gpusim: time grew by 66.7 %, from 6.00 us to 10.0 us: the limit is 5 %\n"
    assert shown.out.startswith("B takes 1.67 times A's time")


@pytest.mark.parametrize(
    "line",
    [
        "transpose-shared transpose-padded --n 64",
        "'transpose-shared --n 64' 'transpose-padded --n 64'",
        "'transpose-shared' 'transpose-padded' --n=64 --no-why",
        "transpose-shared --n 64,96",
        "'copy --block 64' 'copy --block 128' --n 4096",
        "copy copy-vec4 --block 64 --n 4096 --cache warm",
        "copy copy-vec4 --n 4096 --quick",
        "transpose-shared --n 64 --gpu h200,a100-40gb",
        "sin2cos2-unfused sin2cos2 --n 4096",
        "'copy --n 4096' slow.json --no-why",
    ],
)
def test_kernels_are_predicted_and_compared(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(line) == 0
    head = capsys.readouterr().out
    assert "A, predicted: " in head
    assert "B, predicted: " in head


def test_a_measured_launch_is_compared_with_a_prediction(capsys: pytest.CaptureFixture[str]) -> None:
    path = measurement.shipped("h200")
    assert path is not None
    ids = [launch.id for launch in measurement.read(path).launches]
    name = "copy N=1048576 B=256"
    assert name in ids
    assert typed(f"'h200#{name}' 'copy --n 1048576'") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("B is predicted to take ")
    assert "A, measured: copy N=1048576 B=256" in shown
    assert typed(f"'{path}#{name}' 'h200#{ids[0]}'") == 0
    assert "measured / predicted" not in capsys.readouterr().out


@pytest.mark.usefixtures("compiler")
def test_sources_share_the_options_of_their_launch(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "old.cu").write_text(OLD)
    (folder / "new.cu").write_text(NEW)
    given = "--grid 64 --block 256 --arg n=16384 --arg x=normal:n --arg y=ones:n"
    assert typed(f"old.cu new.cu {given}") == 0
    shown = capsys.readouterr().out
    assert "L1 global loads: sectors" in shown
    assert "new.cu:4" in shown
    assert typed(f"'old.cu --grid 64' 'old.cu --grid 32' {given.removeprefix('--grid 64')} --no-why") == 0
    assert "grid 64 -> 32" in capsys.readouterr().out
    assert typed(f"old.cu copy --n 16384 {given} --no-why") == 0
    assert "B, predicted: copy  N=16384 B=256" in capsys.readouterr().out
    assert typed(f"'old.cu --grid 64' new.cu {given}") == 2
    assert "--grid is given twice: for old.cu --grid 64, and for both" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "compares two things, not none"),
        ("slow.json", "compares two things, not 1: slow.json"),
        ("slow.json quick.json two.json#1", "compares two things, not 3"),
        ("transpose-shared --n 64 --gpu h200,a100-40gb,h100-sxm", "not 3: transpose-shared"),
        ("transpose-shared --n 64,96,128", "compares two things, not 3"),
        ("missing.json slow.json", "missing.json: cannot be read: No such file"),
        ("two.json slow.json", "two.json: holds 2 results: two.json#1 to two.json#2 choose one"),
        ("two.json#3 slow.json", "there are 2 results"),
        ("h200#zzz slow.json", "unknown result"),
        ("transpose-shard transpose-padded", "did you mean transpose-shared"),
        ("transpose-shared transpose-padded --m 4 --size 4", "unknown parameter of transpose-shared 'size'"),
        ("transpose-shared transpose-padded --n 64 --n 96", "--n is given twice for both"),
        ("'transpose-shared --n 64' transpose-padded --n 96", "--n is given twice for 'transpose-shared --n 64'"),
        ("'transpose-shared --n' transpose-padded", "option --n needs a value"),
        ("'transpose-padded' ''", "names no kernel"),
        ("slow.json quick.json --n 64", "--n is for a described kernel: neither"),
        ("slow.json quick.json --grid 64", "--grid is for a CUDA source"),
        ("transpose-shared transpose-padded --arg int32:4", "--arg is for a CUDA source"),
        ("'a.cu --bogus 3' slow.json --grid 1 --block 1", "No such option: --bogus"),
        ("old.cu new.cu", "--grid is missing"),
        ("slow.json quick.json --fail-on time", "is no limit: FIGURE>PERCENT% is"),
        ("slow.json quick.json --fail-on 'tme>5%'", "did you mean time"),
        ("slow.json quick.json --json nowhere/out.json", "there is no folder nowhere"),
        ("transpose-shared transpose-padded --quick --sample", "--quick and --sample: take one"),
        ("transpose-shared transpose-padded --gpu h20", "did you mean h200"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(
    line: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(line) == 2
    shown = capsys.readouterr()
    assert says in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_words_with_a_quote_left_open_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "copy 'n", "slow.json"]) == 2
    assert "No closing quotation" in capsys.readouterr().err
