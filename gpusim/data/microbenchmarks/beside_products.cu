// Two warpgroups of a block: one issues products; the other issues its own, or other instructions, a little later.
//
// Each warp notes in notes[18 w] and the next when it began and when all was done.  Kernels that note each product write
// after these when each had issued; others when the last had.
#include "products.cuh"

PRODUCT(S64, FLOAT, 32, SS, "m64n64k16.f32.bf16.bf16", ",1,1,0,0")
PRODUCT(R64, FLOAT, 32, RS, "m64n64k16.f32.bf16.bf16", ",1,1,0")
PRODUCT(S128, FLOAT, 64, SS, "m64n128k16.f32.bf16.bf16", ",1,1,0,0")
PRODUCT(R128, FLOAT, 64, RS, "m64n128k16.f32.bf16.bf16", ",1,1,0")
PRODUCT(S256, FLOAT, 128, SS, "m64n256k16.f32.bf16.bf16", ",1,1,0,0")
PRODUCT(R256, FLOAT, 128, RS, "m64n256k16.f32.bf16.bf16", ",1,1,0")

constexpr int NOTES = 18, VALUES = 16;
enum What { PRODUCTS, NOTED, OTHERS };  // what the second warpgroup does; whether each product is noted

// So many products into one set of sums.
template <class P, bool EACH, int PRODUCTS>
__device__ __forceinline__ void products(u64 a, u64 b, const u32 (&x)[4], u32* sink, u32* notes) {
    typename P::sum d[P::sums];
    for (int k = 0; k < P::sums; k++) d[k] = typename P::sum(x[k % 4]);
    fence();
    u32 begin = (u32)clock64(), at[PRODUCTS];
#pragma unroll
    for (int j = 0; j < PRODUCTS; j++) {
        P::issue(d, a, b, x);
        if (EACH) at[j] = (u32)clock64();
    }
    commit();
    if (!EACH) at[0] = (u32)clock64();
    wait_for_products<0>();
    u32 end = (u32)clock64();
    if (threadIdx.x % 32 == 0) {
        notes[0] = begin, notes[1] = end;
#pragma unroll
        for (int j = 0; j < (EACH ? PRODUCTS : 1); j++) notes[2 + j] = at[j];
    }
    typename P::sum all = 0;
    for (int k = 0; k < P::sums; k++) all += d[k];
    sink[threadIdx.x] = u32(all);
}

// Instructions of one kind on 16 values of a thread.
struct Ffma {
    static __device__ __forceinline__ void step(float (&v)[VALUES], u32) {
#pragma unroll
        for (int k = 0; k < VALUES; k++) asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(v[k]));
    }
};
struct Ffma3 {  // of three registers
    static __device__ __forceinline__ void step(float (&v)[VALUES], u32) {
#pragma unroll
        for (int k = 0; k < VALUES; k++)
            asm volatile("fma.rn.f32 %0,%1,%2,%3;"
                         : "=f"(v[k]) : "f"(v[(k + 5) % VALUES]), "f"(v[(k + 9) % VALUES]), "f"(v[(k + 12) % VALUES]));
    }
};
struct Ex2 {
    static __device__ __forceinline__ void step(float (&v)[VALUES], u32) {
#pragma unroll
        for (int k = 0; k < VALUES; k++) asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(v[k]));
    }
};
template <class W>
__device__ __forceinline__ void others(int steps, u32 at, const u32 (&x)[4], u32* sink, u32* notes) {
    float v[VALUES];
    for (int k = 0; k < VALUES; k++) v[k] = float(x[k % 4]);
    u32 begin = (u32)clock64();
#pragma unroll 4
    for (int j = 0; j < steps; j++) W::step(v, at);
    float all = 0;
    for (int k = 0; k < VALUES; k++) all += v[k];
    asm volatile("" ::"f"(all) : "memory");
    u32 end = (u32)clock64();
    if (threadIdx.x % 32 == 0) notes[0] = begin, notes[1] = end;
    sink[threadIdx.x] = u32(all);
}

// Twice: the second time all instructions are at hand.
template <class A, class B, What WHAT, int FIRST, int SECOND>
__device__ __forceinline__ void beside(int steps, int delay, const u32* in, u32* notes, u32* sink) {
    __shared__ __align__(1024) u32 tiles[10240];
    u32 x[4];
    for (int i = threadIdx.x; i < 10240; i += blockDim.x) tiles[i] = 0;
    for (int k = 0; k < 4; k++) x[k] = in[threadIdx.x % 32 * 4 + k];
    u64 a = matrix(place(tiles), 16, 1024, 1), b = matrix(place(tiles) + 8192, 16, 1024, 1);
    const bool second = __shfl_sync(~0u, threadIdx.x / 128, 0);
    notes += threadIdx.x / 32 * NOTES;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    for (int again = 0; again < 2; again++) {
        __syncthreads();
        if (second) {
            u32 v = x[0];
#pragma unroll 1
            for (int k = 0; k < delay; k++) asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(v)::"memory");
            if (v == 12345u) sink[0] = v;
            if constexpr (WHAT == OTHERS) others<B>(steps, place(tiles) + threadIdx.x % 32 * 16, x, sink, notes);
            else products<B, WHAT == NOTED, SECOND>(a + 64, b, x, sink, notes);
        } else {
            products<A, WHAT == NOTED, FIRST>(a, b, x, sink, notes);
        }
    }
}

#define BESIDE(NAME, ...)                                                                                          \
    extern "C" __global__ void __launch_bounds__(256, 1)                                                           \
        NAME(int steps, int delay, const u32* in, u32* notes, u32* sink) {                                         \
        beside<__VA_ARGS__>(steps, delay, in, notes, sink);                                                        \
    }
#define OF_BOTH(A, B, N)                                                                                           \
    BESIDE(A##N##_##B##N##_8_8, A##N, B##N, PRODUCTS, 8, 8)                                                        \
    BESIDE(A##N##_##B##N##_8_8_noted, A##N, B##N, NOTED, 8, 8)                                                     \
    BESIDE(A##N##_##B##N##_16_16_noted, A##N, B##N, NOTED, 16, 16)
#define OF_ONE(A)                                                                                                  \
    BESIDE(A##_ffma_16, A, Ffma, OTHERS, 16, 1)                                                                    \
    BESIDE(A##_ffma3_16, A, Ffma3, OTHERS, 16, 1)                                                                  \
    BESIDE(A##_ex2_16, A, Ex2, OTHERS, 16, 1)
OF_BOTH(S, S, 64)
OF_BOTH(S, R, 64)
OF_BOTH(R, R, 64)
OF_BOTH(R, S, 64)
OF_BOTH(S, S, 128)
OF_BOTH(S, R, 128)
OF_BOTH(R, R, 128)
OF_BOTH(R, S, 128)
OF_ONE(S64)
OF_ONE(R64)
OF_ONE(S128)
OF_ONE(R128)
BESIDE(S256_S256_8_8_noted, S256, S256, NOTED, 8, 8)
BESIDE(R256_R256_4_4, R256, R256, PRODUCTS, 4, 4)
BESIDE(S256_S256_4_4, S256, S256, PRODUCTS, 4, 4)
BESIDE(S64_S128_8_8_noted, S64, S128, NOTED, 8, 8)
