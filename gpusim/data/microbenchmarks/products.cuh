// Products of a warpgroup, as the kernels beside this file issue them.
#pragma once
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
