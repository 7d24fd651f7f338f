"""Is nothing found in kernels that are right: those of the package, and those of its launch files?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest

import gpusim
from calibration.flash_attention_2 import SHARED
from gpusim import TensorMap, cuda, hardware
from gpusim.catalogue import lookup
from gpusim.checks.how import CheckHow, tools_of
from gpusim.checks.run import checked
from gpusim.checks.work import of_spec
from gpusim.launches import file
from tests.marks import most_by_hand

pytestmark = pytest.mark.usefixtures("compiler")

GPU = "h100-sxm"
RANDOM = np.random.default_rng(1)


class Case(NamedTuple):
    """A launch of a kernel of the package."""

    file: str
    kernel: str
    grid: Any
    threads: int
    args: list[Any]
    shared: int
    unwritten: tuple[str, ...] = ()


def draw(dtype: Any, *shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(dtype)


def boxes(array: np.ndarray, *box: int) -> TensorMap:
    return TensorMap(array, box=box, swizzle=128)


def products() -> Iterator[Case]:
    """Of 256 x 256 at K = 512: the eight steps of a tile go round a ring of fewer places."""
    M = N = 256
    K, bf16 = 512, ml_dtypes.bfloat16
    A, B, C = draw(bf16, M, K), draw(bf16, N, K), draw(bf16, M, N)
    sizes = [np.int32(n) for n in (M, N, K)]
    yield Case("matmul_wgmma.cu", "wgmma_shared", (2, 2), 256, [A, B, C, *sizes], 33792, ("C",))
    maps = [boxes(A, 128, 64), boxes(B, 128, 64)]
    yield Case("matmul_wgmma.cu", "wgmma_tma", (2, 2), 256, [*maps, C, *sizes], 132096, ("C",))
    out = boxes(C, 64, 64)
    for kernel, grid, rows in (("specialised", (1, 2), 256), ("persistent", 1, 256), ("cluster", 2, 128)):
        args = [boxes(A, 128, 64), boxes(B, rows, 64), out, *sizes]
        yield Case("matmul_wgmma.cu", f"wgmma_{kernel}", grid, 384, args, 214016)


def vectors() -> Iterator[Case]:
    """A matrix by a vector, however its tiles lie."""
    M, K = 256, 192
    for way in ("lds", "ldmatrix", "wgmma"):
        for row, swizzled in ((16, False), (32, True), (64, True), (128, True)):
            swizzle = row if swizzled else None
            maps = [
                TensorMap(draw(ml_dtypes.bfloat16, *shape), box=(rows, row // 2), swizzle=swizzle)
                for shape, rows in (((M, K), 256), ((1, K), 8))
            ]
            name = f"{way}_{row}{'_swizzled' if swizzled else ''}"
            args = [*maps, np.zeros(M, np.float32), np.int32(K)]
            yield Case("matrix_vector.cu", name, 1, 256, args, 136192, ("p2",))


def attention() -> Iterator[Case]:
    """One head, of more queries than a block has, in tiles of which the last is not full."""
    N, scale = 160, np.float32(0.125)
    for causal in ("", "_causal"):
        for d in (64, 128):
            q, k, v, out = (draw(np.float16, N, d) for _ in "QKVO")
            args = [np.int32(N), scale, q, k, v, out, np.zeros(N, np.float32)]
            file = "flash_attention_2_mma.cu"
            yield Case(file, f"fa2_d{d}{causal}", (2, 1), 128, args, SHARED[d], ("O", "L"))
        maps = [boxes(draw(np.float16, 1, N, 128), 1, rows, 64) for rows in (128, 128, 128, 64)]
        args = [*maps, np.zeros(N, np.float32), np.int32(N), scale]
        yield Case("flash_attention_3.cu", f"fa3_d128{causal}", (2, 1), 384, args, 164864, ("L",))
        maps = [boxes(draw(ml_dtypes.float8_e4m3fn, 1, N, 128), 1, 128, 128) for _ in "QKV"]
        maps.append(boxes(draw(np.float16, 1, N, 128), 1, 64, 64))
        args = [*maps, np.zeros(N, np.float32), np.int32(N), *[np.float32(0.5)] * 4]
        yield Case("flash_attention_3_fp8.cu", f"fa3_fp8_d128{causal}", (2, 1), 384, args, 148480, ("L",))


CASES = [*products(), *vectors(), *attention()]
QUICK = {"wgmma_shared", "wgmma_tma", "wgmma_cluster", "lds_64_swizzled", "ldmatrix_16", "wgmma_128_swizzled"}
QUICK |= {"fa2_d64_causal", "fa3_d128"}


@pytest.mark.parametrize("name", most_by_hand([case.kernel for case in CASES], QUICK))
def test_kernels_of_the_package_are_right(name: str) -> None:
    case = next(case for case in CASES if case.kernel == name)
    kernel = cuda.compile(lookup.builtin_folder() / case.file, gpu=GPU).kernel(name)
    found = gpusim.check(
        kernel, case.grid, case.threads, case.args, gpu=GPU, dynamic_shared=case.shared, unwritten=case.unwritten
    )
    assert found.ended == ""
    assert [(one.kind, one.spot) for one in found.findings] == []


LAUNCHES = Path(__file__).parents[2] / "calibration" / "data" / "pairs" / "launches.json"
FEW = 4  # blocks beyond which some of each class are run
OF_FILE = ["products<33> 32x32x32x32 1024", "histogram_shared 528x256 32", "transpose<32> 32x32x32x8 1024"]


@pytest.mark.long
@pytest.mark.parametrize("name", OF_FILE)
def test_launches_that_were_measured_are_right(name: str) -> None:
    (spec,) = file.select(file.read(LAUNCHES), name)
    gpu = hardware.given("h200")
    given = of_spec(spec, gpu)
    found = checked(given.work, gpu, CheckHow(tools_of(None), 0, 0, FEW, None, None), unwritten=given.unwritten)
    assert found.ended == ""
    assert [(one.kind, one.spot) for one in found.findings] == []


LOOP = """
__global__ void swap(unsigned long long* sum, const double* x) {
    double mine = x[blockIdx.x * blockDim.x + threadIdx.x];
    unsigned long long old = *sum, before;
    do {
        before = old;
        old = atomicCAS(sum, before, __double_as_longlong(mine + __longlong_as_double(before)));
    } while (before != old);
}

