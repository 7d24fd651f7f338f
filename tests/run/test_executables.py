"""Which executables run, and what is said of the others?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gpusim.cuda import toolchain
from gpusim.run.fatbin import cubin_for, entries
from gpusim.run.run_errors import ProgramError
from tests.run.running import PROGRAMS, run

pytestmark = [pytest.mark.usefixtures("nvcc"), pytest.mark.slow]


def linked(nvcc: toolchain.Nvcc, folder: Path, *options: str) -> Path:
    """An executable of the program that adds, as a user links one."""
    path = folder / "add"
    command = [str(nvcc.path), *options, "-o", str(path), str(PROGRAMS / "add.cu")]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return path


def test_one_that_is_linked_against_the_shared_runtime_runs(nvcc: toolchain.Nvcc, tmp_path: Path) -> None:
    path = linked(nvcc, tmp_path, "-arch=sm_90", "-cudart", "shared", "-no-compress")
    ran = run(path, "1000", options=["--functional"], folder=tmp_path)
    assert (ran.status, ran.errors) == (0, "")
    assert ran.launches[0]["grid"] == [4, 1, 1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-arch=sm_90"], "was linked with CUDA's runtime in it: link it with nvcc -cudart shared"),
        (
            ["-arch=sm_80", "-cudart", "shared", "-no-compress"],
            "for sm_90, which h200 runs, but PTX for compute_80, sm_80: compile it with nvcc -arch=sm_90",
        ),
        (
            ["-arch=sm_90", "-cudart", "shared", "-compress-mode=size"],
            "the program's device code is compressed: link it with nvcc -no-compress",
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


def test_what_is_no_fat_binary_is_refused() -> None:
    with pytest.raises(ProgramError, match="in no format that gpusim knows"):
        list(entries(b"\0" * 64))
    with pytest.raises(ProgramError, match=r"no machine code for sm_90, which h200 runs, but none at all"):
        cubin_for(bytes.fromhex("50ed55ba01001000") + bytes(8), "sm_90", "h200")
