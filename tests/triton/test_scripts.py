"""Programs that launch Triton's kernels, each of which holds its results against PyTorch or NumPy itself."""

import runpy
from pathlib import Path

import pytest

pytest.importorskip("triton", reason="gpusim[triton] is not installed")

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_computes_what_it_says_and_ends_with_a_table_of_its_launches(script, capsys):
    if "import torch" in script.read_text():
        pytest.importorskip("torch", reason="PyTorch is not installed")
    gpu = runpy.run_path(str(script))["gpu"]
    gpu.close()
    shown = capsys.readouterr().out
    assert f"{len(gpu.launches)} launches on h100-sxm" in shown
    assert all(launch.kernel in shown for launch in gpu.launches)


def test_there_is_a_script_of_each_of_the_tutorials_kinds():
    assert len(SCRIPTS) >= 10
