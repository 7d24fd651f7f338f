"""What warps do together from sm_90a on: products of matrices, registers that change hands, an elected lane."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import gpusim
from gpusim import cuda, hardware
from gpusim.cuda.cuda_errors import CudaError
from gpusim.errors import GpusimError
from gpusim.hardware.fixed import TENSOR_BITS, TENSOR_OCTET_BITS
from gpusim.simulate import Launch, execute
from tests.cuda.warpgroup import ROW_BYTES, ROWS, SUMS, TYPES, Case, Lie, fragments, gathered, put, scattered, source

SHARED = 65536
SECOND = 32768  # where the second matrix begins
FLOATING = [("f16", "f16"), ("bf16", "bf16"), ("tf32", "tf32")]
FP8 = [(a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]
INTEGERS = [(a, b) for a in ("s8", "u8") for b in ("s8", "u8")]
CASES = [
    *(Case(a, b, "f32", 64, in_registers=own) for a, b in FLOATING for own in (False, True)),
    *(Case(a, a, "f32", 24, a_turned=x, b_turned=y) for a in ("f16", "bf16") for x in (0, 1) for y in (0, 1) if x or y),
    Case("f16", "f16", "f16", 40, b_turned=True), Case("f16", "f16", "f16", 8, in_registers=True, b_turned=True),
    *(Case("f16", "f16", "f32", 16, own, a_sign=x, b_sign=-1) for own in (False, True) for x in (1, -1)),
    Case("tf32", "tf32", "f32", 8, a_sign=-1), Case("bf16", "bf16", "f32", 256),
    *(Case(a, b, "f32", 16) for a, b in FP8),
    Case("e4m3", "e5m2", "f16", 24, in_registers=True, a_sign=-1), Case("e5m2", "e4m3", "f16", 256, b_sign=-1),
    *(Case(a, b, "s32", 16) for a, b in INTEGERS), Case("s8", "u8", "s32", 96, in_registers=True),
    Case("s8", "s8", "s32", 24, clamps=True),
]  # fmt: skip
SWIZZLES = (16, 32, 64, 128)


@pytest.fixture(scope="module")
def module() -> cuda.Module:
    """All kernels, in one file."""
    return cuda.compile(source(CASES), gpu="h200")


def dense(swizzle: int, turned: bool, start: int) -> Lie:
    """A matrix whose cores follow one another."""
    if swizzle == 16:
        return Lie(16, 128, 256, turned, start)
    return Lie(swizzle, 16 * swizzle if turned else 16, 8 * swizzle, turned, start)


def multiplied(
    module: cuda.Module, case: Case, a: np.ndarray, b: np.ndarray, c: np.ndarray, first: Lie, second: Lie,
    keeps: int = 1,
) -> np.ndarray:  # fmt: skip
    """What a kernel makes of matrices, shape (64, N)."""
    image = np.zeros(SHARED, np.uint8)
    put(image, a, first)
    put(image, b, second)
    kernel, gpu = module.kernel(case.name), hardware.load("h200")
    words = image.view(np.uint32)
    given = [
        words, np.int32(SHARED // 16), np.uint64(first.descriptor), np.uint64(second.descriptor), np.int32(keeps),
        scattered(c, case), fragments(a), np.zeros((128, case.words), np.uint32),
    ]  # fmt: skip
    program = kernel.program(1 << 40)
    packed = [x if isinstance(x, np.ndarray) else kernel.pack(k, x) for k, x in enumerate(given)]
    arguments = dict(zip((p.name for p in program.params), packed, strict=True))
    launch = Launch(program, (1, 1, 1), (128, 1, 1), arguments, SHARED)
    held = hardware.occupancy(gpu, 128, program.n_registers, launch.shared_bytes)
    return gathered(execute(launch, gpu, held, checked=True)["out"], case)


def small(rng: np.random.Generator, shape: tuple[int, int], kind: str) -> np.ndarray:
    """Whole numbers that every type holds, and whose products are exact."""
    return rng.integers(0 if kind == "u8" else -3, 4, shape).astype(np.float32).astype(TYPES[kind])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_products_are_those_of_numpy_however_matrices_lie(module, case):
    rng = np.random.default_rng(len(case.name))
    a, b = small(rng, (ROWS, case.depth), case.a), small(rng, (case.n, case.depth), case.b)
    c = rng.integers(-99, 99, (ROWS, case.n)).astype(SUMS[case.sums])
    product = case.a_sign * case.b_sign * (a.astype(np.float64) @ b.astype(np.float64).T)
    for k, swizzle in enumerate(SWIZZLES):
        first, second = dense(swizzle, case.a_turned, 0), dense(SWIZZLES[k - 1], case.b_turned, SECOND)
        keeps = k % 2
        found = multiplied(module, case, a, b, c, first, second, keeps)
        np.testing.assert_array_equal(found, product + keeps * c)


@pytest.mark.parametrize("start", [32, 64, 96])
def test_a_matrix_may_begin_within_a_row_that_is_swizzled(module, start):
    """As where a tile of 64 columns is worked off 16 at a time."""
    case, rng = CASES[0], np.random.default_rng(start)
    a, b = small(rng, (ROWS, 16), "f16"), small(rng, (case.n, 16), "f16")
    c = np.zeros((ROWS, case.n), np.float32)
    first, second = Lie(128, 16, 1024, start=start), Lie(128, 16, 1024, start=SECOND + start)
    found = multiplied(module, case, a, b, c, first, second)
    np.testing.assert_array_equal(found, a.astype(float) @ b.astype(float).T)


@pytest.mark.parametrize("offset", [1, 5])
def test_rows_of_a_pattern_that_begins_elsewhere(module, offset):
    case, rng = CASES[0], np.random.default_rng(offset)
    a, b = small(rng, (ROWS, 16), "f16"), small(rng, (case.n, 16), "f16")
    c = np.zeros((ROWS, case.n), np.float32)
    first = Lie(128, 16, 1024, start=128 * offset, offset=offset)
    found = multiplied(module, case, a, b, c, first, Lie(16, 128, 256, start=SECOND))
    np.testing.assert_array_equal(found, a.astype(float) @ b.astype(float).T)


def test_cores_may_lie_apart(module):
    case, rng = CASES[0], np.random.default_rng(1)
    a, b = small(rng, (ROWS, 16), "f16"), small(rng, (case.n, 16), "f16")
    c = np.zeros((ROWS, case.n), np.float32)
    found = multiplied(module, case, a, b, c, Lie(16, 256, 1024), Lie(16, 4096, 128, start=SECOND))
    np.testing.assert_array_equal(found, a.astype(float) @ b.astype(float).T)


def power(x: float, least: float) -> Fraction:
    """Power of two at or below a number's size."""
    return Fraction(2) ** (math.frexp(max(abs(x), least))[1] - 1)


