// A loop of 119 FFMAs, for which beside.py writes loads from shared memory and other FFMAs.  The source of
// data/h200_beside.json.  `address` is kept: the load that the compiler makes of it moves in front of the loop.
#include "clock.cuh"

extern "C" __global__ void __launch_bounds__(1024, 1) beside(int n, clock_type* out, unsigned* sink) {
    __shared__ __align__(16) float buffer[4096];
    float g[24], h[4] = {};
    for (int j = threadIdx.x; j < 4096; j += blockDim.x) buffer[j] = j;
    _Pragma("unroll") for (int j = 0; j < 24; ++j) g[j] = threadIdx.x + j;
    unsigned address = __cvta_generic_to_shared(buffer) + threadIdx.x % 32 * 16;
    asm volatile("mov.u32 %0,%0;" : "+r"(address));
    __syncthreads();
    clock_type begin = now();
    _Pragma("unroll 1") for (int r = 0; r < n; ++r) {
        asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3},[%4];"
                     : "=f"(h[0]), "=f"(h[1]), "=f"(h[2]), "=f"(h[3]) : "r"(address));
        _Pragma("unroll") for (int i = 0; i < 119; ++i) { asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(g[i % 24])); }
    }
    clock_type end = now();
    if (threadIdx.x % 32 == 0) {
        out[threadIdx.x / 16] = begin;
        out[threadIdx.x / 16 + 1] = end;
    }
    float sum = h[0] + h[1] + h[2] + h[3];
    _Pragma("unroll") for (int j = 0; j < 24; ++j) sum += g[j];
    if (sum == 1.2345f) sink[0] = 1;
}
