// Chains of loads of 4, 8 and 16 bytes a lane, so many words of their width apart, from shared memory and L1: when all of
// a load's registers are there.  The source of data/h200_conflicts.json.
#include "clock.cuh"
typedef unsigned u32;

#define ONE "=r"(r[0])
#define TWO ONE, "=r"(r[1])
#define FOUR TWO, "=r"(r[2]), "=r"(r[3])
#define LOAD_4(SPACE, P) asm volatile("ld." SPACE ".b32 %0,[%1];" : ONE : P);
#define LOAD_8(SPACE, P) asm volatile("ld." SPACE ".v2.b32 {%0,%1},[%2];" : TWO : P);
#define LOAD_16(SPACE, P) asm volatile("ld." SPACE ".v4.b32 {%0,%1,%2,%3},[%4];" : FOUR : P);

// All that is loaded is 0, so that the address stays the same.
#define CHAIN(NAME, BYTES, LOAD, ADDRESS)                                                   \
    extern "C" __global__ void __launch_bounds__(1024, 1)                                   \
        NAME(int n, int stride, clock_type* out, u32* sink, const char* Q) {                \
        __shared__ __align__(16) u32 zeros[8192];                                           \
        for (int j = threadIdx.x; j < 8192; j += blockDim.x) zeros[j] = 0;                  \
        u32 at = threadIdx.x % 32 * stride * BYTES, r[4] = {}, all = 0;                     \
        u32 shared = (u32)__cvta_generic_to_shared(zeros) + at;                             \
        const char* global = Q + at;                                                        \
        clock_type begin = 0;                                                               \
        __syncthreads();                                                                    \
        _Pragma("unroll 1") for (int k = 0; k < n; ++k) {                                   \
            if (k == 2) begin = now();                                                      \
            _Pragma("unroll") for (int i = 0; i < 16; ++i) {                                \
                LOAD                                                                        \
                ADDRESS += r[BYTES / 4 - 1];                                                \
                _Pragma("unroll") for (int j = 0; j < BYTES / 4; ++j) all ^= r[j];          \
            }                                                                               \
        }                                                                                   \
        clock_type end = now();                                                             \
        if (threadIdx.x % 32 == 0) {                                                        \
            out[threadIdx.x / 32 * 2] = begin;                                              \
            out[threadIdx.x / 32 * 2 + 1] = end;                                            \
        }                                                                                   \
        if (all + shared + (u32)(clock_type)global == 12345) sink[0] = all;                 \
    }

#define SHARED(BYTES) CHAIN(shared_##BYTES, BYTES, LOAD_##BYTES("shared", "r"(shared)), shared)
#define GLOBAL(BYTES) CHAIN(global_##BYTES, BYTES, LOAD_##BYTES("global.ca", "l"(global)), global)

SHARED(4)
SHARED(8)
SHARED(16)
GLOBAL(4)
GLOBAL(8)
GLOBAL(16)
