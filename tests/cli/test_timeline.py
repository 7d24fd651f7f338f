"""``--timeline``: what is written, what is said of it, and what is refused how."""

import json

import pytest

from gpusim.cli import main
from tests.profile.running import SAXPY

ARGUMENTS = "--arg int32:1024 --arg float32:2 --arg float32:ones:1024 --arg float32:ones:1024"
PROFILE = f"profile saxpy.cu --grid 4 --block 256 {ARGUMENTS}"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "saxpy.cu").write_text(SAXPY)
    return tmp_path


def run(command):
    return main(command.split())


def said(capsys):
    """The lines on standard error that are not progress."""
    return [line for line in capsys.readouterr().err.splitlines() if not line.endswith(" ...")]


def test_a_prediction_writes_its_timeline_beside_its_table(folder, capsys):
    assert run("predict vector-add --n 65536 --timeline sm.json --timeline-sm 3") == 0
    output = capsys.readouterr()
    assert output.out.startswith("vector-add")
    assert "sm.json: SM 3, cycles " in output.err
    trace = json.loads((folder / "sm.json").read_text())
    assert trace["otherData"]["kernel"] == "vector-add"
    assert trace["otherData"]["gpusim"]
    assert [e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"] == ["SM 3"]
    assert {"LDG", "STG"} <= {event["name"] for event in trace["traceEvents"]}
    assert sorted(path.name for path in folder.iterdir()) == ["saxpy.cu", "sm.json"]


@pytest.mark.usefixtures("compiler")
def test_a_profile_writes_the_instructions_of_the_machine_code(folder):
    assert run(f"{PROFILE} --timeline sm.json --timeline-from 10") == 0
    events = [e for e in json.loads((folder / "sm.json").read_text())["traceEvents"] if e["ph"] == "X"]
    assert {"FFMA", "EXIT"} <= {event["name"] for event in events}
    assert any(event["args"].get("line", "").startswith("saxpy.cu:") for event in events)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--timeline nowhere/t.json", "--timeline nowhere/t.json: there is no folder nowhere"),
        ("--timeline .", "--timeline .: that is a folder"),
        ("--timeline -", "--timeline -: a timeline goes to a file"),
        ("--timeline-sm 3", "--timeline-sm needs --timeline FILE"),
        ("--timeline-from 3", "--timeline-from needs --timeline FILE"),
        ("--timeline t.json --timeline-sm 132", "a timeline of SM 132: h200 has SMs 0 to 131"),
        ("--timeline t.json --timeline-sm 3", "a timeline of SM 3 from cycle 0 on: it does nothing"),
        ("--timeline t.json --timeline-from 1000000", "from cycle 1000000 on: it does nothing"),
        ("--timeline t.json --gpu h200,a100-40gb", "--timeline is of one launch, not of 2"),
    ],
)
def test_what_cannot_be_written_or_shown_is_refused_in_a_line(folder, capsys, options, says):
    assert run(f"predict vector-add --n 256 {options}") == 2
    (line,) = said(capsys)
    assert line.startswith("gpusim: ")
    assert says in line
    assert [path.name for path in folder.iterdir()] == ["saxpy.cu"]


def test_of_many_launches_there_is_none(folder, capsys):
    (folder / "launches.json").write_text("[]")
    assert run("profile --launches launches.json --timeline t.json") == 2
    assert "--timeline is for a single launch" in said(capsys)[0]
