// Products of a warpgroup: how often a tensor core begins one, by type, columns and where the first matrix lies, and how
// long its sums take.  Each warp notes the clock before and after; nothing else is in the loop than the instructions meant.
#include "asynchronous.cuh"

// Registers of sums, as operands (R) and as PTX names them (T); then the operands of both matrices (SS, RS).
#define T2 "%0,%1"
#define T4 T2 ",%2,%3"
#define T8 T4 ",%4,%5,%6,%7"
#define T12 T8 ",%8,%9,%10,%11"
#define T16 T12 ",%12,%13,%14,%15"
#define T24 T16 ",%16,%17,%18,%19,%20,%21,%22,%23"
#define T32 T24 ",%24,%25,%26,%27,%28,%29,%30,%31"
#define T48 T32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define T64 T48 ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define T96 T64 \
    ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87" \
    ",%88,%89,%90,%91,%92,%93,%94,%95"
#define T128 T96 \
    ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119" \
    ",%120,%121,%122,%123,%124,%125,%126,%127"
#define R2(c, i) c(d[i]), c(d[i + 1])
#define R4(c, i) R2(c, i), R2(c, i + 2)
#define R8(c, i) R4(c, i), R4(c, i + 4)
#define R12(c, i) R8(c, i), R4(c, i + 8)
#define R16(c, i) R12(c, i), R4(c, i + 12)
#define R24(c, i) R16(c, i), R8(c, i + 16)
#define R32(c, i) R24(c, i), R8(c, i + 24)
#define R48(c, i) R32(c, i), R16(c, i + 32)
#define R64(c, i) R48(c, i), R16(c, i + 48)
#define R96(c, i) R64(c, i), R32(c, i + 64)
#define R128(c, i) R96(c, i), R32(c, i + 96)
#define SS2 "%2,%3"
#define RS2 "{%2,%3,%4,%5},%6"
#define SS4 "%4,%5"
#define RS4 "{%4,%5,%6,%7},%8"
#define SS8 "%8,%9"
#define RS8 "{%8,%9,%10,%11},%12"
#define SS12 "%12,%13"
#define RS12 "{%12,%13,%14,%15},%16"
#define SS16 "%16,%17"
#define RS16 "{%16,%17,%18,%19},%20"
#define SS24 "%24,%25"
#define RS24 "{%24,%25,%26,%27},%28"
#define SS32 "%32,%33"
#define RS32 "{%32,%33,%34,%35},%36"
#define SS48 "%48,%49"
#define RS48 "{%48,%49,%50,%51},%52"
#define SS64 "%64,%65"
#define RS64 "{%64,%65,%66,%67},%68"
#define SS96 "%96,%97"
#define RS96 "{%96,%97,%98,%99},%100"
#define SS128 "%128,%129"
#define RS128 "{%128,%129,%130,%131},%132"
#define SS_IN "l"(a), "l"(b)
#define RS_IN "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(b)
#define WITH_FLOAT "+f"
#define WITH_U32 "+r"
#define OF_FLOAT float
#define OF_U32 u32

// A product of N sums a thread: FORM says its shape and types, LAST what follows the predicate.
#define PRODUCT(NAME, KIND, N, A, FORM, LAST)                                                                      \
    struct NAME {                                                                                                  \
        typedef OF_##KIND sum;                                                                                     \
        static constexpr int sums = N;                                                                             \
        static __device__ __forceinline__ void issue(sum (&d)[N], u64 a, u64 b, const u32 (&x)[4]) {               \
            asm volatile("{\n.reg .pred more;\nsetp.eq.b32 more,0,0;\nwgmma.mma_async.sync.aligned." FORM " {" T##N \
                         "}," A##N ",more" LAST ";\n}" : R##N(WITH_##KIND, 0) : A##_IN);                           \
        }                                                                                                          \
    };

constexpr int ROUND = 4;  // products
constexpr int NEVER = 0, LAGGING = -1;

__device__ __forceinline__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int LEFT>
__device__ __forceinline__ void wait_for_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

// A matrix of shared memory: where it begins, its two offsets in bytes, and its swizzle as descriptors have it.
__device__ __forceinline__ u64 matrix(u32 where, u32 lead, u32 stride, u32 swizzle) {
    return (u64)(where >> 4 & 0x3fff) | (u64)(lead >> 4) << 16 | (u64)(stride >> 4) << 32 | (u64)swizzle << 62;
}

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
