// Launches in which one number of a GPU decides; tests/hardware/test_what_if.py doubles and halves it.
#include <cuda_fp16.h>

extern "C" __global__ void fp64(const double *x, double *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = x[i], s = a;
    for (int k = 0; k < 64; k++) s = fma(s, a, 1.0);
    y[i] = s;
}

extern "C" __global__ void half2s(const __half2 *x, __half2 *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 a = x[i], s = a, t = a, u = a, v = a;
    for (int k = 0; k < 64; k++) {
        s = __hfma2(s, a, a);
        t = __hfma2(t, a, s);
        u = __hfma2(u, a, a);
        v = __hfma2(v, a, u);
    }
    y[i] = __hadd2(__hadd2(s, t), __hadd2(u, v));
}

// Products of 16x8x16 and of 16x8x8 halves.
template <int K> __device__ void product(float *d, const unsigned *a, const unsigned *b);
template <> __device__ void product<16>(float *d, const unsigned *a, const unsigned *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <> __device__ void product<8>(float *d, const unsigned *a, const unsigned *b) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

template <int K> __device__ void products(const unsigned *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a[4] = {x[i % 32], x[i % 32], x[i % 32], x[i % 32]}, b[2] = {x[i % 32], x[i % 32]};
    float d[8][4] = {};
    for (int k = 0; k < 32; k++)
#pragma unroll
        for (int j = 0; j < 8; j++) product<K>(d[j], a, b);
    for (int j = 0; j < 8; j++) y[i] += d[j][0] + d[j][1] + d[j][2] + d[j][3];
}

extern "C" __global__ void mma16(const unsigned *x, float *y) { products<16>(x, y); }
extern "C" __global__ void mma8(const unsigned *x, float *y) { products<8>(x, y); }

// A chain of fp64 products, each of which waits for the one before.
extern "C" __global__ void mma64(const double *x, double *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = x[i % 32], c = 0, d = 0;
    for (int k = 0; k < 64; k++)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                     : "+d"(c), "+d"(d)
                     : "d"(a), "d"(a));
    y[i] = c + d;
}

// Loads that hit, eight independent ones after another, by warps of one scheduler.
template <typename T> __device__ float loads(T *x) {
    float sums[8] = {}, sum = 0;
    for (int k = 0; k < 32; k++)
#pragma unroll
        for (int j = 0; j < 8; j++) sums[j] += x[32 * j + threadIdx.x % 32];
    for (int j = 0; j < 8; j++) sum += sums[j];
    return sum;
}

extern "C" __global__ void shared_loads(float *y) {
    __shared__ volatile float s[32 * 8];
    if (threadIdx.x >= 32) return;
    for (int k = 0; k < 8; k++) s[32 * k + threadIdx.x % 32] = k;
    y[blockIdx.x * blockDim.x + threadIdx.x] = loads(s);
}

extern "C" __global__ void global_loads(const volatile float *x, float *y) {
    if (threadIdx.x >= 32) return;
    y[blockIdx.x * blockDim.x + threadIdx.x] = loads(x);
}

// A walk along 128-byte lines, each load of which waits for the one before; twice over all of them.
extern "C" __global__ void chase(const unsigned *next, unsigned *y, int steps) {
    unsigned at = 0;
    for (int k = 0; k < steps; k++) at = next[at];
    y[0] = at;
}

// Lines of constants that nobody has read before.
__constant__ float table[8192];
extern "C" __global__ void constants(float *y) {
    float sum = 0;
    for (int k = 0; k < 256; k++) sum += table[32 * k + threadIdx.x / 32];
    y[threadIdx.x] = sum;
}

// So many lines of them, one after another, twice.
extern "C" __global__ void constants_twice(int lines, float *y) {
    float sum = 0;
    for (int k = 0; k < 2 * lines; k++) sum += table[16 * (k % lines) + threadIdx.x / 32];
    y[threadIdx.x] = sum;
}
