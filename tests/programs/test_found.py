"""What random programs have found, each as small as it can be, held against NumPy."""

import ml_dtypes
import numpy as np
import pytest

import gpusim
from tests.profile.running import kernel, run

pytestmark = pytest.mark.usefixtures("compiler")

INDEX = "const int i = threadIdx.x;"
HALVES = np.array([0, 0.5, -0.5, 1.25, -2.5, 3.75, 100, -1000, 448, 500, 6e-5, 1e-6, -1e-7, np.inf, -np.inf, 65504] * 4)


def half_pairs(body, *inputs):
    """What a kernel that ends in ``o[i] = ...`` makes of pairs of fp16."""
    out = np.zeros(64, np.float16)
    names = ", ".join(f"const __half2* {name}" for name in "abc"[: len(inputs)])
    text = f"#include <cuda_fp16.h>\n__global__ void f({names}, __half2* o) {{ {INDEX} {body} }}"
    run(text, 1, 32, *(np.asarray(x, np.float16) for x in inputs), out)
    return out


@pytest.mark.parametrize(("name", "number"), [("floor", -2.5), ("ceil", 0.018585205078125), ("rint", 3.5)])
def test_a_literal_half_is_made_whole(name, number):
    found = half_pairs(f"o[i] = __hadd2(a[i], h2{name}(__float2half2_rn({number}f)));", np.zeros(64))
    np.testing.assert_array_equal(found, getattr(np, name)(np.float16(number)))


def test_halves_change_places_and_one_is_negated():
    a, b, c = HALVES[:64], np.roll(HALVES, 1), np.roll(HALVES, 3)
    body = """__half2 n = __halves2half2(__low2half(b[i]), __hneg(__high2half(b[i])));
        o[i] = __hfma2(__hneg2(a[i]), n, __habs2(c[i]));"""
    found = half_pairs(body, a, b, c)
    signs = np.tile([-1, 1], 32)
    with np.errstate(all="ignore"):
        x, y, z = (np.float16(v).astype(np.float64) for v in (a, b, c))
        np.testing.assert_array_equal(found, np.float16(signs * x * y + np.abs(z)))


def test_the_least_and_the_greatest_of_three_halves():
    a, b = HALVES, np.roll(HALVES, 5)
    found = half_pairs("o[i] = __hmax2_nan(__hmax2_nan(a[i], __float2half2_rn(1.5f)), b[i]);", a, b)
    np.testing.assert_array_equal(found, np.float16(np.maximum(np.maximum(a, 1.5), b)))
    found = half_pairs("o[i] = __hmin2(__hmin2(a[i], b[i]), __hneg2(c[i]));", a, b, np.roll(a, 2))
    np.testing.assert_array_equal(found, np.float16(np.minimum(np.minimum(a, b), -np.roll(a, 2))))


@pytest.mark.parametrize(("kind", "dtype"), [("E4M3", ml_dtypes.float8_e4m3fn), ("E5M2", ml_dtypes.float8_e5m2)])
def test_pairs_of_halves_become_octets(kind, dtype):
    x, y = HALVES.astype(np.float16), np.zeros(64, np.uint8)
    text = f"""#include <cuda_fp8.h>
    __global__ void f(const __half2_raw* x, __nv_fp8x2_storage_t* y) {{
        {INDEX} y[i] = __nv_cvt_halfraw2_to_fp8x2(x[i], __NV_SATFINITE, __NV_{kind}); }}"""
    run(text, 1, 32, x, y)
    most = np.float32(ml_dtypes.finfo(dtype).max)
    wanted = np.clip(x.astype(np.float32), -most, most).astype(dtype)
    np.testing.assert_array_equal(y.view(dtype).astype(np.float32), wanted.astype(np.float32))


