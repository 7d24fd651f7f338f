"""Is an option that would be ignored refused, in one line that says what it goes with, before any work is done?"""

from __future__ import annotations

import pytest

from gpusim.cli import main

OF_TEXT = ["C[i] = A[i]", "--i", "4"]
OF_FILES = ["h200#copy N=1048576 B=256", "h200#copy N=300000 B=128"]
OF_SOURCE = ["some.cu", "--grid", "1", "--block", "32", "--kernels", "."]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["sweep", "copy", "--over", "B=64", "--metric", "cycles"], "--metric is what --plot draws"),
        (["sweep", "copy", "--over", "B=64", "--dask", "tcp://h:1", "--jobs", "2"], "--jobs is of this host"),
        (["sweep", *OF_SOURCE, "--over", "A=1"], "--kernels is for described kernels"),
        (["tune", "copy", "--over", "B=64", "--seed", "0"], "--seed decides which points --trials draws"),
        (["tune", "copy", "--over", "B=64", "--quick", "--top", "8"], "--top is how many are predicted in full"),
        (["tune", "copy", "--over", "B=64", "--dask", "tcp://h:1", "--jobs", "2"], "--jobs is of this host"),
        (["tune", "attention-standard", "--over", "d=32", "--quick"], "quick predictions are of one kernel"),
        (["bound", *OF_TEXT, "--memory", "1MB", "--gpu", "h200"], "--gpu has levels of its own"),
        (["bound", *OF_TEXT, "--fast"], "--fast is for a kernel"),
        (["bound", *OF_TEXT, "--fresh"], "--fresh is for a kernel"),
        (["bound", *OF_TEXT, "--kernels", "."], "--kernels is for a kernel"),
        (["bound", "copy", "--fast", "--fresh"], "--fresh is for what is counted"),
        *(
            (["diff", *OF_FILES, *option], f"{option[0]} is for what is predicted")
            for option in (
                ["--gpu", "h200"], ["--cache", "cold"], ["--clock", "1e9"], ["--exact"], ["--sample"], ["--quick"],
                ["--jobs", "1"], ["--kernels", "."], ["--fresh"],
            )
        ),
        (["diff", "a.cu", "b.cu", "--kernels", ".", "--grid", "1", "--block", "32"], "--kernels is for described"),
        (["advise", *OF_SOURCE], "--kernels is for described kernels"),
        (["measure", *OF_SOURCE], "--kernels is for described kernels"),
        (["profile", "--launches", "some.json", "--guess"], "--guess is for a single launch"),
    ],
)  # fmt: skip
def test_an_option_that_decides_nothing_is_refused(words, says, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    found = capsys.readouterr()
    assert found.err.startswith("gpusim: ")
    assert says in found.err
    assert len(found.err.splitlines()) == 1
    assert not found.out


def test_what_was_not_typed_is_not_refused(capsys):
    assert main(["bound", *OF_TEXT, "--memory", "1MB"]) == 0
    assert main(["diff", *OF_FILES]) == 0
    assert "Traceback" not in capsys.readouterr().err
