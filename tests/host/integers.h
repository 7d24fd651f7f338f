// CUDA's integer functions for the host.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

#include "cuda.h"

#define __device__
#define __constant__ static const
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline

typedef unsigned long long u64;

struct alignas(4) uchar4 { unsigned char x, y, z, w; };
struct alignas(8) short4 { short x, y, z, w; };
struct alignas(16) double2 { double x, y; };
struct alignas(16) ulonglong2 { unsigned long long x, y; };
inline uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) { return {x, y, z, w}; }
inline short4 make_short4(short x, short y, short z, short w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }
inline ulonglong2 make_ulonglong2(u64 x, u64 y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }

template <typename T> T __ldg(const T* p) { return *p; }
template <typename T> T __ldca(const T* p) { return *p; }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(u64 x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline u64 __brevll(u64 x) {
    u64 y = 0;
    for (int k = 0; k < 64; ++k) y |= (x >> k & 1) << (63 - k);
    return y;
}
inline unsigned __brev(unsigned x) { return unsigned(__brevll(x) >> 32); }
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
    const u64 both = u64(b) << 32 | a;
    unsigned y = 0;
    for (int k = 0; k < 4; ++k) y |= unsigned(both >> (8 * (s >> 4 * k & 7)) & 255) << 8 * k;
    return y;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return unsigned((u64(hi) << 32 | lo) << (n & 31) >> 32); }
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return unsigned((u64(hi) << 32 | lo) >> (n & 31)); }
inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) {
    return n > 31 ? lo : __funnelshift_l(lo, hi, n);
}
inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) {
    return n > 31 ? hi : __funnelshift_r(lo, hi, n);
}
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned(u64(a) * b >> 32); }
inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
inline u64 __umul64hi(u64 a, u64 b) { return u64((unsigned __int128)a * b >> 64); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline int __mul24(int a, int b) { return int(unsigned(a << 8 >> 8) * unsigned(b << 8 >> 8)); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
inline unsigned __sad(int a, int b, unsigned c) { return unsigned(a < b ? unsigned(b) - a : unsigned(a) - b) + c; }
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }
inline int __hadd(int a, int b) { return int(((long long)a + b) >> 1); }
inline int __rhadd(int a, int b) { return int(((long long)a + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return unsigned((u64(a) + b) >> 1); }
inline unsigned __urhadd(unsigned a, unsigned b) { return unsigned((u64(a) + b + 1) >> 1); }

// Words in pieces.
template <typename T, typename F> unsigned pieces(unsigned a, unsigned b, unsigned c, F f) {
    constexpr int size = 8 * sizeof(T);
    unsigned y = 0;
    for (int k = 0; k < 32; k += size) {
        const long long r = f((long long)T(a >> k), (long long)T(b >> k), (long long)T(c >> k));
        y |= unsigned(r & ((1ll << size) - 1)) << k;
    }
    return y;
}
template <typename T> long long held(long long x) {  // clamped to what T holds
    return std::clamp<long long>(x, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}
#define PIECES(name, T, expression) \
    inline unsigned name(unsigned a, unsigned b) { \
        return pieces<T>(a, b, 0, [](long long x, long long y, long long) { return (long long)(expression); }); \
    }
PIECES(__vadd2, uint16_t, x + y)
PIECES(__vadd4, uint8_t, x + y)
PIECES(__vsub2, uint16_t, x - y)
PIECES(__vsub4, uint8_t, x - y)
PIECES(__vaddss2, int16_t, held<int16_t>(x + y))
PIECES(__vaddss4, int8_t, held<int8_t>(x + y))
PIECES(__vaddus2, uint16_t, held<uint16_t>(x + y))
PIECES(__vaddus4, uint8_t, held<uint8_t>(x + y))
PIECES(__vsubss2, int16_t, held<int16_t>(x - y))
PIECES(__vsubus4, uint8_t, held<uint8_t>(x - y))
PIECES(__vabsdiffu2, uint16_t, x < y ? y - x : x - y)
PIECES(__vabsdiffu4, uint8_t, x < y ? y - x : x - y)
PIECES(__vabsdiffs4, int8_t, x < y ? y - x : x - y)
PIECES(__vavgu4, uint8_t, (x + y + 1) >> 1)
PIECES(__vhaddu2, uint16_t, (x + y) >> 1)
PIECES(__vmaxu4, uint8_t, x < y ? y : x)
PIECES(__vmins4, int8_t, x < y ? x : y)
PIECES(__vmaxs2, int16_t, x < y ? y : x)
PIECES(__vminu2, uint16_t, x < y ? x : y)
PIECES(__vcmpeq4, uint8_t, x == y ? 255 : 0)
PIECES(__vcmpltu4, uint8_t, x < y ? 255 : 0)
PIECES(__vcmpgts2, int16_t, x > y ? 65535 : 0)
PIECES(__vcmpleu2, uint16_t, x <= y ? 65535 : 0)
PIECES(__vseteq2, uint16_t, x == y)
PIECES(__vsetgtu4, uint8_t, x > y)
PIECES(abs_diff_s8, int8_t, x < y ? y - x : x - y)
inline unsigned __vneg4(unsigned a) { return __vsub4(0, a); }
inline unsigned __vabs2(unsigned a) { return pieces<int16_t>(a, 0, 0, [](long long x, long long, long long) { return x < 0 ? -x : x; }); }
inline unsigned __vabs4(unsigned a) { return pieces<int8_t>(a, 0, 0, [](long long x, long long, long long) { return x < 0 ? -x : x; }); }
inline unsigned sum_of_bytes(unsigned a) { return (a & 255) + (a >> 8 & 255) + (a >> 16 & 255) + (a >> 24); }
inline unsigned __vsadu4(unsigned a, unsigned b) { return sum_of_bytes(__vabsdiffu4(a, b)); }
inline unsigned __vsads4(unsigned a, unsigned b) { return sum_of_bytes(abs_diff_s8(a, b)); }

template <typename A, typename B> unsigned dot(unsigned a, unsigned b, unsigned c, int first) {
    for (int k = 0; k < int(4 / sizeof(A)); ++k)
        c += unsigned(int(A(a >> 8 * sizeof(A) * k))) * unsigned(int(B(b >> 8 * (k + first))));
    return c;
}
inline int __dp4a(int a, int b, int c) { return int(dot<int8_t, int8_t>(a, b, c, 0)); }
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) { return dot<uint8_t, uint8_t>(a, b, c, 0); }
inline int __dp2a_lo(int a, int b, int c) { return int(dot<int16_t, int8_t>(a, b, c, 0)); }
inline int __dp2a_hi(int a, int b, int c) { return int(dot<int16_t, int8_t>(a, b, c, 2)); }
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) { return dot<uint16_t, uint8_t>(a, b, c, 0); }
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return dot<uint16_t, uint8_t>(a, b, c, 2); }

// Minima of sums, and of three.
inline int __vimax3_s32(int a, int b, int c) { return max(max(a, b), c); }
inline int __vimin3_s32_relu(int a, int b, int c) { return max(min(min(a, b), c), 0); }
inline unsigned __vimin3_u32(unsigned a, unsigned b, unsigned c) { return min(min(a, b), c); }
inline int __viaddmax_s32(int a, int b, int c) { return max(int(unsigned(a) + b), c); }
inline int __viaddmin_s32_relu(int a, int b, int c) { return max(min(int(unsigned(a) + b), c), 0); }
inline unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) { return min(a + b, c); }
inline unsigned __vimax3_s16x2(unsigned a, unsigned b, unsigned c) {
    return pieces<int16_t>(a, b, c, [](long long x, long long y, long long z) { return std::max({x, y, z}); });
}
inline unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) {
    return pieces<uint16_t>(a, b, c, [](long long x, long long y, long long z) { return std::min({x, y, z}); });
}
inline unsigned __viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c) {
    return pieces<int16_t>(a, b, c, [](long long x, long long y, long long z) {
        return std::max<long long>({int16_t(x + y), z, 0});
    });
}
inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
    return pieces<uint16_t>(a, b, c, [](long long x, long long y, long long z) {
        return std::min<long long>(uint16_t(x + y), z);
    });
}
inline unsigned __vimax_s16x2_relu(unsigned a, unsigned b) {
    return pieces<int16_t>(a, b, 0, [](long long x, long long y, long long) { return std::max<long long>({x, y, 0}); });
}
