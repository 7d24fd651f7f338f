// Products of a warpgroup: how often a tensor core begins one, by type, columns and where the first matrix lies, and how
// long its sums take.  Each warp notes the clock before and after; nothing else is in the loop than the instructions meant.
#include "products.cuh"

constexpr int ROUND = 4;  // products
constexpr int NEVER = 0, LAGGING = -1;

// Rounds of four products into one set of sums, or of two sets in turn.  Waits after each so many products; LAGGING: once
// a round, for all but the last group.  Then USES sums are used.
template <class P, int SETS, int WAIT, int USES>
__device__ __forceinline__ void run(int rounds, u32 swizzle, u32 lead, u32 stride, const u32* in, clock_type* out, u32* sink) {
    __shared__ __align__(1024) u32 tiles[10240];
    typename P::sum d[SETS][P::sums];
    u32 x[4];
    for (int i = threadIdx.x; i < 10240; i += blockDim.x) tiles[i] = 0;
    for (int k = 0; k < 4; k++) x[k] = in[threadIdx.x % 32 * 4 + k];
    for (int s = 0; s < SETS; s++)
        for (int k = 0; k < P::sums; k++) d[s][k] = typename P::sum(x[k % 4]);
    const u64 a = matrix(place(tiles), lead, stride, swizzle), b = matrix(place(tiles) + 8192, lead, stride, swizzle);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    fence();
    clock_type begin = now();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        if (USES || WAIT == LAGGING) fence();
#pragma unroll
        for (int j = 0; j < ROUND; j++) {
            P::issue(d[j % SETS], a, b, x);
            if (WAIT > 0 && (j + 1) % (WAIT > 0 ? WAIT : 1) == 0) {
                commit();
                wait_for_products<0>();
            }
        }
        if (WAIT <= 0) commit();
        if (WAIT == LAGGING) wait_for_products<1>();
#pragma unroll
        for (int k = 0; k < USES; k++) d[0][k] *= typename P::sum(3);
    }
    wait_for_products<0>();
    note(out, begin);
    typename P::sum all = 0;
    for (int s = 0; s < SETS; s++)
        for (int k = 0; k < P::sums; k++) all += d[s][k];
    sink[threadIdx.x] = u32(all);
}

#define RUN(NAME, P, THREADS, ...)                                                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS, 1)                                                       \
        NAME(int rounds, u32 swizzle, u32 lead, u32 stride, const u32* in, clock_type* out, u32* sink) {           \
        run<P, __VA_ARGS__>(rounds, swizzle, lead, stride, in, out, sink);                                         \
    }
