"""``--guess`` shows what it guessed, ``--set`` fills variables, and what is wrong with either is one line."""

import pytest

from gpusim.cli import main

SOURCE = """
__constant__ float by; struct P { float *x; int n; };
__global__ void scale(P p) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < p.n) p.x[i] *= by; }
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "scale.cu").write_text(SOURCE)
    return str(tmp_path / "scale.cu")


@pytest.mark.usefixtures("compiler")
def test_guesses_are_shown_as_options_that_work(file, capsys):
    assert main(["profile", file, "--guess", "--arg", "p.n=1000", "--set", "by=2"]) == 0
    said = capsys.readouterr()
    assert said.err.strip() == "guessed: --grid 4 --block 256 --arg p.x=zeros:1024"
    given = said.err.split()[1:]
    assert main(["profile", file, *given, "--arg", "p.n=1000", "--set", "by=2"]) == 0
    note = "not given, and guessed: grid, block, p.x\n"
    assert note in said.out
    assert capsys.readouterr().out == said.out.replace(note, "")


@pytest.mark.usefixtures("compiler")
def test_a_constant_that_nobody_fills_is_named(file, capsys):
    assert main(["profile", file, "--guess", "--arg", "p.n=1000"]) == 0
    assert "warning: __constant__ by (4 bytes) is read" in capsys.readouterr().out


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--set", "bye=2"], "has no variable 'bye': did you mean by?"),
        (["--set", "float32:2"], "a variable is told by name"),
        (["--arg", "p.m=2"], "no such parameter"),
        (["--grid", "ceildiv(n,256)"], "n has no value here"),
    ],
)
def test_what_is_wrong_is_one_line(file, capsys, options, says):
    assert main(["profile", file, "--guess", *options]) == 2
    complaint = capsys.readouterr().err.strip().splitlines()[-1]
    assert complaint.startswith("gpusim: ")
    assert says in complaint
