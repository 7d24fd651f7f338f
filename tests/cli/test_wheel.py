"""Wheels, unpacked far from the repository: what a user who installs gpusim gets."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from gpusim.engine.compiling import baselines, store
from gpusim.engine.compiling.jit import MODE
from tests.engine.compiling.both_ways import CASES

ROOT = Path(__file__).resolve().parents[2]
PURE = "HATCH_BUILD_NO_HOOKS"
BEST = next((each for each in baselines.of_machine() if each.runs_on(store.host_features())), None)
shipping = pytest.mark.skipif(
    BEST is None or MODE.__name__.endswith("plain"), reason="wheels carry no compiled code here"
)


def build(folder, **environment):
    """Build a wheel and unpack it: its name, and where it is unpacked."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    own = {**os.environ, **environment}
    run = subprocess.run(command, capture_output=True, text=True, timeout=1800, env=own)
    assert run.returncode == 0, run.stdout + run.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return wheel.name, folder / "site"


@contextmanager
def alone(folder):
    """No other worker of pytest builds meanwhile: it finds what this one has compiled."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with (folder / "wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="module")
def pure(tmp_path_factory):
    """A wheel without compiled code."""
    return build(tmp_path_factory.mktemp("pure"), HATCH_BUILD_NO_HOOKS="true")


@pytest.fixture(scope="module")
def wheel(pure):
    return pure[1]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A wheel with compiled code."""
    with alone(tmp_path_factory.getbasetemp().parent):
        return build(tmp_path_factory.mktemp("compiled"))


def python(site, *arguments, cwd, **environment):
    """What Python prints that imports gpusim from a folder."""
    own = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}", "GPUSIM_QUIET": "1", **environment}
    command = [sys.executable, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=1800, cwd=cwd, env=own)
    assert (run.returncode, run.stderr) == (0, "")
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
    assert suffixes <= {
        ".py", ".toml", ".pyi", ".cu", ".cuh", ".cpp", ".h", ".typed", ".json", ".csv", ".html", ".css", ".js",
    }  # fmt: skip


@pytest.mark.parametrize("command", ["kernels", "scenario", "gpus"])
def test_lists_are_the_same_as_in_the_repository(wheel, tmp_path, command):
    lists = [python(site, "-m", "gpusim", command, cwd=tmp_path) for site in (wheel, ROOT)]
    assert lists[0] == lists[1]


def test_a_wheel_without_compiled_code_is_for_all_machines(pure):
    assert re.fullmatch(r"gpusim-\S+-py3-none-any\.whl", pure[0])


@shipping
@pytest.mark.long
def test_a_wheel_is_for_one_python_and_carries_one_file_of_compiled_code(compiled, pure):
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert re.fullmatch(rf"gpusim-\S+-{tag}-{tag}-\w+\.whl", compiled[0])
    files = [{path.relative_to(site).as_posix() for path in site.rglob("*")} for _, site in (pure, compiled)]
    shipped = store.shipped_file(Path("gpusim"), BEST)
    assert files[1] - files[0] == {shipped.as_posix(), shipped.parent.as_posix()}


@shipping
@pytest.mark.long
@pytest.mark.usefixtures("compiler")
def test_counters_times_and_values_are_this_processors_to_the_digit(compiled, tmp_path):
    ask = ("-m", "tests.engine.compiling.both_ways", *CASES)
    cache = {"GPUSIM_CACHE_DIR": str(tmp_path / "cache")}
    found = python(compiled[1], *ask, cwd=tmp_path, **cache)
    assert not list((tmp_path / "cache").glob("engine-*"))  # nothing was compiled
    assert json.loads(found) == json.loads(python(ROOT, *ask, cwd=tmp_path))


@pytest.fixture(scope="module")
def backend():
    """What pip asks: the build backend."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_compilers_are_asked_for_where_wheels_are_built_and_not_for_editable_installs(backend, monkeypatch):
    monkeypatch.chdir(ROOT)
    names = [
        [re.match(r"\w+", each)[0] for each in asks()]
        for asks in (backend.get_requires_for_build_wheel, backend.get_requires_for_build_editable)
    ]
    assert set(backend.COMPILES) <= set(names[0])
    assert not set(backend.COMPILES) & set(names[1])


@shipping
def test_a_wheel_is_for_the_best_that_this_machine_runs_unless_for_all_are_asked_for(backend, monkeypatch):
    assert backend.wanted() == [BEST]
    monkeypatch.setenv(backend.ALL, "1")
    assert tuple(backend.wanted()) == baselines.of_machine()


def test_what_cannot_be_compiled_is_said_in_a_line(backend, tmp_path, monkeypatch):
    monkeypatch.setenv("GPUSIM_CACHE_DIR", str(tmp_path))
    with pytest.raises(RuntimeError, match=f"cannot be compiled; with {PURE}=true"):
        backend.compile_engine(tmp_path, baselines.Baseline("none"))
