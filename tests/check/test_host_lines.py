"""Do calls of a program's own code that fail, and memory that it leaves, have their lines?"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gpusim.cli import main
from gpusim.cuda import toolchain
from gpusim.programs import host_lines
from tests.run.conftest import nvcc  # noqa: F401 (a fixture)

pytestmark = [
    pytest.mark.usefixtures("nvcc"),
    pytest.mark.skipif(shutil.which("addr2line") is None, reason="needs addr2line"),
]

PROGRAM = """#include <cuda_runtime.h>
__global__ void fill(float* x) { x[threadIdx.x] = 1; }

template <class T> T* room(int n) {
    T* x = nullptr;
    cudaMalloc(&x, n * sizeof(T));
    return x;
}

int main(int count, char** words) {
    float* x = room<float>(32);
    fill<<<1, 32>>>(x);
    for (int k = 1; k < count; k++) room<double>(8 * k);
    cudaFree(x);
    if (count > 2) cudaFree(x);
    if (count > 3) fill<<<1, 2048>>>(x);
    cudaError_t error = cudaGetLastError();
    return error == cudaSuccess && count > 2;
}
"""


def found(folder: Path, *words: str) -> tuple[int, list[dict[str, Any]]]:
    """Status, and findings of the program as a whole."""
    source, out = folder / "program.cu", folder / "out.json"
    source.write_text(PROGRAM)
    status = main(["run", "--check", "--json", str(out), str(source), *words])
    return status, json.loads(out.read_text())["checks"][-1]["findings"]


def lines(findings: list[dict[str, Any]]) -> list[tuple[str, int, int]]:
    return [(one["kind"], one["place"]["line"], one["times"]) for one in findings]


def test_a_program_that_frees_all_and_whose_calls_succeed_is_clean(tmp_path: Path) -> None:
    assert found(tmp_path) == (0, [])


def test_what_is_left_is_told_by_the_line_that_allocates_it(tmp_path: Path) -> None:
    status, findings = found(tmp_path, "a")
    assert (status, lines(findings)) == (1, [("leak", 6, 1)])
    place = findings[0]["place"]
    assert (place["text"], place["thread"]) == ("cudaMalloc(&x, n * sizeof(T));", None)
    assert place["file"].endswith("program.cu")


def test_calls_that_fail_are_told_by_name_error_and_line(tmp_path: Path) -> None:
    _, findings = found(tmp_path, "a", "b", "c")
    assert lines(findings) == [("leak", 6, 3), ("api-error", 15, 1), ("api-error", 16, 1)]
    assert [one["what"] for one in findings[1:]] == [
        "cudaFree gives cudaErrorInvalidValue", "cudaLaunchKernel gives cudaErrorInvalidConfiguration",
    ]  # fmt: skip


def test_without_the_tool_findings_have_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_lines, "TOOL", "no-such-tool")
    _, findings = found(tmp_path, "a", "b")
    assert [(one["kind"], one["place"]) for one in findings] == [("api-error", None), ("leak", None), ("leak", None)]


HELPERS = """#include <thread>
#include <cuda_runtime.h>
__attribute__((noinline)) cudaError_t give_back(void* x) {
    return cudaFree(x);
}

__attribute__((noinline)) cudaError_t take(float** x) {
    return cudaMalloc(x, 128);
}

int main() {
    float *x, *y;
    take(&x);
    give_back(x);
    for (int k = 0; k < 3; k++) give_back(x);
    take(&y);
    std::thread([] { cudaSetDevice(99); }).join();
    return 0;
}
"""
AT_HELPERS = [("api-error", 4, 3), ("api-error", 17, 1), ("leak", 8, 1)]


def helpers(folder: Path, *options: str, program: str = "helpers.cu") -> list[dict[str, Any]]:
    """Findings of a program whose calls are the last thing that functions do."""
    out = folder / "out.json"
    assert main(["run", "--check", "--json", str(out), *options, program]) == 1
    found: list[dict[str, Any]] = json.loads(out.read_text())["checks"][-1]["findings"]
    return found


def test_a_call_that_ends_a_function_has_its_own_line(tmp_path: Path) -> None:
    source = tmp_path / "helpers.cu"
    source.write_text(HELPERS)
    assert sorted(lines(helpers(tmp_path, program=str(source)))) == AT_HELPERS


def test_lines_are_of_the_folder_of_the_run_in_sarif_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first", "second"):  # the same source under the same name: an executable is kept of each
        folder = tmp_path / name
        folder.mkdir()
        (folder / "helpers.cu").write_text(HELPERS)
        monkeypatch.chdir(folder)
        found = helpers(folder, "--sarif", "out.sarif")
        assert {Path(one["place"]["file"]).resolve() for one in found} == {folder / "helpers.cu"}
        results = json.loads((folder / "out.sarif").read_text())["runs"][0]["results"]
        places = [one["locations"][0]["physicalLocation"] for one in results]
        assert {one["artifactLocation"]["uri"] for one in places} == {"helpers.cu"}
        assert [one["region"]["startLine"] for one in places] == [one["place"]["line"] for one in found]


@pytest.mark.parametrize(
    ("options", "is_known"),
    [
        (("-Xcompiler=-g,-fPIE", "-Xlinker=-pie"), True), (("-Xcompiler=-g,-fno-pie", "-Xlinker=-no-pie"), True),
        ((), False), (("-Xlinker=-s",), False),
    ],
    ids=["moved", "where it was linked", "no debug information", "stripped"],
)  # fmt: skip
def test_of_an_executable_what_its_debug_information_says(
    tmp_path: Path, options: tuple[str, ...], is_known: bool
) -> None:
    source, program = tmp_path / "helpers.cu", tmp_path / "helpers"
    source.write_text(HELPERS)
    command = [str(toolchain.nvcc().path), "-cudart", "shared", *options, "-o", str(program), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    found = helpers(tmp_path, program=str(program))
    if is_known:
        assert sorted(lines(found)) == AT_HELPERS
    else:
        told = sorted((one["kind"], one["times"], one["place"]) for one in found)
        assert told == [("api-error", 1, None), ("api-error", 3, None), ("leak", 1, None)]
