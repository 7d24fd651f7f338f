"""Heaps of the device, structs with gaps, kernels that never end: what is told of them, and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gpusim
from gpusim.cli import main
from tests.run.conftest import nvcc  # noqa: F401 (a fixture)

HEAP = """#include <cuda_runtime.h>
__global__ void make(int** k) { int* p = (int*)malloc(16); p[0] = threadIdx.x; k[threadIdx.x] = p; }
__global__ void use(int** k, int* o) { o[threadIdx.x] = k[threadIdx.x][0]; free(k[threadIdx.x]); }
__global__ void spin(volatile int* o) { while (!o[0]); }
int main(int count, char**) {
    int **k, *o;
    cudaMalloc(&k, 256);
    cudaMalloc(&o, 128);
    cudaMemset(o, 0, 128);
    if (count > 1) spin<<<1, 32>>>(o);
    else make<<<1, 32>>>(k), use<<<1, 32>>>(k, o);
    cudaFree(k);
    cudaFree(o);
    return 0;
}
"""


def checks(folder: Path, *words: str) -> list[dict[str, Any]]:
    source, out = folder / "heap.cu", folder / "out.json"
    source.write_text(HEAP)
    main(["run", "--check", "--json", str(out), str(source), *words])
    return json.loads(out.read_text())["checks"]


@pytest.mark.usefixtures("nvcc")
def test_what_one_kernel_allocates_another_one_may_read_and_free(tmp_path: Path) -> None:
    assert [one["findings"] for one in checks(tmp_path)] == [[], [], []]


@pytest.mark.usefixtures("nvcc")
def test_a_kernel_that_never_ends_is_found_in_a_program_and_what_cannot_be_freed_then_is_no_leak(
    tmp_path: Path,
) -> None:
    spin, whole = checks(tmp_path, "x")
    assert [(one["kind"], one["place"]["line"]) for one in spin["findings"]] == [("deadlock", 4)]
    assert whole["findings"] == []


@pytest.mark.usefixtures("compiler")
def test_what_lies_between_members_of_a_struct_is_read_with_them() -> None:
    text = """struct Pair { char c; int x; };
    __global__ void k(Pair* o) {
        __shared__ Pair s[32];
        s[threadIdx.x].c = 1;
        s[threadIdx.x].x = 2;
        __syncthreads();
        o[threadIdx.x] = s[31 - threadIdx.x];
    }"""
    assert gpusim.check(text, 1, 32, ("o=uint8:zeros:256",)).findings == ()


@pytest.mark.usefixtures("compiler")
def test_pieces_of_the_heap_are_freed_once_and_may_be_freed_later() -> None:
    twice = "__global__ void k() { int* p = (int*)malloc(16); free(p); free(p); }"
    assert "frees what is free already" in gpusim.check(twice, 1, 1).findings[0].what
    kept = "__global__ void k(int** o) { int* p = (int*)malloc(16); *p = 1; o[threadIdx.x] = p; }"
    (leak,) = gpusim.check(kept, 1, 32, ("o=uint8:zeros:256",)).findings
    assert "takes memory of the device's heap" in leak.what
    assert "free()" in leak.edit
