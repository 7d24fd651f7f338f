// A loop of 120 FFMAs, for which pointers.py writes loads, stores and other instructions.  The source of
// data/h200_pointers.json.  The loads are kept: those that the compiler makes of them stand in front of the loop.
#include "clock.cuh"

#define LOAD(TO, FROM) asm volatile("ld.global.nc.f32 %0,[%1];" : "=f"(TO) : "l"(FROM));

extern "C" __global__ void __launch_bounds__(1024, 1) pointers(int n, clock_type* out, unsigned* sink, const float* zeros) {
    __shared__ float buffer[512];
    float g[24], h, k;
    for (int j = threadIdx.x; j < 512; j += blockDim.x) buffer[j] = 0;
    _Pragma("unroll") for (int j = 0; j < 24; ++j) g[j] = threadIdx.x + j;
    const float *p = zeros + threadIdx.x % 32, *q = zeros + threadIdx.x / 32;
    asm volatile("mov.b64 %0,%0;" : "+l"(p));
    asm volatile("mov.b64 %0,%0;" : "+l"(q));
    LOAD(h, p)
    LOAD(k, q)
    asm volatile("" ::"f"(h), "f"(k));
    __syncthreads();
    clock_type begin = now();
    _Pragma("unroll 1") for (int r = 0; r < n; ++r) {
        _Pragma("unroll") for (int i = 0; i < 120; ++i) { asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(g[i % 24])); }
    }
    clock_type end = now();
    if (threadIdx.x % 32 == 0) {
        out[threadIdx.x / 16] = begin;
        out[threadIdx.x / 16 + 1] = end;
    }
    float sum = h + k + *p + *q + buffer[threadIdx.x % 512];
    _Pragma("unroll") for (int j = 0; j < 24; ++j) sum += g[j];
    if (sum == 1.2345f) sink[0] = 1;
}
