"""Kernels of a few lines that a GPU runs without a word: is each fault named by its line, and its mended form clean?"""

from __future__ import annotations

from typing import NamedTuple

import pytest

import gpusim

pytestmark = pytest.mark.usefixtures("compiler")

B = ("b=arange:128",)


class Pair(NamedTuple):
    """A kernel with ``WRONG`` where its fault is, what mends it, and its launch."""

    kind: str
    text: str
    wrong: str
    right: str
    args: tuple[str, ...] = B
    block: int = 64


PAIRS = {
    "race": Pair(
        "race-raw",
        "__global__ void k(int* b) { __shared__ int s[64]; s[threadIdx.x] = b[threadIdx.x];\nWRONG }",
        "b[threadIdx.x] = s[63 - threadIdx.x];",
        "__syncthreads(); b[threadIdx.x] = s[63 - threadIdx.x];",
    ),
    "neighbour": Pair(
        "out-of-bounds", "__global__ void k(float* a, float* b) {\nWRONG }",
        "a[threadIdx.x + 128] = 7;", "a[threadIdx.x] = 7;", ("a=zeros:128", "b=zeros:128"),
    ),
    "shared-neighbour": Pair(
        "out-of-bounds",
        "__global__ void k(float* b, int n) { __shared__ float s[33]; s[threadIdx.x] = s[32] = 1;\n"
        "__syncthreads();\nWRONG }",
        "b[threadIdx.x] = s[threadIdx.x + n];", "b[threadIdx.x] = s[(threadIdx.x + n) % 33];",
        ("b=zeros:32", "n=3"), 32,
    ),
    "uninit-shared": Pair(
        "uninitialized",
        "__global__ void k(float* b) { __shared__ float s[64]; s[threadIdx.x] = 1; __syncthreads();\nWRONG }",
        "b[threadIdx.x] = s[threadIdx.x + 32];", "b[threadIdx.x] = s[31 - threadIdx.x];", ("b=zeros:32",), 32,
    ),
    "const-oob": Pair(
        "out-of-bounds", "__constant__ int c[8]; __global__ void k(int* b, int n) {\nWRONG }",
        "b[threadIdx.x] = c[threadIdx.x + n];", "b[threadIdx.x] = c[(threadIdx.x + n) % 8];", ("b=zeros:64", "n=3"),
    ),
    "cp-async-nowait": Pair(
        "unawaited-copy",
        "#include <cuda_pipeline.h>\n__global__ void k(int* a, int* b) { __shared__ int s[32];\n"
        "__pipeline_memcpy_async(s + threadIdx.x, a + threadIdx.x, 4);\nWRONG }",
        "b[threadIdx.x] = s[threadIdx.x];",
        "__pipeline_commit(); __pipeline_wait_prior(0); b[threadIdx.x] = s[threadIdx.x];",
        ("a=arange:32", "b=zeros:32"), 32,
    ),
    "barrier-exited": Pair(
        "exited-barrier", "__global__ void k(int* b) {\nWRONG }",
        "if (threadIdx.x < 32) { __syncthreads(); b[threadIdx.x] = 1; } else b[threadIdx.x] = 2;",
        "__syncthreads(); if (threadIdx.x < 32) b[threadIdx.x] = 1; else b[threadIdx.x] = 2;",
    ),
    "barrier-count": Pair(
        "barrier-count", "__global__ void k(int* b) {\nWRONG b[threadIdx.x] = 1; }",
        'if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;"); else asm volatile("bar.sync 1, 96;");',
        'if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;"); else asm volatile("bar.sync 1, 64;");',
    ),
    "shfl-inactive": Pair(
        "absent-lanes", "__global__ void k(int* b) { int v = threadIdx.x;\nWRONG b[threadIdx.x] = v; }",
        "if (threadIdx.x < 16) v = __shfl_sync(0xffffffff, v, 20);",
        "int w = __shfl_sync(0xffffffff, v, 20); if (threadIdx.x < 16) v = w;", B, 32,
    ),
}  # fmt: skip


def found(pair: Pair, code: str) -> list[tuple[str, int]]:
    """Kind and line of each finding."""
    result = gpusim.check(pair.text.replace("WRONG", code), 1, pair.block, pair.args)
    return [(str(one.kind), one.spot.line if one.spot else 0) for one in result.findings]


@pytest.mark.parametrize("name", PAIRS)
def test_a_fault_is_named_by_its_line_and_its_mended_form_is_clean(name: str) -> None:
    pair = PAIRS[name]
    line = pair.text.partition("WRONG")[0].count("\n") + 1
    assert (pair.kind, line) in found(pair, pair.wrong)
    assert found(pair, pair.right) == []