@pytest.mark.parametrize("number", [0x8D12E70_00000000, -(1 << 61), 1 << 40])
def test_a_literal_of_64_bits_becomes_a_float(number):
    out = np.zeros(32)
    text = f"__global__ void f(double* o) {{ {INDEX} o[i] = __ll2double_rd((long long){number % 2**64}ull); }}"
    gpusim.profile(kernel(text, gpu="b200"), 1, 32, [out], gpu="b200")
    np.testing.assert_array_equal(out, float(number))


def test_a_shifted_word_is_added_with_a_carry():
    x, y = np.arange(32, dtype=np.uint64) * np.uint64(0x0123456789ABCDEF), np.zeros(32, np.uint64)
    text = f"""__global__ void f(const unsigned long long* x, unsigned long long* y) {{
        {INDEX} y[i] = (x[i] >> 32 << 36) + (x[i] & 0xffffffff) - 0x1000000001ull + (x[i] << 4 & 0xff0); }}"""
    run(text, 1, 32, x, y)
    with np.errstate(over="ignore"):
        high, low = x >> np.uint64(32) << np.uint64(36), x & np.uint64(0xFFFFFFFF)
        np.testing.assert_array_equal(y, high + low - np.uint64(0x1000000001) + (x << np.uint64(4) & np.uint64(0xFF0)))


@pytest.mark.parametrize("gpu", ["a100-40gb", "h200", "b200"])
def test_a_constant_narrower_than_a_word_is_read_where_it_lies(gpu):
    """LDC.U8 and .S16 of a constant address: bytes of a struct, and of ``__constant__`` memory."""
    text = """struct S { unsigned char c[4]; short s[2]; };
    __constant__ short table[6] = {1, -2, 3, -4, 5, -6};
    __global__ void f(S a, int* o) { const int i = threadIdx.x & 1;
        o[threadIdx.x] = a.c[1] + (a.c[3] << 8) + a.s[1] + table[3] + a.c[i + 1]; }"""
    out = np.zeros(32, np.int32)
    packed = bytes([7, 11, 13, 250]) + np.array([-300, -1000], np.int16).tobytes()
    gpusim.profile(kernel(text, gpu=gpu), 1, 32, [packed, out], gpu=gpu)
    np.testing.assert_array_equal(out, 11 + (250 << 8) - 1000 - 4 + np.tile([11, 13], 16))


def test_a_recursion_of_some_lanes_is_no_loop_that_spins():
    """Others wait for them at a convergence barrier that every level saves, in a loop with a YIELD."""
    text = """__device__ __noinline__ unsigned deep(unsigned x, unsigned y) {
        return x == 0 ? y : y + 3 * deep(x - 1, y ^ x); }
    __global__ void f(const unsigned* x, unsigned* y) {
        __shared__ unsigned own[32];
        const int i = threadIdx.x; unsigned v = own[i] = x[i];
        if (v & 1) for (unsigned k = 8; k-- > (x[v & 31] & 3);) v += deep(v & 7, v ^ atomicExch(&own[i], k));
        __syncthreads();
        y[i] = v + own[i ^ 1]; }"""
    x, y = np.random.default_rng(0).integers(0, 2**32, 32, dtype=np.uint32), np.zeros(32, np.uint32)
    run(text, 1, 32, x, y)
    v, own = x.tolist(), x.tolist()
    for i in range(32):
        k = 8 if v[i] & 1 else 0
        while k > x[v[i] & 31] & 3:
            k -= 1
            v[i], own[i] = (v[i] + deep(v[i] & 7, v[i] ^ own[i])) % 2**32, k
    np.testing.assert_array_equal(y, [(v[i] + own[i ^ 1]) % 2**32 for i in range(32)])


def deep(x, y):
    """The same function here."""
    return y if x == 0 else (y + 3 * deep(x - 1, y ^ x)) % 2**32


# ------------------------------------------------------------------ lanes of a warp whose masks differ

