"""Do whole programs run with what they compute, and end as they would?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpusim.hardware import load
from gpusim.programs import toolkit
from tests.run.running import run

LAUNCHING = load("h200").launch
EVENT_US, GRAPH_SAVES_US = 1e6 * LAUNCHING.event_s, 1e6 * LAUNCHING.graph_saves_s

pytestmark = [pytest.mark.usefixtures("nvcc"), pytest.mark.slow]


def test_a_program_computes_checks_and_times_itself(tmp_path: Path) -> None:
    ran = run("add.cu", "70001", folder=tmp_path)
    assert (ran.status, ran.errors) == (0, "")
    printed = re.match(r"passed in ([\d.]+) us: no error\n", ran.output)
    assert printed
    (launch,) = ran.launches
    assert launch["kernel"] == "add"
    assert (launch["grid"], launch["block"]) == ([274, 1, 1], [256, 1, 1])
    assert float(printed[1]) == pytest.approx(1e6 * launch["seconds"] + EVENT_US, abs=1e-3)
    assert 1e-6 < launch["seconds"] < 1e-5
    assert re.search(r"^ +0 +add +274 +256 +1 ", ran.output, re.MULTILINE)


def test_variables_of_the_device_are_set_and_read(tmp_path: Path) -> None:
    ran = run("symbols.cu", options=["--functional"], folder=tmp_path)
    assert ran.status == 0, ran.errors
    # 63 is scaled by 4 and one is added, twice: (63 * 4 + 1) * 4 + 1, in whichever order a warp does both
    assert ran.output.startswith(("42 1 1013\n", "42 1 1010\n"))


@pytest.mark.long
def test_rows_managed_and_pinned_memory_are_copied(tmp_path: Path) -> None:
    ran = run("copies.cu", options=["--functional"], folder=tmp_path)
    assert ran.status == 0, ran.errors
    assert ran.output.startswith("1 1 1 cudaErrorInvalidValue\n")


@pytest.mark.long
def test_texture_objects_read_arrays_rows_and_linear_memory(tmp_path: Path) -> None:
    ran = run("textures.cu", folder=tmp_path)
    assert ran.status == 2
    assert ran.output.startswith(
        "refused 1 1 1 1 20 1 1\nbetween 0 16.5\nbeyond 1 1 1\nbox 0 1\nwhole -7 4\nerror 26\nshares 80 155\n"
        "divided 7\nwrong 0, cudaErrorInvalidFilterSetting\n"
    )
    assert "fetches from what is no texture of this launch: handle 1" in ran.errors  # of an array that was freed
    sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    dense, far = (ran.json["profiles"][n]["metrics"][sectors]["value"] for n in "56")
    assert (dense, far) == (4, 32)


@pytest.mark.long
def test_streams_run_side_by_side_and_graphs_in_turn(tmp_path: Path) -> None:
    ran = run("streams.cu", folder=tmp_path)
    assert ran.status == 0, ran.errors
    assert ran.output.startswith("1 1\n109\n")
    assert len(ran.launches) == 9
    assert {launch["kernel"] for launch in ran.launches} == {"add<50>", "add<1>", "add<2>"}


@pytest.mark.long
def test_events_take_time_and_launches_of_a_graph_less(tmp_path: Path) -> None:
    ran = run("between.cu", folder=tmp_path)
    assert ran.status == 0, ran.errors
    nothing, one, row, graph = (float(line) for line in ran.output.splitlines()[:4])
    us = [1e6 * launch["seconds"] for launch in ran.launches]
    assert len(us) == 10
    assert nothing == 0
    assert one == pytest.approx(us[1] + EVENT_US, abs=1e-3)
    assert row == pytest.approx(sum(us[2:6]) + EVENT_US, abs=1e-3)
    assert graph == pytest.approx(sum(us[6:]) - 3 * GRAPH_SAVES_US + EVENT_US, abs=1e-3)


@pytest.mark.long
def test_a_program_is_told_what_the_gpu_is(tmp_path: Path) -> None:
    ran = run("device.cu", options=["--gpu", "h100-sxm", "--functional"], folder=tmp_path)
    assert ran.status == 0, ran.errors
    first, second = ran.output.splitlines()[:2]
    assert re.match(r"NVIDIA H100.*: 132 SMs, 9\.0, \d{11}, 1\d{6} kHz, 8 blocks, 1, 1024 threads", first), first
    assert second == "0 1"


@pytest.mark.long
def test_an_option_after_the_program_is_the_programs_and_noted(tmp_path: Path) -> None:
    ran = run("device.cu", "--gpu", "h100-sxm", options=["--functional"], folder=tmp_path)
    assert "NVIDIA H200" in ran.output
    assert ran.errors.startswith("note: --gpu stands after the program, which is given it; options of gpusim run stand")


@pytest.mark.long
def test_who_reads_of_memory_of_the_host_is_told_what_its_time_lacks(tmp_path: Path) -> None:
    ran = run("host_memory.cu", folder=tmp_path)
    assert ran.status == 0, ran.errors
    assert "Memory of the host is touched by add: a GPU needs far longer, for PCIe is not modelled.\n" in ran.output


SYSTEM_CALLS = """\
block 0 thread 0 of a program, counter 7
block 0 thread 1 of a program, counter 7
block 1 thread 0 of a program, counter 7
block 1 thread 1 of a program, counter 7
-- host
100 101 102 103 104 105 106 107
cudaSuccess 8386560 of 8386560
cudaErrorAssert
"""


@pytest.mark.long
def test_device_code_calls_the_system(tmp_path: Path) -> None:
    """What a launch takes from the heap is still there in the next one."""
    ran = run("system_calls.cu", options=["--functional"], folder=tmp_path)
    assert ran.output.startswith(SYSTEM_CALLS)
    assert ran.status == 2
    assert ran.errors.endswith(
        'void fails(int): block: [0,0,0], thread: [60,0,0] Assertion `threadIdx.x < n && "too many"` failed.\n'
    )


@pytest.mark.long
def test_a_program_of_two_files_is_linked(tmp_path: Path) -> None:
    other = Path(__file__).parent / "programs" / "other.cu"
    ran = run("two.cu", options=["--functional", "--add", str(other), "-D", "MINE=7"], folder=tmp_path)
    assert ran.status == 0, ran.errors
    assert ran.output.startswith("3 7\n")


BEYOND = (
    r"faults\.cu:5: write: thread \(0, 0, 0\) of block \(0, 0, 0\) writes global memory out of bounds: "
    r"address 0x\w+, 0 bytes past the end of allocation 1 \(400 bytes at 0x\w+\)"
)
MISALIGNED = r"writes global memory misaligned: .* byte 2 of allocation 1"


@pytest.mark.parametrize(
    ("what", "told", "said"),
    [
        (0, "cudaSuccess, cudaErrorIllegalAddress", BEYOND),
        pytest.param(1, "cudaSuccess, cudaErrorMisalignedAddress", MISALIGNED, marks=pytest.mark.long),
        (3, "cudaErrorInvalidConfiguration, cudaSuccess", ""),
        pytest.param(4, "cudaErrorLaunchOutOfResources, cudaSuccess", "", marks=pytest.mark.long),
        pytest.param(5, "cudaErrorInvalidValue, cudaSuccess", "", marks=pytest.mark.long),
    ],
)
def test_what_goes_wrong_is_told_as_on_a_gpu(what: int, told: str, said: str, tmp_path: Path) -> None:
    ran = run("faults.cu", str(what), options=["--functional"], folder=tmp_path)
    assert ran.output.splitlines()[0] == told
    assert re.search(said, ran.errors), ran.errors
    assert bool(ran.errors) == bool(said)
    assert ran.status == 1


def test_a_host_that_reads_device_memory_is_ended(tmp_path: Path) -> None:
    ran = run("faults.cu", "2", folder=tmp_path)
    assert ran.status == 128 + 11
    assert ran.errors.endswith("faults.cu was ended by SIGSEGV\n")


def test_a_call_that_there_is_not_is_named(tmp_path: Path) -> None:
    ran = run("faults.cu", "6", folder=tmp_path)
    assert ran.status == 2
    assert "calls cudaGetMipmappedArrayLevel, which gpusim's CUDA runtime does not have" in ran.errors
    assert len(ran.errors.splitlines()) == 1


@pytest.mark.long
def test_a_program_runs_without_a_library_until_it_calls_it(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "cusparse.h").write_text('extern "C" int cusparseCreate(void *handle);\n')
    how = {"options": ["--option", "-lcusparse"], "folder": tmp_path, "env": {"CUDA_HOME": str(tmp_path)}}
    without = run("library.cu", **how)
    assert (without.status, without.errors) == (0, "")
    called = run("library.cu", "call", **how)
    assert called.status == 2
    assert called.output.startswith("begun\n")
    assert "library.cu calls cusparseCreate, which is a library's that gpusim lacks" in called.errors


def test_a_library_whose_header_is_not_there_is_named(tmp_path: Path) -> None:
    if toolkit.folder_with("cusparse.h"):
        pytest.skip("cuSPARSE's header is installed")
    ran = run("library.cu", folder=tmp_path)
    assert ran.status == 2
    assert "library.cu includes cusparse.h, of a library that gpusim does not run" in ran.errors


def test_what_cublas_is_called_for_is_computed_where_that_is_asked_for(tmp_path: Path) -> None:
    ran = run("blas.cu", options=["--skip-library"], folder=tmp_path)
    assert (ran.status, ran.errors) == (0, "")
    assert ran.output.startswith("0 wrong\n")
    assert ran.json["skipped"]["cublasSgemm_v2"] == 4
    assert "Calls of libraries, computed in no time: cublasCreate_v2, cublasSgemm_v2 (4 times)" in ran.output
    assert [launch["seconds"] is not None for launch in ran.launches] == [True] * 4


def test_a_call_of_cublas_ends_the_program_unless_that_is_asked_for(tmp_path: Path) -> None:
    ran = run("blas.cu", folder=tmp_path)
    assert ran.status == 2
    assert (
        "blas.cu calls cublasCreate_v2, which is a library's that gpusim does not time: with --skip-library"
        in ran.errors
    )
    assert len(ran.errors.splitlines()) == 1


@pytest.mark.parametrize("arguments", [(), pytest.param(("pinned",), marks=pytest.mark.long)])
def test_launches_that_are_put_off_are_there_for_who_looks(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ran = run("again.cu", *arguments, options=["--functional"], folder=tmp_path)
    assert (ran.status, ran.errors) == (0, "")
    assert ran.output.startswith("0 wrong\n")
    assert len(ran.launches) == 3 * 61 + 3