__global__ void sum(float* out, const float* x) {
    __shared__ float all;
    if (threadIdx.x == 0) all = 0;
    __syncthreads();
    atomicAdd(&all, x[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) *out = all;
}
"""


def test_a_load_that_an_atomic_compares_does_not_race() -> None:
    """So does the loop that is made of an atomic which a GPU has not."""
    numbers = draw(np.float64, 128)
    made = cuda.compile(LOOP, gpu="h200")
    assert gpusim.check(made.kernel("swap"), 2, 64, [np.zeros(1, np.uint64), numbers], gpu="h200").clean
    assert gpusim.check(made.kernel("sum"), 1, 64, [np.zeros(1, np.float32), draw(np.float32, 64)], gpu="h200").clean


HEAP = """
__global__ void odd(char* x, int* y) {
    int* own = static_cast<int*>(malloc(4));
    *own = threadIdx.x;
    *reinterpret_cast<int*>(x + 2) = *own;
    y[threadIdx.x] = *own;
    free(own);
}
"""


def test_a_kernel_with_a_heap_may_not_be_misaligned_elsewhere() -> None:
    args = [np.zeros(8, np.int8), np.zeros(1, np.int32)]
    found = gpusim.check(cuda.compile(HEAP, gpu="h200").kernel("odd"), 1, 1, args, gpu="h200")
    assert [one.kind for one in found.findings] == ["misaligned"]
