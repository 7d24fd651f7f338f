"""gpusim gpus: one with its sources, several side by side, the memory of each, CPUs."""

import json

import pytest

from gpusim.cli import main


def shown(capsys, *words):
    status = main(["gpus", *words])
    out, err = capsys.readouterr()
    assert status == 0, err
    return out


def test_the_list_names_the_cpus_below(capsys):
    out = shown(capsys)
    assert "validated" in out.splitlines()[0]
    assert "CPUs, as a roofline only" in out
    assert "epyc-7742" in out


def test_two_stand_side_by_side(capsys):
    out = shown(capsys, "h100-pcie", "h100-sxm")
    cores = next(line for line in out.splitlines() if line.startswith("CUDA cores"))
    assert cores.split()[2:] == ["14592", "16896", "1.16"]


def test_three_have_a_ratio_each(capsys):
    out = shown(capsys, "v100", "a100-40gb", "h200")
    assert out.splitlines()[0].split() == ["v100", "a100-40gb", "ratio", "h200", "ratio"]


def test_memory_shows_the_levels(capsys):
    out = shown(capsys, "a100-40gb", "--memory")
    row = next(line for line in out.splitlines() if line.startswith("L1 and shared"))
    assert row.split()[3:12] == ["192", "KiB", "20.25", "MiB", "33", "23", "128", "19.5", "TB/s"]


def test_a_cpu_shows_its_sources(capsys):
    out = shown(capsys, "cpu")
    assert "fp32_flops_per_cycle" in out
    assert "AMD EPYC 7742 product page" in out


def test_json_has_figures_ratios_and_memory(tmp_path, capsys):
    shown(capsys, "a100-40gb", "h200", "--json", str(tmp_path / "g.json"))
    first, second = json.loads((tmp_path / "g.json").read_text())["gpus"]
    assert (first["gpu"], second["gpu"]) == ("a100-40gb", "h200")
    cores = next(one for one in second["figures"] if one["figure"] == "CUDA cores")
    assert cores == {"figure": "CUDA cores", "unit": "1", "value": 16896, "kind": "datasheet", "ratio": 16896 / 6912}
    near = next(one for one in first["memory"] if one["level"] == "L1 and shared")
    assert near["bytes"] == 108 * 192 * 1024


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["h201"], "unknown GPU 'h201': did you mean h200"),
        (["h200", "H200"], "h200 is named twice: compare it with another one"),
        (["--memory"], "--memory needs a GPU: gpusim gpus NAME"),
        (["cpu", "--memory"], "--memory is of GPUs: of the CPU epyc-7742 peak and bandwidth are known alone"),
        (["--json", "-"], "--json needs a GPU: gpusim gpus NAME"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_line(words, says, capsys):
    assert main(["gpus", *words]) == 2
    assert capsys.readouterr().err.startswith(f"gpusim: {says}")