// Both of a shape: the first matrix in shared memory, and in registers.
#define BOTH(NAME, KIND, R, THREADS, FORM, SS_LAST, RS_LAST)                                                       \
    PRODUCT(P_##NAME##_ss, KIND, R, SS, FORM, SS_LAST)                                                             \
    PRODUCT(P_##NAME##_rs, KIND, R, RS, FORM, RS_LAST)                                                             \
    RUN(NAME##_ss, P_##NAME##_ss, THREADS, 1, NEVER, 0)                                                            \
    RUN(NAME##_rs, P_##NAME##_rs, THREADS, 1, NEVER, 0)
#define HALF_LAST ",1,1,0,0", ",1,1,0"
#define LATE_BOTH(...) BOTH(__VA_ARGS__)
#define BF16(N, R, THREADS) LATE_BOTH(bf16_##N, FLOAT, R, THREADS, "m64n" #N "k16.f32.bf16.bf16", HALF_LAST)
BF16(8, 4, 512)
BF16(16, 8, 512)
BF16(32, 16, 512)
BF16(48, 24, 512)
BF16(64, 32, 512)
BF16(96, 48, 512)
BF16(128, 64, 512)
BF16(192, 96, 384)
BF16(256, 128, 384)

// Other types, and sums of 16 bits.
#define OF_TYPE(NAME, KIND, R8, R64, R256, K, TYPES, ...)                                                          \
    LATE_BOTH(NAME##_8, KIND, R8, 512, "m64n8k" #K TYPES, __VA_ARGS__)                                             \
    LATE_BOTH(NAME##_64, KIND, R64, 512, "m64n64k" #K TYPES, __VA_ARGS__)                                          \
    LATE_BOTH(NAME##_256, KIND, R256, 384, "m64n256k" #K TYPES, __VA_ARGS__)
OF_TYPE(f16, FLOAT, 4, 32, 128, 16, ".f32.f16.f16", HALF_LAST)
OF_TYPE(f16_sums_f16, U32, 2, 16, 64, 16, ".f16.f16.f16", HALF_LAST)
OF_TYPE(tf32, FLOAT, 4, 32, 128, 8, ".f32.tf32.tf32", ",1,1", ",1,1")
OF_TYPE(e4m3, FLOAT, 4, 32, 128, 32, ".f32.e4m3.e4m3", ",1,1", ",1,1")
OF_TYPE(e4m3_sums_f16, U32, 2, 16, 64, 32, ".f16.e4m3.e4m3", ",1,1", ",1,1")
OF_TYPE(e5m2, FLOAT, 4, 32, 128, 32, ".f32.e5m2.e5m2", ",1,1", ",1,1")
OF_TYPE(s8, U32, 4, 32, 128, 32, ".s32.s8.s8", "", "")

// Matrices whose rows are along M and N.
#define ALONG(NAME, N, R, LAST)                                                                                    \
    PRODUCT(P_##NAME, FLOAT, R, SS, "m64n" #N "k16.f32.bf16.bf16", LAST)                                           \
    RUN(NAME, P_##NAME, 384, 1, NEVER, 0)
ALONG(bf16_64_ss_a_along_m, 64, 32, ",1,1,1,0")
ALONG(bf16_64_ss_b_along_n, 64, 32, ",1,1,0,1")
ALONG(bf16_64_ss_both_along, 64, 32, ",1,1,1,1")
ALONG(bf16_256_ss_a_along_m, 256, 128, ",1,1,1,0")
ALONG(bf16_256_ss_b_along_n, 256, 128, ",1,1,0,1")
ALONG(bf16_256_ss_both_along, 256, 128, ",1,1,1,1")
PRODUCT(P_bf16_64_rs_b_along_n, FLOAT, 32, RS, "m64n64k16.f32.bf16.bf16", ",1,1,1")
PRODUCT(P_bf16_256_rs_b_along_n, FLOAT, 128, RS, "m64n256k16.f32.bf16.bf16", ",1,1,1")
RUN(bf16_64_rs_b_along_n, P_bf16_64_rs_b_along_n, 384, 1, NEVER, 0)
RUN(bf16_256_rs_b_along_n, P_bf16_256_rs_b_along_n, 384, 1, NEVER, 0)

// Two sets of sums in turn; waits; sums that are used after a wait.
#define WAITS(N, A, THREADS)                                                                                       \
    RUN(bf16_##N##_##A##_wait_1, P_bf16_##N##_##A, THREADS, 1, 1, 0)                                               \
    RUN(bf16_##N##_##A##_wait_2, P_bf16_##N##_##A, THREADS, 1, 2, 0)                                               \
    RUN(bf16_##N##_##A##_wait_4, P_bf16_##N##_##A, THREADS, 1, 4, 0)                                               \
    RUN(bf16_##N##_##A##_lagging, P_bf16_##N##_##A, THREADS, 1, LAGGING, 0)
#define TWO_SETS(N, A) RUN(bf16_##N##_##A##_two_sets, P_bf16_##N##_##A, 256, 2, NEVER, 0)
#define USED(N, A, USES) RUN(bf16_##N##_##A##_use_##USES, P_bf16_##N##_##A, 384, 1, 4, USES)
TWO_SETS(8, ss)
TWO_SETS(8, rs)
TWO_SETS(64, ss)
TWO_SETS(64, rs)
WAITS(8, ss, 512)
WAITS(8, rs, 512)
WAITS(64, ss, 512)
WAITS(64, rs, 512)
WAITS(128, ss, 512)
WAITS(256, ss, 384)
WAITS(256, rs, 384)
USED(64, ss, 1)
USED(64, ss, 32)
USED(64, rs, 32)
USED(256, ss, 1)
USED(256, ss, 128)
USED(256, rs, 128)
