"""Does a CUDA kernel compute what NumPy does?"""

import ml_dtypes
import numpy as np
import pytest

import gpusim
from gpusim import cuda
from tests.profile.running import SAXPY, kernel, run

pytestmark = pytest.mark.usefixtures("compiler")

RNG = np.random.default_rng(5)
INDEX = "const int i = blockIdx.x * blockDim.x + threadIdx.x;"


def normal(count, dtype=np.float32):
    return RNG.standard_normal(count).astype(dtype)


@pytest.mark.parametrize("gpu", ["h200", "a100-40gb", "rtx-4090"])
def test_saxpy(gpu):
    x, y = normal(1000), normal(1000)
    wanted = y + np.float32(2.5) * x
    gpusim.profile(kernel(SAXPY, gpu=gpu), 4, 256, [1000, 2.5, x, y], gpu=gpu)
    np.testing.assert_allclose(y, wanted, rtol=1e-6, atol=1e-6)


def test_a_grid_and_block_of_three_dimensions():
    out = np.zeros((2, 3, 4, 5, 2, 6), np.int32)
    text = """__global__ void where(int* out) {
        int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        out[block * blockDim.x * blockDim.y * blockDim.z + thread] = 1 + block * 1000 + thread;
    }"""
    run(text, (4, 3, 2), (6, 2, 5), out)
    wanted = 1 + 1000 * np.arange(24)[:, None] + np.arange(60)
    np.testing.assert_array_equal(out.reshape(24, 60), wanted)


def test_instances_of_a_template():
    text = f"""template <typename T, int FACTOR>
    __global__ void scale(const T* x, T* y) {{ {INDEX} y[i] = x[i] * T(FACTOR); }}"""
    x, y = normal(64), np.zeros(64, np.float32)
    run(text, 1, 64, x, y, name="scale<float, 3>")
    np.testing.assert_array_equal(y, 3 * x)
    n, m = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    run(text, 1, 64, n, m, name="scale<int,-2>")
    np.testing.assert_array_equal(m, -2 * n)


def test_device_variables_and_constants_keep_their_initial_values():
    text = f"""
    __device__ int table[4] = {{7, 11, 13, 17}};
    __constant__ float weights[3] = {{0.5f, 0.25f, 2.0f}};
    __device__ int* pointer = table + 1;
    __global__ void look(const float* x, float* y, int* z) {{
        {INDEX}
        y[i] = x[i] * weights[i % 3];
        z[i] = table[i % 4] + *pointer;
    }}"""
    x, y, z = normal(64), np.zeros(64, np.float32), np.zeros(64, np.int32)
    run(text, 2, 32, x, y, z)
    np.testing.assert_array_equal(y, x * np.float32([0.5, 0.25, 2.0])[np.arange(64) % 3])
    np.testing.assert_array_equal(z, np.array([7, 11, 13, 17])[np.arange(64) % 4] + 11)


def test_a_struct_by_value():
    text = f"""struct Box {{ int first; double width; float* out; }};
    __global__ void fill(Box box) {{ {INDEX} if (i >= box.first) box.out[i] = box.width * i; }}
    """
    with pytest.raises(cuda.ArgumentError, match="argument 1 of fill \\(Box box\\) has 24 bytes: give bytes"):
        run(text, 1, 32, 3)
    text = f"""struct Pair {{ int a; float b; double c; }};
    __global__ void fill(Pair p, double* out) {{ {INDEX} out[i] = p.a + p.b * i + p.c; }}"""
    pair = np.array([(3, 0.5, 100.25)], np.dtype([("a", "i4"), ("b", "f4"), ("c", "f8")]))
    out = np.zeros(32)
    run(text, 1, 32, pair.tobytes(), out)
    np.testing.assert_array_equal(out, 103.25 + 0.5 * np.arange(32))


def test_doubles():
    text = f"""__global__ void f(const double* x, double* y, double a) {{
        {INDEX} y[i] = sqrt(x[i] * x[i] + a) / (1.0 + a); }}"""
    x, y = normal(96, np.float64), np.zeros(96)
    run(text, 3, 32, x, y, 0.125)
    np.testing.assert_allclose(y, np.sqrt(x * x + 0.125) / 1.125, rtol=1e-15)


