"""The wheel, unpacked far from the repository: what a user who installs gpusim gets."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The folder that the built wheel unpacks to."""
    built = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(built), str(ROOT)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    with zipfile.ZipFile(*built.glob("*.whl")) as archive:
        archive.extractall(built / "site")
    return built / "site"


def gpusim(wheel, *arguments, cwd):
    environment = {**os.environ, "PYTHONPATH": str(wheel)}
    command = [sys.executable, "-m", "gpusim", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=cwd, env=environment)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_wheel_carries_every_kernel_scenario_and_gpu(wheel):
    for folder in ("kernels", "scenarios", "gpusim/hardware", "gpusim/data"):
        inside = wheel / "gpusim" / Path(folder).name
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".toml", ".cu", ".cuh", ".json"):
                assert (inside / path.relative_to(ROOT / folder)).is_file(), path


def test_the_wheel_carries_no_leftovers(wheel):
    assert {path.name for path in wheel.iterdir() if path.suffix != ".dist-info"} == {"gpusim"}
    suffixes = {path.suffix for path in (wheel / "gpusim").rglob("*") if path.is_file()}
    assert suffixes <= {".py", ".toml", ".pyi", ".cu", ".cuh", ".typed", ".json", ".csv"}


@pytest.mark.parametrize("command", ["kernels", "scenario", "gpus"])
def test_lists_are_the_same_as_in_the_repository(wheel, tmp_path, command):
    assert gpusim(wheel, command, cwd=tmp_path) == gpusim(ROOT, command, cwd=tmp_path)
