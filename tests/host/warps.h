// What lanes of a warp and threads of a block tell one another, on the host, where threads are fibers.
#pragma once
#include "integers.h"

inline void __syncwarp(unsigned mask = ~0u) { gather(mask, 0); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline unsigned __ballot_sync(unsigned mask, bool p) {
    const Exchange all = gather(mask, p);
    unsigned bits = 0;
    for (int k = 0; k < 32; ++k) bits |= unsigned(all.lanes >> k & 1 && all.values[k]) << k;
    return bits;
}
inline int __any_sync(unsigned mask, bool p) { return __ballot_sync(mask, p) != 0; }
inline int __all_sync(unsigned mask, bool p) { return __ballot_sync(mask, !p) == 0; }
template <typename T> unsigned __match_any_sync(unsigned mask, T v) {
    const Exchange all = gather(mask, u64(v));
    unsigned bits = 0;
    for (int k = 0; k < 32; ++k) bits |= unsigned(all.lanes >> k & 1 && all.values[k] == u64(v)) << k;
    return bits;
}
template <typename T> unsigned __match_all_sync(unsigned mask, T v, int* agree) {
    const Exchange all = gather(mask, u64(v));
    bool same = true;
    for (int k = 0; k < 32; ++k) same &= !(all.lanes >> k & 1) || all.values[k] == u64(v);
    *agree = same;
    return same ? all.lanes : 0;
}
template <typename T, typename F> T reduced(unsigned mask, T v, F f) {
    const Exchange all = gather(mask, u64(v));
    bool any = false;
    T result = v;
    for (int k = 0; k < 32; ++k) {
        if (!(all.lanes >> k & 1)) continue;
        result = any ? f(result, T(all.values[k])) : T(all.values[k]);
        any = true;
    }
    return result;
}
#define REDUCED(name, T, expression) \
    inline T name(unsigned mask, T v) { return reduced(mask, v, [](T x, T y) { return T(expression); }); }
REDUCED(__reduce_add_sync, unsigned, x + y)
REDUCED(__reduce_add_sync, int, unsigned(x) + y)
REDUCED(__reduce_min_sync, unsigned, x < y ? x : y)
REDUCED(__reduce_min_sync, int, x < y ? x : y)
REDUCED(__reduce_max_sync, unsigned, x > y ? x : y)
REDUCED(__reduce_max_sync, int, x > y ? x : y)
REDUCED(__reduce_and_sync, unsigned, x & y)
REDUCED(__reduce_or_sync, unsigned, x | y)
REDUCED(__reduce_xor_sync, unsigned, x ^ y)

// Over the block: every thread posts, all wait, all read; a thread's number says where it posts.
inline unsigned posted[1024];
inline int block_count(int p) {
    const unsigned self = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    posted[self] = p != 0;
    __syncthreads();
    int count = 0;
    for (unsigned k = 0; k < blockDim.x * blockDim.y * blockDim.z; ++k) count += int(posted[k]);
    __syncthreads();
    return count;
}
inline int __syncthreads_count(int p) { return block_count(p); }
inline int __syncthreads_or(int p) { return block_count(p) != 0; }
inline int __syncthreads_and(int p) { return block_count(!p) == 0; }

// Fibers run one after another, so nothing comes between these.
template <typename T> T atomicSub(T* p, T v) { return std::exchange(*p, T(*p - v)); }
template <typename T> T atomicAnd(T* p, T v) { return std::exchange(*p, T(*p & v)); }
template <typename T> T atomicOr(T* p, T v) { return std::exchange(*p, T(*p | v)); }
template <typename T> T atomicXor(T* p, T v) { return std::exchange(*p, T(*p ^ v)); }
template <typename T> T atomicExch(T* p, T v) { return std::exchange(*p, v); }
template <typename T> T atomicCAS(T* p, T old, T v) { return std::exchange(*p, *p == old ? v : *p); }
inline unsigned atomicInc(unsigned* p, unsigned most) { return std::exchange(*p, *p >= most ? 0 : *p + 1); }
inline unsigned atomicDec(unsigned* p, unsigned most) { return std::exchange(*p, *p == 0 || *p > most ? most : *p - 1); }
