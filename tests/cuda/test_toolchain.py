"""Where the tools are looked for, and what is said where they are missing."""

import subprocess
import sys
from pathlib import Path

import pytest

from gpusim.cuda import MissingToolError, toolchain

LINUX = pytest.mark.skipif(sys.platform == "win32", reason="made-up files are those of Linux")


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine with nothing on it but what a test puts into the folder."""
    monkeypatch.setattr(toolchain, "_wheels", lambda: iter(()))
    for name in ("CUDA_PATH", "NVCC_CCBIN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(toolchain, "_toolkits", lambda: iter([toolchain.Kit((tmp_path,))]))
    return tmp_path


def put(path: Path) -> Path:
    """A file that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\necho some tool, release 13.0, V13.0.88\n")
    path.chmod(0o755)
    return path


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("find", "says"),
    [
        (toolchain.nvrtc, "pip install 'gpusim[cuda]'"),
        (toolchain.nvdisasm, "pip install 'gpusim[cuda]'"),
        (toolchain.nvcc, "pip install nvidia-cuda-nvcc"),
    ],
)
def test_a_missing_tool_names_the_command_that_installs_it(find, says):
    with pytest.raises(MissingToolError) as error:
        find()
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@LINUX
def test_nvcc_needs_a_compiler_of_the_host(bare):
    nvcc = put(bare / "bin/nvcc")
    with pytest.raises(MissingToolError, match="needs a C\\+\\+ compiler of the host"):
        toolchain.nvcc()
    assert toolchain.find_nvcc() is None
    host = put(bare / "path/g++")
    assert toolchain.nvcc() == toolchain.Nvcc(nvcc, host)
    assert "release 13.0" in toolchain.nvcc_version(toolchain.nvcc())


@LINUX
def test_the_whole_library_is_taken_not_its_other_builds(bare):
    for name in ("libnvrtc.alt.so.13", "libnvrtc-builtins.so.13.0", "libnvrtc-builtins.alt.so.13.0", "libnvrtc.so.13"):
        put(bare / "lib" / name)
    found = toolchain.nvrtc()
    assert (found.library.name, found.builtins.name) == ("libnvrtc.so.13", "libnvrtc-builtins.so.13.0")


@LINUX
@pytest.mark.parametrize("layout", ["cu13", "split"])
def test_both_layouts_of_wheels_are_understood(monkeypatch, tmp_path, layout):
    root = tmp_path / "nvidia"
    folders = {"cu13": ("cu13", "cu13"), "split": ("cuda_nvrtc", "cuda_runtime")}[layout]
    library = put(root / folders[0] / "lib/libnvrtc.so.12")
    header = put(root / folders[1] / "include/cuda_fp16.h")
    spec = type("Spec", (), {"submodule_search_locations": [str(root)]})
    monkeypatch.setattr("importlib.util.find_spec", lambda name: spec)
    monkeypatch.setattr(sys, "path", [])
    found = toolchain.nvrtc()
    assert found.library == library
    assert header.parent in found.includes


@pytest.mark.usefixtures("compiler")
def test_nvrtc_works_without_the_loaders_path():
    code = "from gpusim import cuda; print(len(cuda.compile('__global__ void k() {}\\n', gpu='sm_90').kernels))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nowhere"},
        check=False,
    )
    assert (run.stdout, run.stderr) == ("1\n", "")


def test_the_room_is_imported_only_when_asked_for():
    code = "import sys, gpusim; print('gpusim.cuda' in sys.modules, 'ctypes' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False False\n"
