// When warps have their code: those of a launch as they begin, and a warp in code that it has not run before.
#include "clock.cuh"
typedef unsigned u32;
__device__ __forceinline__ u32 smid() {
    u32 s;
    asm volatile("mov.u32 %0,%%smid;" : "=r"(s));
    return s;
}
#define STAMP(k) asm volatile("mov.u32 %0,%%clock;" : "=r"(s[k])::"memory");
// Of the first SMs: when each warp begins, and when it has asked for its first load, for which it needs constants.
extern "C" __global__ void __launch_bounds__(1024) enter(const u32* g, u32* slots, u32* out, int sms) {
    __shared__ u32 slot;
    u32 s[2], seen;
    STAMP(0)
    asm volatile("ld.global.u32 %0,[%1];" : "=r"(seen) : "l"(g + (blockIdx.x * blockDim.x + threadIdx.x)) : "memory");
    STAMP(1)
    if (seen == 0x12345678) asm volatile("trap;");
    const u32 sm = smid();
    if (sm >= sms) return;
    if (threadIdx.x == 0) slot = atomicAdd(slots + sm, 1);
    __syncthreads();
    const u32 warp = (sm * 64 + slot * (blockDim.x / 32) + threadIdx.x / 32) * 2;
    if (threadIdx.x % 32 == 0) out[warp] = s[0], out[warp + 1] = s[1];
}
#define FOUR(X) X X X X
#define MULTIPLY(V) asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(V));
#define SIXTEEN FOUR(MULTIPLY(x) MULTIPLY(y) MULTIPLY(z) MULTIPLY(w))
#define KILOBYTE FOUR(SIXTEEN)
// Straight code of so many KB, gone through again and again: cycles of each pass.
#define STRAIGHT(NAME, CODE)                                                                                      \
    extern "C" __global__ void NAME(int passes, clock_type* out) {                                                \
        float x = threadIdx.x, y = x + 1, z = x + 2, w = x + 3;                                                   \
        _Pragma("unroll 1") for (int r = 0; r < passes; r++) {                                                    \
            __syncthreads();                                                                                      \
            const clock_type before = now();                                                                      \
            CODE if (x + y + z + w == 3.25f) asm volatile("trap;");                                               \
            const clock_type after = now();                                                                       \
            if (threadIdx.x == 0) out[r * 2] = before, out[r * 2 + 1] = after;                                    \
        }                                                                                                         \
    }
STRAIGHT(straight_1, KILOBYTE)
STRAIGHT(straight_4, FOUR(KILOBYTE))
STRAIGHT(straight_16, FOUR(FOUR(KILOBYTE)))
STRAIGHT(straight_24, FOUR(FOUR(KILOBYTE) KILOBYTE KILOBYTE))
STRAIGHT(straight_64, FOUR(FOUR(FOUR(KILOBYTE))))