BY_GROUP = """__global__ void f(const unsigned* a, const unsigned* masks, unsigned* o) {
    const int i = threadIdx.x;
    const unsigned mask = masks[i], v = a[i];
    int agree, n = 0;
    auto put = [&](unsigned x) { o[32 * n++ + i] = x; };
    put(__ballot_sync(mask, v & 1)); put(__any_sync(mask, v == 7)); put(__all_sync(mask, v < 40));
    put(__match_any_sync(mask, v & 3)); put(__match_all_sync(mask, v < 40, &agree)); put(agree);
    put(__reduce_add_sync(mask, v)); put(__reduce_max_sync(mask, v));
    put(__shfl_sync(mask, v, __ffs(mask) - 1));
    if (i & 2) { put(__ballot_sync(mask & 0xcccccccc, v & 1)); } else { put(__ballot_sync(mask & 0x33333333, v > 20)); }
    __syncwarp(mask);
}"""
GROUPS = {
    "halves": np.arange(32) // 16, "fours": np.arange(32) // 4, "odd and even": np.arange(32) % 2,
    "each alone": np.arange(32), "together": np.zeros(32, int), "one apart": np.arange(32) == 5,
}  # fmt: skip


def by_group(v, groups):
    """What BY_GROUP puts down for each lane."""
    v, lanes = v.astype(int), np.arange(32)

    def bits(found):
        return sum(1 << int(k) for k in lanes[found])

    found = []
    for lane in lanes:
        mates = groups == groups[lane]
        agree = len(set(v[mates] < 40)) == 1
        branch = (lanes & 2 == lane & 2) & ((v & 1 == 1) if lane & 2 else v > 20)
        found.append([
            bits(mates & (v & 1 == 1)), any(v[mates] == 7), all(v[mates] < 40), bits(mates & (v & 3 == v[lane] & 3)),
            bits(mates) * agree, agree, sum(v[mates]), max(v[mates]), v[mates][0], bits(mates & branch),
        ])  # fmt: skip
    return np.array(found, np.uint32).T.ravel()


@pytest.mark.parametrize("options", [(), ("-Xptxas=-O0",)], ids=["optimised", "not optimised"])
@pytest.mark.parametrize("gpu", ["a100-40gb", "h200", "b200"])
def test_lanes_of_one_mask_are_a_group_of_their_own(gpu, options):
    compiled = gpusim.cuda.compile(BY_GROUP, gpu=gpu, options=options).kernel()
    values = np.random.default_rng(3).integers(0, 45, 32).astype(np.uint32)
    for groups in GROUPS.values():
        masks = np.array([sum(1 << k for k in range(32) if groups[k] == one) for one in groups], np.uint32)
        out = np.zeros(320, np.uint32)
        gpusim.profile(compiled, 1, 32, [values, masks, out], gpu=gpu)
        np.testing.assert_array_equal(out, by_group(values, groups))


# ------------------------------------------------------------------ what the driver says of a launch


def special(name, gpu, **how):
    """What a thread reads from a special register."""
    text = f'__global__ void f(unsigned* o) {{ unsigned v; asm volatile("mov.u32 %0, %%{name};" : "=r"(v)); *o = v; }}'
    out = np.zeros(1, np.uint32)
    gpusim.profile(kernel(text, gpu=gpu), 1, 1, [out], gpu=gpu, **how)
    return out[0]


@pytest.mark.parametrize("gpu", ["a100-40gb", "rtx-4090", "h200", "b200"])
def test_a_kernel_reads_how_much_dynamic_shared_memory_it_has(gpu):
    assert special("dynamic_smem_size", gpu, dynamic_shared=4096) == 4096
    assert special("dynamic_smem_size", gpu) == 0


@pytest.mark.parametrize(
    ("name", "gpu"), [("nsmid", "a100-40gb"), ("nsmid", "h200"), ("nsmid", "b200"), ("nwarpid", "h200")]
)
def test_what_gpusim_does_not_know_is_no_zero(name, gpu):
    with pytest.raises(gpusim.errors.GpusimError, match="does not know"):
        special(name, gpu)
