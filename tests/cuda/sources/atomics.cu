// Atomics of all types, on global, shared and generic memory; fences.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void global_atomics(int *i, unsigned *u, float *f, double *d, unsigned long long *l, long long *ll, int *out) {
    int t = threadIdx.x;
    int r = atomicAdd(i, t) + atomicSub(i + 1, t) + atomicMin(i + 2, t) + atomicMax(i + 3, t) + atomicAnd(i + 4, t);
    r += atomicOr(i + 5, t) + atomicXor(i + 6, t) + atomicExch(i + 7, t) + atomicCAS(i + 8, t, r);
    r += (int)(atomicInc(u, 7) + atomicDec(u + 1, 9) + atomicMin(u + 2, (unsigned)t) + atomicMax(u + 3, (unsigned)t));
    r += (int)atomicAdd(f, 1.5f) + (int)atomicAdd(d, 2.5) + (int)atomicAdd(l, 3ull) + (int)atomicMin(l + 1, 3ull);
    r += (int)atomicMax(ll, -3ll) + (int)atomicCAS(l + 2, 1ull, 2ull) + (int)atomicExch(l + 3, 5ull) + (int)atomicExch(f + 1, 2.f);
    out[t] = r;
}

extern "C" __global__ void reductions(int *i, unsigned *u, float *f, double *d, unsigned long long *l, __half2 *h, __half *s) {
    int t = threadIdx.x;
    atomicAdd(i + t, t);
    atomicMax(i + 3, t);
    atomicOr(u + t, 5u);
    atomicInc(u + 7, 5u);
    atomicAdd(f + t, 1.5f);
    atomicAdd(d + t, 2.5);
    atomicAdd(l + t, 3ull);
    atomicAdd(h + t, __floats2half2_rn(1.f, 2.f));
    atomicAdd_system(i + 99, 1);
    atomicAdd_block(i + 98, 1);
    atomicAdd(i, 1);
    atomicAdd(s + t, __float2half(1.f));
}

extern "C" __global__ void shared_atomics(int *out, float *fo) {
    __shared__ int i[8];
    __shared__ unsigned u[8];
    __shared__ float f[2];
    __shared__ double d;
    __shared__ unsigned long long l[4];
    int t = threadIdx.x;
    int r = atomicAdd(i, t) + atomicMin(i + 2, t) + atomicMax(i + 3, t) + atomicAnd(i + 4, t) + atomicOr(i + 5, t);
    r += atomicXor(i + 6, t) + atomicExch(i + 7, t) + atomicCAS(i + 1, t, r) + (int)atomicInc(u, 7) + (int)atomicDec(u + 1, 9);
    atomicAdd(f, 1.5f);
    fo[t] = atomicAdd(f + 1, 2.f);
    atomicAdd(&d, 2.5);
    atomicAdd(l, 3ull);
    atomicAdd(i + 3, 1);
    r += (int)atomicMax(l + 1, 3ull) + (int)atomicCAS(l + 2, 1ull, 2ull) + (int)atomicExch(l + 3, 9ull);
    __syncthreads();
    out[t] = r + i[t & 7] + (int)d + (int)l[t & 3];
}

extern "C" __global__ void generic_atomics(int *g, float *f, int which) {
    __shared__ int s[32];
    int *p = which & 1 ? s : g;
    g[64 + threadIdx.x] = atomicAdd(p + threadIdx.x, 3) + atomicCAS(p, 1, 2);
    float old = f[0];
    unsigned *address = reinterpret_cast<unsigned *>(f);
    unsigned assumed, now = *address;
    do {
        assumed = now;
        now = atomicCAS(address, assumed, __float_as_uint(fmaxf(old, __uint_as_float(assumed))));
    } while (assumed != now);
}

extern "C" __global__ void fences(volatile int *flag, int *data, int n) {
    data[threadIdx.x] = n;
    __threadfence();
    flag[0] = 1;
    __threadfence_block();
    flag[1] = 2;
    __threadfence_system();
    flag[2] = 3;
    int v;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(data + n));
    asm volatile("fence.acq_rel.gpu;");
    asm volatile("fence.sc.cta;");
    flag[3] = v;
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void bfloat_atomics(__nv_bfloat162 *b, __nv_bfloat16 *s) {
    atomicAdd(b + threadIdx.x, __floats2bfloat162_rn(1.f, 2.f));
    s[threadIdx.x] = atomicAdd(s + 64 + threadIdx.x, __float2bfloat16(1.f));
}
#endif
