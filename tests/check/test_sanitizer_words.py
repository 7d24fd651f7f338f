"""Is what compute-sanitizer prints read: what it names, at which lines, how often? And are runs kept as they end?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calibration import sanitizer, wrong
from calibration.sanitizer_words import findings

MEMCHECK = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at wrong(int, int *)+0x90 in /build/data/write-past-end.cu:5
=========     by thread (36,0,0) in block (1,0,0)
=========     Access at 0x7f0000000190 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f0000000000 of size 400 bytes
=========
========= Invalid __global__ write of size 4 bytes
=========     at wrong(int, int *)+0x90 in /build/data/write-past-end.cu:5
=========     by thread (37,0,0) in block (1,0,0)
=========     Access at 0x7f0000000194 is out of bounds
=========     and is 5 bytes after the nearest allocation at 0x7f0000000000 of size 400 bytes
=========
========= Program hit cudaErrorLaunchFailure (error 719) due to "launch failure" on CUDA API call to cudaFree.
=========
status: cudaSuccess, cudaErrorLaunchFailure
========= Leaked 4,000 bytes at 0x7f0000200000
=========     Saved host backtrace up to driver entry point at allocation time
=========
========= LEAK SUMMARY: 4000 bytes leaked in 1 allocations
========= ERROR SUMMARY: 4 errors
"""
MISALIGNED = """\
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 16 bytes
=========     at wrong(int, const float *, float *)+0x60 in misaligned-float4.cu:4
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x7f0000000004 is misaligned
"""
RACECHECK = """\
========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at wrong(const int *, int *)+0x90 in x.cu:5
=========     and Read access at wrong(const int *, int *)+0x120 in x.cu:6 [4 hazards]
=========     and Write access at wrong(const int *, int *)+0x90 in x.cu:5 [252 hazards]
=========
========= Warning: Race reported between Write access at wrong(int *)+0x10 in x.cu:8
=========     and Write access at wrong(int *)+0x10 in x.cu:8 [1 hazards]
=========
========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)
"""
CLUSTER = """\
========= Potential invalid __shared__ read of size 4 bytes
=========     at wrong(int *)+0x170 in cluster.cu:10
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x1000400 is located in a block that might have already exited
"""
INITCHECK = """\
========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at sums(int, const int *, int *)+0x70 in half-copied_wrong.cu:7
=========     by thread (31,0,0) in block (0,0,0)
=========     Address 0x7f3c7ec000fc
=========
========= ERROR SUMMARY: 1 error
"""
SYNCCHECK = """\
========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in block
=========     at __syncwarp(unsigned int)+0x40 in /usr/local/cuda/include/sm_30_intrinsics.hpp:110
=========     by thread (0,0,0) in block (0,0,0)
=========         Device Frame: wrong(const int *, int *)+0x40 in barrier-under-if.cu:7
=========
========= Barrier error detected. Missing init.
=========     at wrong(const int *, int *)+0x50 in barrier-under-if.cu:9
=========     by thread (1,0,0) in block (0,0,0)
========= ERROR SUMMARY: 2 errors
"""
CLEAN = """\
========= COMPUTE-SANITIZER
status: cudaSuccess, cudaSuccess
========= ERROR SUMMARY: 0 errors
"""


def told(text: str, file: str) -> list[tuple[str, list[int], int]]:
    return [(one["kind"], one["lines"], one["count"]) for one in findings(text, file)]


def test_the_same_access_is_counted_and_leaks_are_told() -> None:
    found = findings(MEMCHECK, "write-past-end.cu")
    assert [(one["kind"], one["line"], one["count"]) for one in found] == [
        ("Invalid __global__ write of size 4 bytes", 5, 2),
        ('Program hit cudaErrorLaunchFailure (error 719) due to "launch failure"', None, 1),
        ("Leaked 4,000 bytes", None, 1),
    ]
    assert "out of bounds" in found[0]["detail"]


def test_what_is_misaligned_is_told_from_what_is_outside() -> None:
    (found,) = findings(MISALIGNED, "misaligned-float4.cu")
    assert found["detail"] == "Address 0x.. is misaligned"


def test_a_race_has_both_lines_and_its_hazards() -> None:
    assert told(RACECHECK, "x.cu") == [
        ("Error: race between write and read", [5, 6], 4),
        ("Error: race between write and write", [5, 5], 252),
        ("Warning: race between write and write", [8, 8], 1),
    ]


def test_a_block_that_may_have_ended_is_told() -> None:
    (found,) = findings(CLUSTER, "cluster.cu")
    assert (found["kind"], found["line"]) == ("Potential invalid __shared__ read of size 4 bytes", 10)
    assert "already exited" in found["detail"]


def test_reads_of_nothing_are_told() -> None:
    assert told(INITCHECK, "half-copied_wrong.cu") == [("Uninitialized __global__ memory read of size 4 bytes", [7], 1)]


