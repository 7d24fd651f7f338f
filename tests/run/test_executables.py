"""Which executables run, and what is said of the others?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gpusim.cuda import toolchain
from gpusim.programs import runtime_library, toolkit
from tests.marks import most_by_hand
from tests.run.running import PROGRAMS, run

pytestmark = [pytest.mark.usefixtures("nvcc"), pytest.mark.slow]


def linked(nvcc: toolchain.Nvcc, folder: Path, *options: str, source: str = "add.cu") -> Path:
    """An executable of a program, as a user links one."""
    path = folder / "program"
    command = [str(nvcc.path), *options, "-o", str(path), str(PROGRAMS / source)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return path


@pytest.mark.parametrize("mode", most_by_hand(["none", "size", "speed"], ["size"]))
def test_one_that_is_linked_against_the_shared_runtime_runs(
    mode: str, nvcc: toolchain.Nvcc, tmp_path: Path
) -> None:  # fmt: skip
    path = linked(nvcc, tmp_path, "-arch=sm_90", "-cudart", "shared", f"-compress-mode={mode}")
    ran = run(path, "1000", options=["--functional"], folder=tmp_path)
    assert (ran.status, ran.errors) == (0, "")
    assert ran.launches[0]["grid"] == [4, 1, 1]


@pytest.mark.long
def test_one_that_looks_for_cublas_finds_that_of_gpusim(nvcc: toolchain.Nvcc, tmp_path: Path) -> None:
    for name in runtime_library.libraries():
        made = runtime_library.library(toolkit.release_of(nvcc), name)
        (tmp_path / f"lib{name}.so").write_bytes(made)  # as NVIDIA's are named
    own = ["-isystem", str(runtime_library.LIBRARIES), f"-L{tmp_path}", "-lcublas", "-lcublasLt"]
    own += ["-Xlinker", "--allow-shlib-undefined"]  # what they call of our runtime
    path = linked(nvcc, tmp_path, "-arch=sm_90", "-cudart", "shared", *own, source="blas.cu")
    for name in runtime_library.libraries():
        (tmp_path / f"lib{name}.so").unlink()
    ran = run(path, options=["--functional", "--skip-library"], folder=tmp_path)
    assert (ran.status, ran.errors) == (0, "")
    assert ran.output.startswith("0 wrong\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-arch=sm_90"], "was linked with CUDA's runtime in it: link it with nvcc -cudart shared"),
        pytest.param(
            ["-gencode=arch=compute_80,code=sm_80", "-cudart", "shared"],
            "has machine code for sm_80, and nothing that",
            marks=pytest.mark.long,
        ),
    ],
)
def test_others_are_refused_in_a_line(
    options: list[str], said: str, nvcc: toolchain.Nvcc, tmp_path: Path
) -> None:  # fmt: skip
    ran = run(linked(nvcc, tmp_path, *options), folder=tmp_path)
    assert ran.status == 2
    assert said in ran.errors
    assert len(ran.errors.splitlines()) == 1


def test_what_is_no_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("nothing")
    ran = run(path, folder=tmp_path)
    assert ran.status == 2
    assert "is no program: a source (.cu) or an executable that nvcc linked is run" in ran.errors
