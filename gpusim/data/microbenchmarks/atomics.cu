// Atomics of warps whose lanes change one address, words of a line, lines apart, or addresses at random.
//
// A lane's place is (warp * warp_step + lane * lane_step + round * round_step) & mask; of `hashed` ones a mixture of bits.
#include <cstdint>

__device__ __forceinline__ uint32_t mixed(uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    return x ^ x >> 16;
}

#define KERNEL(NAME, TYPE, CODE)                                                                                       \
    extern "C" __global__ void NAME(TYPE *to, int rounds, int warp_step, int lane_step, int round_step, int mask,      \
                                    int stride, int hashed, int lanes, int *sink) {                                    \
        int lane = threadIdx.x & 31, warp = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);                       \
        TYPE sum = 0;                                                                                                  \
        if (lane < lanes)                                                                                              \
            for (int r = 0; r < rounds; ++r) {                                                                         \
                uint32_t place = warp * warp_step + lane * lane_step + r * round_step;                                 \
                if (hashed) place = mixed((warp * rounds + r) * 32 + lane);                                            \
                TYPE *at = to + (size_t)(place & mask) * stride, value = (TYPE)(lane + 1), old = 0;                    \
                CODE;                                                                                                  \
                sum += old;                                                                                            \
            }                                                                                                          \
        if (sum == (TYPE)123456789) *sink = 1;                                                                         \
    }
#define RED(NAME, TYPE, OPERATION, LETTER)                                                                             \
    KERNEL(NAME, TYPE, asm volatile("red.global." OPERATION " [%0], %1;" ::"l"(at), LETTER(value) : "memory"))
#define ATOM(NAME, TYPE, OPERATION, LETTER)                                                                            \
    KERNEL(NAME, TYPE, asm volatile("atom.global." OPERATION " %0, [%1], %2;" : "=" LETTER(old)                        \
                                    : "l"(at), LETTER(value) : "memory"))

RED(red_add_u32, uint32_t, "add.u32", "r")
RED(red_add_f32, float, "add.f32", "f")
RED(red_add_u64, unsigned long long, "add.u64", "l")
RED(red_add_f64, double, "add.f64", "d")
RED(red_add_f16x2, uint32_t, "add.noftz.f16x2", "r")
RED(red_min_u32, uint32_t, "min.u32", "r")
ATOM(atom_add_u32, uint32_t, "add.u32", "r")
ATOM(atom_add_f32, float, "add.f32", "f")
ATOM(atom_exch_b32, uint32_t, "exch.b32", "r")
KERNEL(atom_cas_b32, uint32_t, asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old)
                                            : "l"(at), "r"(value), "r"(value + 1) : "memory"))
