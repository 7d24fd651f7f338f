"""Do calls of a program's own code that fail, and memory that it leaves, have their lines?"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from gpusim.cli import main
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