def added(a: np.ndarray, b: np.ndarray, c: float, least: tuple[float, float], bits: int) -> Fraction:
    """A sum of products as tensor cores make it: all aligned, cut to so many bits below the largest, and added up."""
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x and y]
    powers = [power(x, least[0]) * power(y, least[1]) for x, y in pairs] + ([power(c, 2.0**-126)] if c else [])
    unit = max(powers, default=Fraction(1)) / 2**bits
    return sum((math.trunc(Fraction(x) * Fraction(y) / unit) * unit for x, y in [*pairs, (c, 1.0)]), Fraction(0))


def cut(x: Fraction, bits: int) -> float:
    """A number towards zero, with so many bits of fraction."""
    if not x:
        return 0.0
    size = Fraction(2) ** (math.floor(math.log2(abs(x))) - bits)
    while abs(x) / size >= 2 ** (bits + 1):
        size *= 2
    while abs(x) / size < 2**bits:
        size /= 2
    return float(math.trunc(x / size) * size)


@pytest.mark.parametrize(
    ("case", "bits", "fraction", "least"),
    [
        (CASES[0], TENSOR_BITS, 23, (2.0**-14, 2.0**-14)),
        (Case("e4m3", "e4m3", "f32", 16), TENSOR_OCTET_BITS, TENSOR_OCTET_BITS, (2.0**-6, 2.0**-6)),
        (Case("e4m3", "e5m2", "f32", 16), TENSOR_OCTET_BITS, TENSOR_OCTET_BITS, (2.0**-6, 2.0**-14)),
    ],
    ids=["f16", "e4m3", "e5m2"],
)
def test_sums_lose_what_the_tensor_core_does_not_keep(module, case, bits, fraction, least):
    rng = np.random.default_rng(7)
    a = (rng.normal(size=(ROWS, case.depth)) * 2.0 ** rng.integers(-9, 3, (ROWS, case.depth))).astype(TYPES[case.a])
    b = (rng.normal(size=(case.n, case.depth)) * 2.0 ** rng.integers(-9, 3, (case.n, case.depth))).astype(TYPES[case.b])
    c = rng.normal(size=(ROWS, case.n)).astype(np.float32)
    found = multiplied(module, case, a, b, c, dense(128, False, 0), dense(128, False, SECOND))
    left, right = a.astype(float), b.astype(float)
    for row in range(0, ROWS, 5):
        for column in range(case.n):
            sums = added(left[row], right[column], float(c[row, column]), least, bits)
            assert found[row, column] == np.float32(cut(sums, fraction))