def test_a_line_of_a_header_gives_way_to_the_line_that_calls_it() -> None:
    assert told(SYNCCHECK, "barrier-under-if.cu") == [
        ("Barrier error detected. Divergent thread(s) in block", [7], 1),
        ("Barrier error detected. Missing init", [9], 1),
    ]


def test_of_a_clean_run_nothing_is_told() -> None:
    assert findings(CLEAN, "x.cu") == []


@pytest.fixture
def log(tmp_path: Path) -> sanitizer.Log:
    return sanitizer.Log(tmp_path / "found.json.log")


def case(name: str) -> wrong.Case:
    return next(one for one in wrong.cases() if one.id == name)


def test_a_log_gives_back_what_was_written(log: sanitizer.Log) -> None:
    log.add("memcheck/a wrong memcheck", "exit 1", "one\ntwo")
    log.add("memcheck/b wrong memcheck", "exit 0", "")
    log.add("memcheck/a wrong memcheck", "exit 0", "three")
    kept = log.read()
    assert kept["memcheck/a wrong memcheck"][0] == "exit 0"
    assert kept["memcheck/a wrong memcheck"][1].strip() == "three"
    assert set(kept) == {"memcheck/a wrong memcheck", "memcheck/b wrong memcheck"}


def test_findings_follow_from_the_log_and_an_endless_run_is_one(log: sanitizer.Log) -> None:
    chosen = case("memcheck/write-past-end")
    log.add(f"{chosen.id} wrong memcheck", "exit 1", MEMCHECK)
    log.add(f"{chosen.id} right memcheck", "exit 0", CLEAN)
    log.add(f"{chosen.id} wrong synccheck", "ended after 20 s", "")
    found = sanitizer.found(log, [chosen])[chosen.id]
    assert found["wrong"]["memcheck"][0]["line"] == 5
    assert found["right"] == {"memcheck": []}
    assert [one["kind"] for one in found["wrong"]["synccheck"]] == ["no summary: ended after 20 s"]


def test_each_case_runs_under_every_tool_its_own_first() -> None:
    chosen = [case("memcheck/write-past-end"), case("synccheck/barrier-under-if")]
    every = sanitizer.runs(chosen)
    assert len(every) == len(set(every)) == 2 * 2 * 4
    assert [(one.case.name, one.form, one.tool) for one in every[:2]] == [
        ("write-past-end", "wrong", "memcheck"),
        ("barrier-under-if", "wrong", "synccheck"),
    ]


def test_options_that_this_release_does_not_know_are_left_out() -> None:
    one = sanitizer.Run(case("initcheck/guarded-load"), "wrong", "initcheck")
    assert "--initcheck-address-space" not in sanitizer.command(one, Path("x"), "--help")
    words = sanitizer.command(one, Path("x"), "... --initcheck-address-space arg ...")
    assert words[-4:] == ["--initcheck-address-space", "all", "x/initcheck-guarded-load", "wrong"]


def test_the_host_program_allocates_what_the_arguments_say() -> None:
    host = sanitizer.host_program(case("memcheck/into-the-next-array"))
    assert "float* a = filled<float>(128, 0, 0);" in host
    assert "float* b = filled<float>(128, 0, 1);" in host
    assert "kernel<<<dim3(1), dim3(128), 0>>>(128, a, b);" in host


def test_a_program_that_does_not_end_is_ended_with_its_children() -> None:
    status, text = sanitizer.ended(["sh", "-c", "echo begun; sleep 60 & sleep 60; wait"], 1.5)
    assert (status, text) == ("ended after 1.5 s", "begun\n")


STAND_IN = """\
#!/bin/sh
case "$*" in
  *--help*) echo "--leak-check" ;;
  *write-past-end*wrong)
    echo "========= Invalid __global__ write of size 4 bytes"
    echo "=========     at wrong(int *)+0x90 in write-past-end.cu:5"
    ;;
esac
echo "========= ERROR SUMMARY: some"
"""


def test_a_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nvcc", "compute-sanitizer"):
        tool = tmp_path / name
        tool.write_text(STAND_IN)
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    out = tmp_path / "found.json"
    wrong.main(["sanitizer", "--json", str(out), "--only", "memcheck/write-past-end", "--jobs", "2"])
    found = json.loads(out.read_text())["memcheck/write-past-end"]
    assert [one["line"] for one in found["wrong"]["memcheck"]] == [5]
    assert found["right"] == {tool: [] for tool in wrong.TOOLS}
    status, _ = sanitizer.Log(out.with_name("found.json.log")).read()["memcheck/write-past-end right memcheck"]
    assert status == "exit 0"
    before = out.with_name("found.json.log").read_text()
    wrong.main(["sanitizer", "--json", str(out), "--only", "memcheck/write-past-end", "--jobs", "2"])
    assert out.with_name("found.json.log").read_text() == before


def test_tools_that_are_not_there_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="nvcc is not on the path"):
        wrong.main(["sanitizer", "--json", str(tmp_path / "found.json")])
