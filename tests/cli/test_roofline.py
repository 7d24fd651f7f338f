"""gpusim roofline: kernels below the roofs of GPUs and CPUs, and what cannot stand there in a line."""

import json

import pytest

from gpusim.cli import main


def shown(capsys, *words):
    status = main(["roofline", *words])
    out, err = capsys.readouterr()
    assert status == 0, err
    return out


def refused(capsys, *words):
    assert main(["roofline", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err.removeprefix("gpusim: ").strip()


def test_kernels_and_gpus_have_a_row_a_level(capsys):
    out = shown(capsys, "matmul-tiled", "convolution", "--n", "64", "--gpu", "h200,a100-40gb")
    lines = out.splitlines()
    assert lines[0].split() == "kernel level FLOPs bytes FLOP/byte FLOP/s roof share bound".split()
    assert sum("HBM " in line and "%" in line and "compute" in line for line in lines) > 0
    assert [line.split()[0] for line in lines if " L1 " in line[:30]] == ["matmul-tiled"] * 2 + ["convolution"] * 2
    assert "convolution L=1 C=16 K=16 M=64 N=64 R=3 S=3 X=32 Y=8 on a100-40gb" in out


def test_a_convolution_has_its_flops_and_its_lowest_roof_is_that_of_l1(tmp_path, capsys):
    shown(capsys, "convolution", "--n", "64", "--json", str(tmp_path / "r.json"))
    marks = json.loads((tmp_path / "r.json").read_text())["marks"]
    assert {mark["flops"] for mark in marks} == {2 * 16 * 16 * 64 * 64 * 3 * 3}
    assert min(marks, key=lambda mark: mark["roof_flops_per_s"])["level"] == "L1"
    for mark in marks:
        assert mark["share"] == pytest.approx(mark["flops_per_s"] / mark["roof_flops_per_s"])
        assert mark["flops_per_byte"] == pytest.approx(mark["flops"] / mark["bytes"])
        assert mark["interval"]["low"] < mark["interval"]["high"]
        assert mark["bytes_claim"]


def test_what_was_measured_of_the_same_launch_stands_below(tmp_path, capsys):
    out = shown(capsys, "matmul-tiled", "--n", "512", "--quick", "--json", str(tmp_path / "r.json"))
    assert "on h200, measured" in out
    marks = json.loads((tmp_path / "r.json").read_text())["marks"]
    assert [mark["measured"] for mark in marks] == [False] * 3 + [True] * 3
    predicted, measured = marks[2], marks[5]
    assert measured["seconds"] == pytest.approx(predicted["seconds"], rel=0.2)
    assert measured["bytes_claim"] == "measured"
    assert measured["interval"] is None


def test_what_l2_still_holds_is_said(tmp_path, capsys):
    out = shown(capsys, "convolution", "--n", "64", "--json", str(tmp_path / "r.json"))
    assert "of the result are still in L2" in " ".join(out.split())
    notes = [mark["note"] for mark in json.loads((tmp_path / "r.json").read_text())["marks"]]
    assert notes[:2] == ["", ""]
    assert "still in L2" in notes[2]


def test_parameters_in_quotes_are_of_one_kernel(capsys):
    out = shown(capsys, "matmul-tiled --tile 16", "matmul-naive", "--n", "64")
    assert "matmul-tiled M=64 N=64 K=64 T=16 on h200" in out
    assert "matmul-naive M=64 N=64 K=64 T=32 on h200" in out


def test_a_cpu_has_a_roof_and_no_time(capsys):
    out = shown(capsys, "stencil5", "--n", "64", "--gpu", "h200,cpu")
    row = next(line for line in out.splitlines() if line.startswith("stencil5 on epyc-7742"))
    assert row.split()[3] == "DRAM"
    assert row.split()[-1] == "DRAM"
    assert "not predicted" in out


def test_without_a_kernel_the_roofs_alone_are_shown(capsys):
    out = shown(capsys, "--gpu", "a100-40gb,cpu")
    fp16 = next(line for line in out.splitlines() if "tensor fp16" in line)
    assert fp16.split()[-2:] == ["200.6", "–"]
    assert "7.22 TB/s*" in out  # of L2, whose clock is assumed


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["copy", "--N", "64"], "copy computes nothing in floating point: it has no place below a roof of FLOP/s"),
        (["a.cu"], "roofline takes no CUDA source: how many FLOPs a.cu has is not known"),
        (["--n", "64"], "no kernel is named: gpusim kernels lists them"),
        (["matmul-tiled --n 'x"], '"matmul-tiled --n \'x": No closing quotation'),
        (["matmul-tiled", "--n", "64", "--peak", "fp99"], "unknown peak of h200 'fp99': did you mean fp8 or fp32?"),
        (["attention-standard", "--gpu", "cpu"], "attention-standard is a chain of kernels, and epyc-7742 a CPU: "),
        (["--quick"], "--quick is for kernels: gpusim roofline KERNEL"),
        (["--peak", "fp32"], "--peak is for kernels: gpusim roofline KERNEL"),
        (["stencil5", "--gpu", "cpu", "--clock", "1e9"], "--clock is for GPUs: on a CPU nothing is predicted"),
        (["matmul-tiled", "--n", "64", "--gpu", "h20"], "unknown GPU 'h20': did you mean h200?"),
    ],
)
def test_what_has_no_place_is_refused_in_a_line(words, says, capsys):
    found = refused(capsys, *words)
    assert found.split("did you mean")[0].startswith(says.split("did you mean")[0])