PRODUCT = """
extern "C" __global__ void product(const double* a, const double* b, const double* c, double* d) {
  int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  double x[K / 2], y[K / 4], z[4];
  for (int i = 0; i < K / 2; i++) x[i] = a[(g + 8 * (i % 2)) * K + t + 4 * (i / 2)];
  for (int i = 0; i < K / 4; i++) y[i] = b[(t + 4 * i) * 8 + g];
  for (int i = 0; i < 4; i++) z[i] = c[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2];
  asm volatile("mma.sync.aligned.m16n8kDEPTH.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {FIRST}, {SECOND}, {%0,%1,%2,%3};"
    : "+d"(z[0]), "+d"(z[1]), "+d"(z[2]), "+d"(z[3]) : VALUES);
  for (int i = 0; i < 4; i++) d[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2] = z[i];
}
"""


@pytest.mark.parametrize("k", [4, 8, 16])
def test_products_of_matrices_of_16_rows_of_doubles(k):
    places = [f"%{4 + i}" for i in range(3 * k // 4)]
    values = [f'"d"(x[{i}])' for i in range(k // 2)] + [f'"d"(y[{i}])' for i in range(k // 4)]
    told = {"FIRST": ", ".join(places[: k // 2]), "SECOND": ", ".join(places[k // 2 :]), "VALUES": ", ".join(values)}
    text = PRODUCT.replace("DEPTH", str(k))
    for word, meaning in told.items():
        text = text.replace(word, meaning)
    a, b, c, d = normal((16, k), float), normal((k, 8), float), normal((16, 8), float), np.zeros((16, 8))
    gpusim.profile(kernel(text, defines={"K": k}), 1, 32, [a, b, c, d])
    np.testing.assert_allclose(d, a @ b + c, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("divisor", ["4.120347", "3.0", "0.1", "1e300", "(i & 1 ? 1e300 : 3e-300)"])
def test_doubles_divided_by_a_constant(divisor):
    x, y = normal(32, np.float64), np.zeros(32)
    run(f"__global__ void f(const double* x, double* y) {{ {INDEX} y[i] = x[i] / {divisor}; }}", 1, 32, x, y)
    by = np.where(np.arange(32) & 1, 1e300, 3e-300) if "?" in divisor else float(divisor)
    np.testing.assert_array_equal(y, x / by)


@pytest.mark.parametrize("factor", [8.0, 4.0, 0.5, 0.25, 0.125])
def test_a_product_times_a_power_of_two_is_rounded_once(factor):
    """The compiler makes one FMUL of it, such as FMUL.M4."""
    text = f"__global__ void f(const float* x, const float* y, float* z) {{ {INDEX} z[i] = x[i] * y[i] * {factor}f; }}"
    x = (RNG.uniform(1, 2, 512) * 2.0 ** RNG.integers(-75, -60, 512)).astype(np.float32)
    y, z = (RNG.uniform(-2, 2, 512) * 2.0 ** RNG.integers(-75, -60, 512)).astype(np.float32), np.zeros(512, np.float32)
    run(text, 2, 256, x, y, z)
    wanted = (x.astype(np.float64) * y * factor).astype(np.float32)
    assert (wanted != x * y * np.float32(factor)).any()
    np.testing.assert_array_equal(z, wanted)


def test_bits_counted_of_an_inverted_word():
    x = RNG.integers(0, 2**32, 32, dtype=np.uint32) | np.uint32(0xFFFF0000)
    y = np.zeros((3, 32), np.int32)
    text = f"""__global__ void f(const unsigned* x, int* y) {{
        {INDEX} y[i] = __clz(~x[i]); y[32 + i] = __popc(~x[i]); y[64 + i] = __brev(~x[i]) >> 16; }}"""
    run(text, 1, 32, x, y)
    inverted = [f"{~value & 0xFFFFFFFF:032b}" for value in x.tolist()]
    wanted = [[len(b) - len(b.lstrip("0")), b.count("1"), int(b[::-1], 2) >> 16] for b in inverted]
    np.testing.assert_array_equal(y.T, wanted)


@pytest.mark.parametrize(
    ("kind", "header", "dtype"),
    [("__half", "cuda_fp16.h", np.float16), ("__nv_bfloat16", "cuda_bf16.h", ml_dtypes.bfloat16)],
)
def test_numbers_of_two_bytes(kind, header, dtype):
    text = f"""#include <{header}>
    __global__ void f(const {kind}* x, {kind}* y, {kind} a) {{ {INDEX} y[i] = __hmul(x[i], a); }}"""
    x, y = normal(64, dtype), np.zeros(64, dtype)
    run(text, 2, 32, x, y, 1.5)
    np.testing.assert_array_equal(y, (x.astype(np.float32) * np.float32(1.5)).astype(dtype))


def test_atomics_of_global_memory():
    text = f"""__global__ void count(const int* x, int* bins, float* sum, int* most) {{
        {INDEX} atomicAdd(&bins[x[i]], 1); atomicAdd(sum, 0.5f); atomicMax(most, x[i]); }}"""
    x, bins = RNG.integers(0, 10, 512).astype(np.int32), np.zeros(10, np.int32)
    total, most = np.zeros(1, np.float32), np.zeros(1, np.int32)
    run(text, 4, 128, x, bins, total, most)
    np.testing.assert_array_equal(bins, np.bincount(x, minlength=10))
    assert (total[0], most[0]) == (256, x.max())


@pytest.mark.parametrize("n", [6, 7])
def test_atomics_of_16_bits_reach_the_last_element_of_an_array(n):
    text = """#include <cuda_fp16.h>
    __global__ void change(unsigned short* x, __half* y, int n) {
        if (threadIdx.x < n) { atomicCAS(x + threadIdx.x, (unsigned short)0, (unsigned short)5);
                               atomicAdd(y + threadIdx.x, __half(2.0f)); } }"""
    x, y = np.zeros(n, np.uint16), np.ones(n, np.float16)
    run(text, 1, 32, x, y, np.int32(n))
    assert (x == 5).all()
    assert (y == 3).all()


def test_a_histogram_in_shared_memory():
    text = f"""__global__ void count(const int* x, int* bins) {{
        __shared__ int own[16];
        {INDEX}
        if (threadIdx.x < 16) own[threadIdx.x] = 0;
        __syncthreads();
        atomicAdd(&own[x[i] & 15], 1);
        __syncthreads();
        if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
    }}"""
    x, bins = RNG.integers(0, 16, 512).astype(np.int32), np.zeros(16, np.int32)
    run(text, 4, 128, x, bins)
    np.testing.assert_array_equal(bins, np.bincount(x, minlength=16))


def test_a_sum_by_shuffles_and_shared_memory():
    text = f"""__global__ void sum(const float* x, float* out) {{
        __shared__ float parts[8];
        {INDEX}
        float v = x[i];
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
        if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
        __syncthreads();
        if (threadIdx.x == 0) {{ float s = 0; for (float p : parts) s += p; out[blockIdx.x] = s; }}
    }}"""
    x, out = normal(1024), np.zeros(4, np.float32)
    run(text, 4, 256, x, out)
    np.testing.assert_allclose(out, x.reshape(4, 256).sum(axis=1), atol=1e-4)


def test_votes():
    text = f"__global__ void vote(const int* x, unsigned* y) {{ {INDEX} y[i] = __ballot_sync(0xffffffff, x[i] > 0); }}"
    x, y = RNG.integers(-5, 5, 64).astype(np.int32), np.zeros(64, np.uint32)
    run(text, 1, 64, x, y)
    wanted = np.packbits((x > 0).reshape(2, 32), axis=1, bitorder="little").view(np.uint32)
    np.testing.assert_array_equal(y, np.repeat(wanted[:, 0], 32))


def test_dynamic_shared_memory():
    text = f"""extern __shared__ float block[];
    __global__ void turn(const float* x, float* y) {{
        {INDEX} block[threadIdx.x] = x[i]; __syncthreads(); y[i] = block[blockDim.x - 1 - threadIdx.x]; }}"""
    x, y = normal(512), np.zeros(512, np.float32)
    profile = run(text, 2, 256, x, y, dynamic_shared=100_000)
    np.testing.assert_array_equal(y.reshape(2, 256), x.reshape(2, 256)[:, ::-1])
    assert profile.blocks_per_sm == 2


def test_arrays_in_local_memory():
    text = f"""__global__ void tally(const int* keys, int* y) {{
        int mine[32] = {{}};
        {INDEX}
        for (int k = 0; k < 64; k++) mine[keys[(i + k * k) % 64]] += k;
        for (int k = 0; k < 32; k++) y[i * 32 + k] = mine[k];
    }}"""
    keys, y = RNG.integers(0, 32, 64).astype(np.int32), np.zeros((64, 32), np.int32)
    profile = run(text, 2, 32, keys, y)
    k = np.arange(64)
    wanted = [np.bincount(keys[(i + k * k) % 64], weights=k, minlength=32) for i in range(64)]
    np.testing.assert_array_equal(y, wanted)
    assert profile.value("smsp__inst_executed_op_local_st.sum") > 0


def test_a_loop_that_depends_on_data():
    text = f"""__global__ void steps(const unsigned* x, int* y) {{
        {INDEX} unsigned v = x[i]; int n = 0; while (v != 1) {{ v = v & 1 ? 3 * v + 1 : v / 2; n++; }} y[i] = n; }}"""
    x, y = np.arange(1, 65, dtype=np.uint32), np.zeros(64, np.int32)
    run(text, 1, 64, x, y)
    assert y[:9].tolist() == [0, 1, 7, 2, 5, 8, 16, 3, 19]


@pytest.mark.parametrize("gpu", ["h200", "a100-40gb", "b200"])
def test_a_function_that_calls_itself_has_a_stack(gpu):
    text = f"""__device__ __noinline__ float half(float a, int d) {{ return d ? half(a * 0.5f, d - 1) + 1 : a; }}
    __global__ void k(const float* x, float* y, int depth) {{ {INDEX} y[i] = half(x[i], depth); }}"""
    x, y = normal(64), np.zeros(64, np.float32)
    gpusim.profile(kernel(text, gpu=gpu), 2, 32, [x, y, 3], gpu=gpu)
    np.testing.assert_allclose(y, x / 8 + 3, rtol=1e-6)


def test_lanes_that_recurse_to_different_depths():
    text = f"""__device__ __noinline__ float half(float a, int d) {{ return d ? half(a * 0.5f, d - 1) + 1 : a; }}
    __global__ void k(const float* x, float* y) {{ {INDEX} y[i] = half(x[i], i % 5); }}"""
    x, y = normal(64), np.zeros(64, np.float32)
    run(text, 2, 32, x, y)
    depth = np.arange(64) % 5
    np.testing.assert_allclose(y, x / 2**depth + depth, rtol=1e-6)


def test_printf_that_is_not_reached_does_no_harm():
    text = f"""#include <cstdio>
    __global__ void k(int* x) {{ {INDEX} if (x[i] < 0) printf("%d is negative\\n", x[i]); x[i] += 1; }}"""
    x = np.arange(32, dtype=np.int32)
    run(text, 1, 32, x)
    np.testing.assert_array_equal(x, np.arange(1, 33))


def test_a_null_pointer_that_is_not_used():
    text = f"__global__ void k(const float* maybe, float* y) {{ {INDEX} y[i] = maybe ? maybe[i] : 1.0f; }}"
    y = np.zeros(32, np.float32)
    run(text, 1, 32, None, y)
    assert (y == 1).all()


def test_every_other_element_of_an_array():
    x, both = normal(32), np.zeros(64, np.float32)
    run(SAXPY, 1, 32, 32, 1.0, x, both[::2])
    np.testing.assert_array_equal(both[::2], x)
    assert not both[1::2].any()


def test_a_cubin_needs_no_source(tmp_path):
    made = cuda.compile(SAXPY, gpu="h200")
    (tmp_path / "saxpy.cubin").write_bytes(made.cubin.data)
    x, y = normal(64), np.zeros(64, np.float32)
    read = cuda.compile(tmp_path / "saxpy.cubin", gpu="h200").kernel("saxpy")
    gpusim.profile(read, 2, 32, [np.int32(64), np.float32(2), x, y])
    np.testing.assert_array_equal(y, 2 * x)


def test_a_large_matrix_of_zeros_is_zeros_beside_results_that_go_nowhere():
    """An IADD3 to RZ leaves the low words' carry; the sums that a DMMA.16x8x4 adds to are RZ, of eight words."""
    text = """__global__ void product(const double* a, const double* b, double* d, unsigned* q) {
        unsigned lane = threadIdx.x, high;
        asm volatile("{.reg .u32 low; add.cc.u32 low, %1, %2; addc.u32 %0, %3, 0;}"
                     : "=r"(high) : "r"(q[lane]), "r"(q[lane + 32]), "r"(lane));
        q[lane] = high;
        double* r = d + 4 * lane;
        asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%7,%7,%7};"
                     : "=d"(r[0]), "=d"(r[1]), "=d"(r[2]), "=d"(r[3])
                     : "d"(a[lane]), "d"(a[lane + 32]), "d"(b[lane]), "d"(0.0));
    }"""
    d = np.ones(128)
    run(text, 1, 32, np.zeros(64), np.ones(32), d, np.arange(64, dtype=np.uint32) + 7)
    np.testing.assert_array_equal(d, 0)
