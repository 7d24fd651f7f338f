"""Small kernels of every sort, to be damaged and run: what a file may ask of the engine is in one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

BLOCKS, THREADS = 2, 64


def _zeros(n: int) -> np.ndarray:
    return np.zeros(n, np.float32)


def _counting(n: int) -> np.ndarray:
    return np.arange(n, dtype=np.float32)


def _numbers(n: int) -> np.ndarray:
    return np.arange(n, dtype=np.int32)


@dataclass(frozen=True)
class Victim:
    """A kernel and what it is launched with.

    Attributes
    ----------
    text : str
        CUDA C++ of one kernel.
    arguments : callable
        Gives them, made anew.
    """

    text: str
    arguments: Callable[[], list[Any]]


VICTIMS = {
    "saxpy": Victim(
        """__global__ void k(int n, float a, const float* x, float* y) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] += a * x[i];
        }""",
        lambda: [np.int32(100), np.float32(2), _counting(128), _zeros(128)],
    ),
    "sum": Victim(
        """__global__ void k(const float* x, float* y) {
            __shared__ float s[64];
            s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
            for (int n = 32; n; n >>= 1) {
                __syncthreads();
                if (threadIdx.x < n) s[threadIdx.x] += s[threadIdx.x + n];
            }
            float t = s[threadIdx.x & 31];
            for (int n = 16; n; n >>= 1) t += __shfl_xor_sync(~0u, t, n);
            unsigned b = __ballot_sync(~0u, t > 3.0f);
            if (!threadIdx.x) y[blockIdx.x] = s[0] + t + __popc(b) + __syncthreads_count(0);
        }""",
        lambda: [_counting(128), _zeros(2)],
    ),
    "divergence": Victim(
        """__device__ __noinline__ int f(int a, int b) { return a % 7 * b + (a >> 3); }
        __device__ __noinline__ int r(int n) { return n < 2 ? n : r(n - 1) + r(n - 2); }
        __global__ void k(const int* x, int* y) {
            int i = blockIdx.x * 64 + threadIdx.x, v = x[i];
            for (int n = 0; n < (v & 7); n++) {
                if (v % 3 == n) continue;
                if (v + n > 90) break;
                v += f(v, n);
            }
            switch (i % 6) {
                case 0: v += r(i & 3); break;
                case 1: v = f(v, 3); break;
                case 2: v ^= 0x55; break;
                case 3: v = -v; break;
                case 4: v *= 17; break;
                default: v = v / 5;
            }
            y[i] = v;
        }""",
        lambda: [_numbers(128), _numbers(128)],
    ),
    "local": Victim(
        """__constant__ int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
        __device__ int calls;
        __global__ void k(const int* x, int* y, int n) {
            int a[24], i = threadIdx.x;
            for (int j = 0; j < 24; j++) a[j] = x[(i + j) & 63] + table[j & n];
            short* h = reinterpret_cast<short*>(a);
            for (int j = 0; j < n; j++) a[x[j] & 15] += table[(a[j] & 15)] + h[j];
            y[i] = a[i & 7];
            calls = n;
        }""",
        lambda: [_numbers(64), _numbers(64), np.int32(7)],
    ),
    "atomics": Victim(
        """__global__ void k(int* x, float* y, unsigned long long* z) {
            __shared__ int bins[32];
            if (threadIdx.x < 32) bins[threadIdx.x] = 0;
            __syncthreads();
            atomicAdd(&bins[threadIdx.x * 7 & 31], 1);
            atomicMax(&x[threadIdx.x & 3], int(threadIdx.x));
            atomicAdd(y, 1.5f);
            atomicCAS(z, 0ull, 7ull + threadIdx.x);
            atomicExch(&bins[3], 2);
            __syncthreads();
            int old = __reduce_add_sync(~0u, bins[threadIdx.x & 31]) + __match_any_sync(~0u, x[3]);
            if (threadIdx.x < 32) x[threadIdx.x] = bins[threadIdx.x] + old;
        }""",
        lambda: [_numbers(32), _zeros(1), np.zeros(1, np.uint64)],
    ),
    "tensor": Victim(
        """__global__ void k(const unsigned* x, float* y) {
            __shared__ __align__(16) unsigned s[256];
            for (int j = threadIdx.x; j < 256; j += 64) s[j] = x[j];
            __syncthreads();
            unsigned a0, a1, a2, a3, at = (unsigned)__cvta_generic_to_shared(s) + (threadIdx.x & 31) * 16;
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                         : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3) : "r"(at));
            float c[4] = {1, 2, 3, 4};
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9},"
                         "{%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                         : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(a2), "r"(a1));
            for (int j = 0; j < 4; j++) y[(blockIdx.x * 64 + threadIdx.x) * 4 + j] = c[j];
        }""",
        lambda: [np.arange(256, dtype=np.uint32), _zeros(512)],
    ),
    "copies": Victim(
        """__global__ void k(const float4* x, float4* y, int n) {
            extern __shared__ float4 unused[];
            __shared__ float4 s[2][64];
            unsigned at = (unsigned)__cvta_generic_to_shared(&s[0][threadIdx.x]);
            for (int j = 0; j < 2; j++) {
                asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                             :: "r"(at + j * 1024), "l"(x + j * 64 + threadIdx.x));
                asm volatile("cp.async.commit_group;");
            }
            asm volatile("cp.async.wait_group 1;");
            __syncthreads();
            float4 v = s[0][63 - threadIdx.x];
            asm volatile("cp.async.wait_all;");
            asm volatile("bar.sync %0, 64;" :: "r"(n));
            float4 w = s[1][threadIdx.x];
            v.x += w.y; v.z *= w.w;
            y[blockIdx.x * 64 + threadIdx.x] = v;
        }""",
        lambda: [_counting(512), _zeros(512), np.int32(3)],
    ),
    "doubles": Victim(
        """#include <cuda_fp16.h>
        typedef double (*op)(double, double);
        __device__ __noinline__ double add(double a, double b) { return a + b; }
        __device__ __noinline__ double mul(double a, double b) { return a * b; }
        __global__ void k(const double* x, double* y, const __half2* h, long long n) {
            op which = (threadIdx.x & 1) ? add : mul;
            double v = which(x[threadIdx.x], 0.5) + (double)(n * threadIdx.x);
            __half2 p = __hfma2(h[threadIdx.x], h[0], h[1]);
            y[blockIdx.x * 64 + threadIdx.x] = v / 3.7 + __low2float(p) + sqrt(fabs(v)) + (double)__float2int_rn(v);
        }""",
        lambda: [np.arange(64.0), np.zeros(128), np.arange(128, dtype=np.float16), np.int64(5)],
    ),
}