def test_a_matmul_of_several_warpgroups_blocks_and_steps():
    m, n, k = 256, 128, 192
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(m, k)).astype(np.float16), rng.normal(size=(n, k)).astype(np.float16)
    kernel, c = cuda.compile(Path(__file__).parent / "warpgroup_matmul.cu", gpu="h200").kernel(), np.zeros((m, n), "f4")
    found = gpusim.profile(kernel, (n // 64, m // 128), 256, [a, b, c, np.int32(n), np.int32(k)])
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64).T, rtol=1e-4, atol=1e-3)
    assert found.value("sm__inst_executed_pipe_tensor_op_gmma.sum") == 4 * 8 * k // 16
    assert found.value("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum") == 0  # what swizzling is for


@pytest.mark.long
def test_products_of_a_launch_that_is_sampled_are_counted():
    kernel = cuda.compile(Path(__file__).parent / "warpgroup_matmul.cu", gpu="h200").kernel()
    m, n, k = 16384, 8192, 64
    a, b, c = (np.zeros(shape, dtype) for shape, dtype in (((m, k), "f2"), ((n, k), "f2"), ((m, n), "f4")))
    arguments = [a, b, c, np.int32(n), np.int32(k)]
    found = gpusim.profile(kernel, (n // 64, m // 128), 256, arguments, values=False, sample=True)
    products, rows = (m // 64) * (n // 64) * k // 16, 64
    assert "blocks went through the caches" in found.notes[0]
    assert found.value("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum") == products * (16 + rows // 4)


# ------------------------------------------------------------------ what is counted, and how long it takes


PRODUCT = "wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {%0,%1,%2,%3}, %4, %4, 1, 1, 1, 0, 0; "
REPEATED = """
extern "C" __global__ void repeated(unsigned* y, int n) {
  extern __shared__ __align__(1024) unsigned s[];
  unsigned d[4] = {0, 0, 0, 0};
  for (int k = threadIdx.x; k < 2048; k += blockDim.x) s[k] = 0;
  __syncthreads();
  for (int k = 0; k < n; k++) {
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile("EIGHT" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(0x1000080040ull));
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
  }
  y[threadIdx.x + (d[0] + d[1] + d[2] + d[3]) * 4] = d[3] + 7;
}
""".replace("EIGHT", 8 * PRODUCT)


def launched(n: int, **how: object) -> gpusim.Profile:
    kernel = cuda.compile(REPEATED, gpu="h200").kernel()
    y = np.zeros(128, np.uint32)
    found = gpusim.profile(kernel, 1, 128, [y, np.int32(n)], dynamic_shared=8192, fresh=True, **how)
    assert how.get("values") is False or np.all(y == 7)
    return found


def test_each_warps_products_are_counted_and_take_their_time():
    few, many = launched(1), launched(9)
    assert [p.value("sm__inst_executed_pipe_tensor_op_gmma.sum") for p in (few, many)] == [4 * 8, 4 * 72]
    cycles = many.value("gpc__cycles_elapsed.max") - few.value("gpc__cycles_elapsed.max")
    products, waits = 64 * (64 + 16) * 32 / 128, 8 * 55  # as shared memory gives both matrices; until sums are there
    assert products + waits < cycles < 1.15 * (products + waits)


ISSUED = """
extern "C" __global__ void issued(unsigned* y) {
  unsigned d[4] = {0, 0, 0, 0};
  asm volatile("wgmma.fence.sync.aligned;");
  const unsigned begin = clock();
  asm volatile("EIGHT" : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]) : "l"(0x1000080040ull));
  const unsigned issued = clock();
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
  const unsigned done = clock();
  unsigned* own = y + threadIdx.x / 128 * 2;
  if (threadIdx.x % 128 == 0) own[0] = issued - begin, own[1] = done - begin;
  if (d[0] + d[1] + d[2] + d[3]) y[4] = 1;
}
""".replace("EIGHT", 8 * PRODUCT)


def test_a_warp_has_four_products_under_way_and_then_waits_to_issue_another():
    y = np.zeros(5, np.uint32)
    code = ISSUED.replace("unsigned d[4]", "extern __shared__ unsigned s[]; s[threadIdx.x] = 0; unsigned d[4]")
    kernel = cuda.compile(code, gpu="h200").kernel()
    gpusim.profile(kernel, 1, 128, [y], dynamic_shared=8192, fresh=True)
    one = 20  # cycles: 64 rows and 16 columns of 32 bytes from shared memory
    assert 3 * one < y[0] < 5 * one  # the last four are under way
    assert 8 * one + 55 <= y[1] < 10 * one + 55
    gpusim.profile(kernel, 1, 256, [y], dynamic_shared=8192, fresh=True)  # two warpgroups take turns
    assert all(15 * one < found < 18 * one + 55 for found in (y[1], y[3]))


LATE = """
extern "C" __global__ void late(unsigned* y) {
  const unsigned begin = clock();
  if (threadIdx.x / 32 == 2) while (clock() - begin < 3000) ;
  if (MEETS) asm volatile("wgmma.fence.sync.aligned;");
  y[threadIdx.x] = clock() - begin;
}
"""


def test_warps_of_a_warpgroup_wait_for_one_another_before_products():
    y = np.zeros(256, np.uint32)
    gpusim.profile(cuda.compile(LATE.replace("MEETS", "true"), gpu="h200").kernel(), 1, 256, [y])
    assert y[:128].min() >= 3000
    assert y[128:].max() < 1000  # another warpgroup


def test_a_warp_that_does_not_come_to_a_product_is_waited_for_without_end():
    kernel = cuda.compile(LATE.replace("MEETS", "threadIdx.x < 96"), gpu="h200").kernel()
    with pytest.raises(
        GpusimError,
        match=r"kernel\.cu:5: late: .*warps of its warpgroup that do not come .*: warp 3 of the block is missing",
    ):
        gpusim.profile(kernel, 1, 128, [np.zeros(128, np.uint32)])


def test_counts_are_those_of_a_run_with_values_where_an_address_depends_on_a_product():
    full, counted = launched(2), launched(2, values=False)
    for name in ("smsp__inst_executed.sum", "sm__inst_executed_pipe_tensor_op_gmma.sum",
                 "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"):  # fmt: skip
        assert full.value(name) == counted.value(name)


# ------------------------------------------------------------------ what is refused


def said(module: cuda.Module, case: Case, threads: int = 128, first: int = 0, second: int = 0, **how: object) -> str:
    """What is wrong with a product of matrices that descriptors describe, or nothing."""
    arguments = [
        np.zeros(SHARED // 4, np.uint32), np.int32(SHARED // 16), np.uint64(first), np.uint64(second), np.int32(1),
        np.zeros(128 * case.words, np.uint32), np.zeros(512, np.uint32), np.zeros(128 * case.words, np.uint32),
    ]  # fmt: skip
    try:
        gpusim.profile(module.kernel(case.name), 4, threads, arguments, dynamic_shared=SHARED, fresh=True, **how)
    except GpusimError as error:
        return str(error)
    return ""


def refused(module: cuda.Module, case: Case, threads: int, first: int = 0) -> str:
    error = said(module, case, threads, first)
    assert error
    assert "\n" not in error
    return error


@pytest.mark.parametrize("threads", [32, 96, 100, 112, 127])
def test_products_need_a_whole_warpgroup(module, threads):
    assert "needs a whole warpgroup: four warps" in refused(module, CASES[0], threads)


def test_a_matrix_beyond_shared_memory_is_an_error_with_its_address(module):
    error = refused(module, CASES[0], 128, Lie(128, 16, 1024, start=SHARED - 1024).descriptor)
    assert "out of bounds of shared memory" in error
    assert "kernel.cu:" in error


WAYS = {
    "counted": {}, "timed": {"sample": False}, "sampled": {"sample": True}, "warm": {"cache": "warm"},
    "quick": {"sample": "quick"}, "timeline": {"timeline": gpusim.Recording()},
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", [CASES[0], CASES[1], CASES[6]], ids=lambda case: case.name)
def test_a_matrix_beyond_shared_memory_is_the_same_error_in_every_way(module, case, way):
    """Where values are not computed nothing was said of it."""
    beyond = Lie(128, 16, 1024, start=SHARED - 128).descriptor
    for first, second in ((0, beyond), *(() if case.in_registers else ((beyond, 0),))):
        error = said(module, case, first=first, second=second, values=True)
        assert "out of bounds of shared memory" in error
        assert said(module, case, first=first, second=second, values=False, **WAYS[way]) == error


@pytest.mark.long
@pytest.mark.parametrize("case", [*CASES[:1], *CASES[6:10], CASES[-2]], ids=lambda case: case.name)
def test_matrices_are_found_beyond_shared_memory_where_their_values_would_be(module, case):
    """However they lie, to the last piece."""
    rng = np.random.default_rng(case.n)
    found = set()
    for k in range(16):
        turned = case.b_turned
        swizzle, leading, stride = SWIZZLES[k % 4], *(16 * int(x) for x in rng.integers(0, 130, 2))
        lie = Lie(swizzle, leading, stride, turned, 0)
        size = ROW_BYTES // case.depth
        ends = (
            max(lie.address(row, byte, 16 // size) for row in range(case.n) for byte in (0, 14, 16, 30)) // 16 * 16 + 16
        )
        for start in (SHARED - ends, SHARED - ends + 16):
            of = Lie(swizzle, leading, stride, turned, start).descriptor
            error = said(module, case, second=of, values=True)
            assert said(module, case, second=of, values=False) == error
            found.add(bool(error))
    assert found == {True, False}


def test_code_for_hopper_alone_runs_on_no_other_gpu(tmp_path, module):
    file = tmp_path / "hopper.cubin"
    file.write_bytes(module.cubin.data)
    assert cuda.compile(file, gpu="h100-sxm").arch == "sm_90a"
    with pytest.raises(CudaError, match="is machine code for sm_90a, not for sm_80"):
        cuda.compile(file, gpu="a100-40gb")
    with pytest.raises(GpusimError, match="is machine code for sm_90a, a100-40gb runs sm_80"):
        gpusim.profile(module.kernel(CASES[0].name), 1, 128, [], gpu="a100-40gb")


# ------------------------------------------------------------------ registers that change hands, an elected lane

HANDED = """
extern "C" __global__ void __launch_bounds__(384, 1) handed(unsigned* y) {
  if (threadIdx.x < 128) { asm volatile("setmaxnreg.dec.sync.aligned.u32 FEWER;"); y[threadIdx.x] = 1; }
  else { asm volatile("setmaxnreg.inc.sync.aligned.u32 MORE;"); y[threadIdx.x] = 2; }
}
"""
"""Of 168 registers that every thread of 384 has."""


def handed(fewer: int, more: int, limit: int | None = 1_000_000) -> np.ndarray:
    text, y = HANDED.replace("FEWER", str(fewer)).replace("MORE", str(more)), np.zeros(384, np.uint32)
    kernel = cuda.compile(text, gpu="h200").kernel()
    assert kernel.code.registers == 168
    gpusim.profile(kernel, 1, 384, [y], limit=limit)
    return y


def test_warps_take_the_registers_that_others_give_back():
    np.testing.assert_array_equal(handed(24, 240), np.repeat([1, 2, 2], 128))


def test_a_warp_may_take_256_registers():
    text = HANDED.replace("384", "512").replace("< 128", "< 384").replace("FEWER", "80").replace("MORE", "256")
    y = np.zeros(512, np.uint32)
    gpusim.profile(cuda.compile(text, gpu="h200").kernel(), 1, 512, [y], limit=1_000_000)
    np.testing.assert_array_equal(y, np.repeat([1, 1, 1, 2], 128))


@pytest.mark.long
def test_registers_that_nobody_gives_back_are_waited_for_without_end():
    with pytest.raises(GpusimError, match=r"kernel\.cu:4: handed: .*(never ends|instruction limit)"):
        handed(24, 248)
    with pytest.raises(GpusimError, match=r"kernel\.cu:4: handed: .*never ends.* asks for 248 registers a thread"):
        handed(168, 248, limit=None)


def test_registers_are_given_back_by_those_who_have_them():
    with pytest.raises(
        GpusimError, match=r"kernel\.cu:3: handed: .*gives back registers .*: it has 168 a thread, and names 232"
    ):
        handed(232, 240)


ELECTED = """
extern "C" __global__ void elected(unsigned* y) {
  unsigned who, first;
  if (threadIdx.x % 32 < 5) return;
  asm volatile("{ .reg .pred p; elect.sync %1|p, 0xffffffe0; selp.u32 %0, 1, 0, p; }" : "=r"(who), "=r"(first));
  y[threadIdx.x] = 100 * who + first;
}
"""


def test_the_first_lane_is_elected():
    y = np.zeros(64, np.uint32)
    gpusim.profile(cuda.compile(ELECTED, gpu="h200").kernel(), 1, 64, [y])
    lanes = np.arange(64) % 32
    np.testing.assert_array_equal(y, np.select([lanes < 5, lanes == 5], [0, 105], 5))
