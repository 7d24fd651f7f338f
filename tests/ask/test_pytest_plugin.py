"""Can a test of somebody else's project hold a kernel's traffic, and does pytest start as fast as without?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.ask.transposes import SLOW

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "testing-kernels.md").read_text(encoding="utf-8")
BLOCKS = re.compile(r'^```(\w+) title="([^"]+)"\n(.*?)^```$', re.DOTALL | re.MULTILINE)
POINTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]


@pytest.fixture
def project(tmp_path):
    """Run pytest in a project of its own, where gpusim is installed with its entry point."""
    installed = tmp_path / "installed" / "gpusim-0.0.dist-info"
    installed.mkdir(parents=True)
    points = "".join(f"{name} = {value}\n" for name, value in POINTS.items())
    (installed / "entry_points.txt").write_text(f"[pytest11]\n{points}")
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: gpusim\nVersion: 0.0\n")
    (installed / "RECORD").write_text("gpusim/__init__.py,,\ngpusim/pytest_plugin.py,,\n")
    path = os.pathsep.join((str(installed.parent), str(ROOT)))
    environment = {**os.environ, "PYTHONPATH": path}
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-config --strict-markers\nfilterwarnings = error\n")

    def run(text="", *options, **files):
        for name, content in {"test_kernels.py": text, **files}.items():
            (folder / name).write_text(content)
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", *options]
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
        return ran.returncode, ran.stdout + ran.stderr

    return run


@pytest.mark.usefixtures("compiler")
def test_the_documented_example_passes(project):
    files = {name: text for _, name, text in BLOCKS.findall(PAGE)}
    assert {"test_transpose.py", "test_right.py", "transpose.cu", "pytest.ini"} <= files.keys()
    status, said = project("", **files)
    assert status == 0, said
    assert re.search(r"\b5 passed", said), said


@pytest.mark.long
@pytest.mark.usefixtures("compiler")
def test_the_documented_failure_is_what_is_shown(project):
    (shown,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    files = {name: text.replace("TILE + 1", "TILE") for _, name, text in BLOCKS.findall(PAGE)}
    status, said = project("", **files)
    assert status == 1
    told = [line.removeprefix("E").strip() for line in said.splitlines() if line.startswith("E ")]
    assert told == [line.strip() for line in shown.splitlines()], said
    assert "gpusim/assertions" not in said  # a traceback ends in the test


@pytest.mark.usefixtures("compiler")
@pytest.mark.long
def test_every_way_to_tell_a_launch(project):
    status, said = project(
        f"""
import numpy as np
import pytest
from pathlib import Path
import gpusim

SLOW = {SLOW!r}
ARRAYS = [np.zeros(128 * 128, np.float32), np.zeros(128 * 128, np.float32), np.int32(128)]


def test_name(gpusim_profile):
    assert gpusim_profile("copy", N=4096).gpu == "a100-40gb"
    assert gpusim_profile("copy", gpu="h200", N=4096, cache="warm").cache == "warm"


@pytest.mark.parametrize("what", [SLOW, "slow.cu", Path("slow.cu")])
def test_texts(gpusim_profile, what):
    profile = gpusim_profile(what, [4, 4], [32, 8], {{"n": 128, "x": "normal:n*n", "y": "zeros:n*n"}})
    profile.assert_metric("shared conflicts", ">", 0)
    again = gpusim_profile(what, "4,ceildiv(n,32)", "32,8", ["n=128", "x=normal:n*n", "y=zeros:n*n"])
    assert again.bank_conflicts == profile.bank_conflicts
    arrays = gpusim_profile(what, [4, 4], [32, 8], ARRAYS)
    assert arrays.bank_conflicts == profile.bank_conflicts


def test_object(gpusim_profile):
    kernel = gpusim.cuda.compile(SLOW, gpu="a100-40gb").kernel()
    gpusim_profile(kernel, [4, 4], [32, 8], ARRAYS).assert_metric("shared conflicts", ">", 0)


@pytest.mark.parametrize("call, says", [
    (("coppy",), "unknown kernel 'coppy': did you mean copy"),
    (("copy", 4), "is a kernel of the catalogue"),
    ((SLOW,), "grid is missing"),
    ((SLOW, 4), "block is missing"),
    ((SLOW, 4, 32, {{"m": 3}}), "m"),
    (("none.cu", 4, 32), "none.cu"),
    (("attention-standard",), "is a chain of"),
])
def test_what_is_wrong(gpusim_profile, call, says):
    with pytest.raises(gpusim.GpusimError, match=says):
        gpusim_profile(*call)
""",
        **{"slow.cu": SLOW, "pytest.ini": "[pytest]\ngpusim_gpu = a100-40gb\n"},
    )
    assert status == 0, said


@pytest.mark.long
def test_the_gpu_is_the_option_else_the_files_else_an_h200(project):
    text = "def test_gpu(gpusim_profile):\n    assert gpusim_profile.gpu == '{}'\n"
    assert project(text.format("h200"))[0] == 0
    assert project(text.format("v100"), "--gpusim-gpu", "v100")[0] == 0
    ini = {"pytest.ini": "[pytest]\ngpusim_gpu = a100-40gb\n"}
    assert project(text.format("a100-40gb"), **ini)[0] == 0
    assert project(text.format("v100"), "--gpusim-gpu", "v100", **ini)[0] == 0
    assert "--gpusim-gpu=NAME" in project("", "--help")[1]


def test_where_no_test_asks_nothing_of_gpusim_is_imported(project):
    text = (
        "import sys\n\ndef test_none():\n"
        "    ours = {name for name in sys.modules if name.partition('.')[0] == 'gpusim'}\n"
        "    assert ours == {'gpusim', 'gpusim.pytest_plugin'}\n"
        "    assert not {'numpy', 'numba'} & sys.modules.keys()\n"
    )
    status, said = project(text)
    assert status == 0, said
