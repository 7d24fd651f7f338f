// A loop of 120 FFMAs, for which sequences.py writes other instructions.  The source of data/h200_sequences.json.
#include "clock.cuh"

extern "C" __global__ void __launch_bounds__(1024, 1) sequence(int n, clock_type* out, unsigned* sink) {
    float g[24];
    _Pragma("unroll") for (int j = 0; j < 24; ++j) g[j] = threadIdx.x + j;
    __syncthreads();
    clock_type begin = now();
    _Pragma("unroll 1") for (int r = 0; r < n; ++r) {
        _Pragma("unroll") for (int i = 0; i < 120; ++i) {
            asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(g[i % 24]));
        }
    }
    clock_type end = now();
    if (threadIdx.x % 32 == 0) {
        out[threadIdx.x / 16] = begin;
        out[threadIdx.x / 16 + 1] = end;
    }
    float sum = 0;
    _Pragma("unroll") for (int j = 0; j < 24; ++j) sum += g[j];
    if (sum == 1.2345f) sink[0] = 1;
}
