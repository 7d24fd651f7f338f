"""``gpusim emit``: the source that is printed or written."""

import json

import pytest

import gpusim
from gpusim.catalogue import lookup
from gpusim.cli import main


def test_the_source_is_printed_and_nothing_else(capsys):
    assert main("emit matmul-tiled --tile 16".split()) == 0
    assert capsys.readouterr().out == lookup.get("matmul-tiled").kernel.emit(T=16)


def test_the_source_is_written_whole(tmp_path, capsys):
    out = tmp_path / "k.cu"
    assert main(["emit", "matmul-tiled", "--T=8", "--name", "mine", "-o", str(out)]) == 0
    assert capsys.readouterr().out == ""
    assert out.read_text() == lookup.get("matmul-tiled").kernel.emit(T=8, name="mine")
    assert [path.name for path in tmp_path.iterdir()] == ["k.cu"]


@pytest.mark.usefixtures("compiler")
def test_what_is_printed_can_be_profiled_and_moves_what_is_predicted(tmp_path, capsys):
    out = tmp_path / "k.cu"
    sizes = [f"--arg=int32:{size}" for size in (64, 32, 96)]
    arrays = [f"--arg=float32:normal:{count}" for count in (64 * 32, 32 * 96, 64 * 96)]
    assert main(["emit", "matmul-tiled", "--tile", "16", "-o", str(out)]) == 0
    assert main(["profile", str(out), "--grid=6,4", "--block=256", *arrays, *sizes, "--json=-"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["profiles"]
    wanted = gpusim.predict("matmul-tiled", M=64, K=32, N=96, T=16)
    for name in ("global_load_bytes", "global_store_bytes"):
        assert found["derived"][name] == getattr(wanted, name)
    of_arrays = sum(array["dram_bytes"] for array in found["arrays"])
    assert of_arrays == sum(array.dram_bytes for array in wanted.arrays) == 4 * (64 * 32 + 32 * 96)
    assert found["derived"]["dram_bytes_read"] > of_arrays  # by its code


@pytest.mark.parametrize("name", sorted(algorithm.name for algorithm in lookup.all(hidden=True)))
def test_every_kernel(name, capsys):
    assert main(["emit", name]) == 0
    assert "__global__" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("emit", "Missing argument"),
        ("emit matmul-tilde", "unknown kernel 'matmul-tilde'"),
        ("emit matmul-tiled --tile 8,16", "emit takes one value of a parameter, not 2 of --tile"),
        ("emit matmul-tiled --tile 64", "1024"),
        ("emit matmul-tiled --tiel 8", "unknown parameter of matmul-tiled 'tiel'"),
        ("emit matmul-tiled -o nowhere/k.cu", "--output nowhere/k.cu: there is no folder nowhere"),
    ],
)
def test_what_is_wrong_is_one_line_and_status_2(capsys, command, says):
    assert main(command.split()) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line
