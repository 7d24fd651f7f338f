"""Does a command that was given before answer from what is kept, say so, and simulate anew where it is asked to?"""

import json
import re

import pytest

from gpusim.cli import main
from gpusim.kept.store import FORGET
from gpusim.simulate import simulation
from tests.profile.running import SAXPY

SAID = r"^Kept from a run of 20\d\d-\d\d-\d\d \d\d:\d\d; --fresh simulates anew\.$"
SOME = r"^{} of {} are kept from earlier runs, the oldest of 20\d\d-\d\d-\d\d \d\d:\d\d; --fresh simulates anew\.$"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A cache folder of each test's own; it is also the current one."""
    monkeypatch.delenv(FORGET, raising=False)
    monkeypatch.setenv("GPUSIM_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def runs(monkeypatch):
    """One entry for each simulation."""
    made, simulate = [], simulation.simulate
    monkeypatch.setattr(simulation, "simulate", lambda *what: made.append(1) or simulate(*what))
    return made


@pytest.fixture
def shown(capsys):
    """Runs a command and gives what it prints."""

    def run(command):
        assert main(command.split()) == 0
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("command", ["predict copy --N 64", "predict attention-standard --H 1 --N 64 --d 32"])
def test_the_same_command_says_the_same_and_that_it_is_kept(shown, runs, command):
    first, second = shown(command), shown(command)
    assert len(runs) == 1
    assert not re.search("Kept|kept", first)
    assert re.search(SAID, second, re.MULTILINE)
    assert second.startswith(first)


def test_fresh_simulates_anew(shown, runs):
    first = shown("predict copy --N 64")
    assert shown("predict copy --N 64 --fresh") == first
    assert shown("predict --fresh copy --N 64") == first
    assert len(runs) == 3


OTHERS = "--N 65", "--N 64 --cache warm", "--N 64 --exact", "--N 64 --gpu a100", "--N 64 --registers 99"


@pytest.mark.parametrize("other", OTHERS)
def test_another_command_is_simulated(shown, runs, other):
    shown("predict copy --N 64")
    assert "ept from" not in shown(f"predict copy {other}")
    assert len(runs) == 2


def test_a_sweep_says_how_much_of_it_is_kept(shown, runs):
    shown("predict copy --N 64")
    assert re.search(SOME.format(1, 2), shown("predict copy --N 64,128"), re.MULTILINE)
    assert re.search(SOME.format(2, 2), shown("predict copy --N 64,128"), re.MULTILINE)
    assert len(runs) == 2


def test_json_has_when_that_was(shown):
    first, second = (json.loads(shown("predict copy --N 64 --json -"))["profiles"][0] for _ in range(2))
    assert first["kept"] is None
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", second["kept"])
    assert second | {"kept": None} == first


@pytest.mark.long
def test_a_scenario_says_so_on_standard_error(capsys, runs):
    outputs = []
    for command in ("scenario divergence", "scenario divergence", "scenario --fresh divergence"):
        assert main(command.split()) == 0
        outputs.append(capsys.readouterr())
    assert outputs[0].out == outputs[1].out == outputs[2].out
    assert re.search("^gpusim: 4 of 4 are kept", outputs[1].err, re.MULTILINE)
    assert "kept" not in outputs[0].err + outputs[2].err
    assert len(runs) == 8


@pytest.mark.usefixtures("compiler")
class TestCuda:
    """Of CUDA sources."""

    LAUNCH = "--grid 1 --block 64 --arg int32:64 --arg float32:2.5 --arg float32:normal:64 --arg float32:ones:64"

    def test_a_source_is_profiled_once(self, folder, shown, runs):
        (folder / "saxpy.cu").write_text(SAXPY)
        first, second = (shown(f"profile saxpy.cu {self.LAUNCH}") for _ in range(2))
        assert len(runs) == 1
        assert "ept from" not in first
        assert re.search(SAID, second, re.MULTILINE)
        shown(f"profile saxpy.cu {self.LAUNCH} --fresh")
        assert len(runs) == 2

    def test_lines_are_those_of_the_source_as_it_is(self, folder, shown, runs):
        (folder / "saxpy.cu").write_text(SAXPY)
        shown(f"profile saxpy.cu {self.LAUNCH}")
        (folder / "saxpy.cu").write_text(SAXPY.replace("a * x[i];", "a * x[i]; // anew"))
        assert "// anew" in shown(f"profile saxpy.cu {self.LAUNCH} --json -")
        assert len(runs) == 2

    def test_a_launch_file_says_which_are_kept(self, folder, shown, runs):
        (folder / "saxpy.cu").write_text(SAXPY)
        args = [{"int32": 64}, {"float32": 2.5}] + [{"buffer": "float32", "count": 64}] * 2
        launches = [
            {"id": f"of {grid}", "source": "saxpy.cu", "grid": [grid, 1, 1], "block": [64, 1, 1], "args": args}
            for grid in (1, 2)
        ]
        (folder / "both.json").write_text(json.dumps(launches))
        shown("profile --launches both.json --only of*1")
        out = shown("profile --launches both.json --json found.json")
        assert re.search(SOME.format(1, 2), out, re.MULTILINE)
        kept = [launch["kept"] for launch in json.loads((folder / "found.json").read_text())["launches"]]
        assert [bool(each) for each in kept] == [True, False]
        assert "ept from" not in shown("profile --launches both.json --fresh")
        assert len(runs) == 4
