"""Is what a program's launches do wrong found, with what its memory was at each, and what it never frees?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpusim.cli import main
from gpusim.results.faults import Access, Checked, Fault, Observed, Space
from gpusim.simulate import checking
from gpusim.simulate.execution import compute
from tests.ask.documents import faults as schema_faults
from tests.check.observed import at
from tests.run.conftest import nvcc  # noqa: F401 (a fixture)

PROGRAM = str(Path(__file__).with_name("left.cu"))
pytestmark = pytest.mark.usefixtures("nvcc")


@pytest.fixture
def checks(monkeypatch):
    """Launches that were checked, with what was told of memory; each is computed, and uses what has been freed."""
    calls = []

    def check(launch, gpu, held, *, fresh, freed, together, hear, **how):
        calls.append({"layout": launch.memory.layout, "unwritten": list(fresh), "freed": freed, **how})
        hear(compute(launch, gpu, held, together=together).text)
        access = Access(at(launch, 5), 0, 3)
        faults = [Observed(Fault.FREED, access, None, Space.GLOBAL, first + 8, 4, 2) for first, _ in freed]
        return Checked(tuple(faults), 1, 1)

    monkeypatch.setattr(checking, "check", check)
    return calls


def test_memory_is_known_at_every_launch(checks, capfd, tmp_path):
    assert main(["run", "--check", "--json", str(tmp_path / "out.json"), PROGRAM]) == 1
    told = capfd.readouterr()
    assert told.out.startswith("cudaSuccess\n"), told.err
    first, second = checks
    a, b, c = (first["layout"].address[f"allocation {n}"] for n in (1, 2, 3))
    d = second["layout"].address["allocation 4"]
    assert first["unwritten"] == [(b + 256, b + 512), (c, c + 400)]
    assert (first["freed"], second["freed"]) == ([], [(b, b + 512)])
    assert (d, d + 512) in second["unwritten"]
    assert "allocation 2" not in second["layout"].address
    assert b - (a + 512) >= 512, "no room between allocations"
    assert not b <= d < b + 512, "what was freed was given out again"
    assert "byte 8 of allocation 2, which had 512 bytes" in " ".join(told.out.split())
    written = json.loads((tmp_path / "out.json").read_text())
    assert schema_faults(written, "program") == []
    kinds = [(one["kind"], one["array"], one["nbytes"]) for check in written["checks"] for one in check["findings"]]
    assert kinds == [
        ("use-after-free", "allocation 2", 4), ("leak", "", 400), ("leak", "", 512),
    ]  # fmt: skip


def test_launches_that_are_not_chosen_are_computed_and_count_as_writers(checks, capfd):
    assert main(["run", "--check", "--launch-skip", "1", "--tool", "initcheck", PROGRAM]) == 1
    (only,) = checks
    assert only["unwritten"] == [(only["layout"].address["allocation 4"], only["layout"].address["allocation 4"] + 512)]
    told = capfd.readouterr().out
    assert "1 launches that were not chosen" in told
    assert "never freed" not in told


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--tool", "memcheck"], "--tool is for --check"),
        (["--sarif", "out"], "--sarif is for --check"),
        (["--check", "--every"], "--every is of times, and --check times no launch"),
        (["--check", "--tool", "leaks"], "unknown tool 'leaks'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(capsys, words, says):
    assert main(["run", *words, PROGRAM]) == 2
    assert says in capsys.readouterr().err


def test_a_launch_that_comes_to_no_end_is_told_to_the_program_as_on_a_gpu(monkeypatch, capfd):
    def check(launch, gpu, held, **how):
        fault = Observed(Fault.OUT_OF_BOUNDS, Access(at(launch, 5), 0, 3), None, Space.GLOBAL, 1 << 42, 4)
        return Checked((fault,), 0, 1, ended="left.cu:5: add: out of bounds")

    monkeypatch.setattr(checking, "check", check)
    assert main(["run", "--check", PROGRAM]) == 1
    told = capfd.readouterr()
    assert told.out.startswith("cudaErrorIllegalAddress\n")
    assert "It came to no end: left.cu:5: add: out of bounds." in told.out
    assert told.err == ""


def test_what_volatile_and_uncached_stores_write_is_written_for_launches_that_come(capfd):
    status = main(["run", "--check", str(Path(__file__).with_name("strong.cu"))])
    told = capfd.readouterr()
    assert status == 0, told
    assert told.out.count("nothing found") == 3
