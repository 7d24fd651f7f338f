// CUDA's fp16, bf16 and fp8 for the host: exact in fp64, then rounded once.
#pragma once
#include "floats.h"

// The sum, and where it is not exact the neighbour with an odd last bit, so that rounding it again does no harm.
inline double sum_odd(double a, double b) {
    double s = a + b;
    if (!std::isfinite(s)) return s;
    const double part = s - a, error = (a - (s - part)) + (b - part);
    if (error != 0 && !(same_bits<u64>(s) & 1)) s = std::nextafter(s, error > 0 ? INFINITY : -INFINITY);
    return s;
}

// A format of so many bits of fraction; from `infinite` on a number is infinite, or the largest one where it is finite.
template <int fraction, int bias, unsigned infinite, unsigned nan, unsigned sign> struct Format {
    static unsigned narrow(double x, int how = FE_TONEAREST, bool finite = false) {
        if (x != x) return nan;
        const double size = std::fabs(x);
        const unsigned minus = std::signbit(x) ? sign : 0;
        const bool up = how == FE_TONEAREST || how == (minus ? FE_DOWNWARD : FE_UPWARD);
        if (std::isinf(x)) return minus | (finite ? infinite - 1 : infinite);
        const int exponent = size < std::ldexp(1.0, 1 - bias) ? 1 - bias : std::ilogb(size);
        const double scaled = std::ldexp(x, fraction - exponent);
        const double unit = std::fabs(rounding(how, [&] { return std::nearbyint(scaled); }));
        const u64 n = u64(unit) + (u64(exponent + bias - 1) << fraction);
        return minus | unsigned(n < infinite ? n : finite || !up ? infinite - 1 : infinite);
    }
    static double widen(unsigned bits) {
        const unsigned n = bits & (sign - 1), exponent = n >> fraction;
        const double last = n & ((1u << fraction) - 1);
        double x = exponent ? std::ldexp(last + (1 << fraction), int(exponent) - bias - fraction)
                            : std::ldexp(last, 1 - bias - fraction);
        if (n >= infinite) x = n == infinite && infinite != nan ? INFINITY : NAN;
        return bits & sign ? -x : x;
    }
};
using Fp16 = Format<10, 15, 0x7c00, 0x7fff, 0x8000>;
using Bf16 = Format<7, 127, 0x7f80, 0x7fff, 0x8000>;
using E4m3 = Format<3, 7, 0x7f, 0x7f, 0x80>;
using E5m2 = Format<2, 15, 0x7c, 0x7f, 0x80>;

template <typename H> struct FormatOf;
template <> struct FormatOf<__half> { using type = Fp16; };
template <> struct FormatOf<__nv_bfloat16> { using type = Bf16; };
template <typename H> H made(double x, int how = FE_TONEAREST) {
    return {static_cast<unsigned short>(FormatOf<H>::type::narrow(x, how))};
}
template <typename H> double value(H h) { return FormatOf<H>::type::widen(h.bits); }

struct alignas(4) __half2 { __half x, y; };
struct alignas(4) __nv_bfloat162 { __nv_bfloat16 x, y; };
template <typename P> using One = decltype(P::x);
template <typename P, typename F> P each(F f, P a, P b = {}, P c = {}) { return {f(a.x, b.x, c.x), f(a.y, b.y, c.y)}; }

#define EACH1(name, expression) \
    template <typename P, typename H = One<P>> P name(P a) { \
        return each([](H p, H, H) { const double x = value(p); return made<H>(expression); }, a); }
#define EACH2(name, expression) \
    template <typename P, typename H = One<P>> P name(P a, P b) { \
        return each([](H p, H q, H) { \
            const double x = value(p), y = value(q); return made<H>(expression); }, a, b); }
#define EACH3(name, expression) \
    template <typename P, typename H = One<P>> P name(P a, P b, P c) { \
        return each([](H p, H q, H r) { \
            const double x = value(p), y = value(q), z = value(r); return made<H>(expression); }, a, b, c); }
inline double unit(double x) { return x > 0 ? x < 1 ? x : 1 : 0; }
inline double rectified(double x) { return x <= 0 ? 0 : x; }
inline double or_nan(double x, double y, double r) { return x != x || y != y ? NAN : r; }
EACH2(__hadd2, sum_odd(x, y))
EACH2(__hadd2_rn, sum_odd(x, y))
EACH2(__hsub2, sum_odd(x, -y))
EACH2(__hsub2_rn, sum_odd(x, -y))
EACH2(__hmul2, x* y)
EACH2(__hmul2_rn, x* y)
EACH2(__hadd2_sat, unit(value(made<H>(sum_odd(x, y)))))
EACH2(__hmul2_sat, unit(value(made<H>(x * y))))
EACH2(__hmin2, least(x, y))
EACH2(__hmax2, most(x, y))
EACH2(__hmin2_nan, or_nan(x, y, least(x, y)))
EACH2(__hmax2_nan, or_nan(x, y, most(x, y)))
EACH3(__hfma2, sum_odd(x* y, z))
EACH3(__hfma2_sat, unit(value(made<H>(sum_odd(x * y, z)))))
EACH3(__hfma2_relu, rectified(value(made<H>(sum_odd(x * y, z)))))
EACH1(__hneg2, -x)
EACH1(__habs2, std::fabs(x))
EACH1(h2floor, std::floor(x))
EACH1(h2ceil, std::ceil(x))
EACH1(h2trunc, std::trunc(x))
EACH1(h2rint, std::nearbyint(x))
#define COMPARED(name, condition) \
    template <typename P, typename H = One<P>> P __h##name##2(P a, P b) { \
        return each([](H p, H q, H) { \
            const double x = value(p), y = value(q); return made<H>((condition) ? 1 : 0); }, a, b); } \
    template <typename P> unsigned __h##name##2_mask(P a, P b) { \
        const P r = __h##name##2(a, b); \
        return (value(r.x) ? 0xffffu : 0) | (value(r.y) ? 0xffff0000u : 0); } \
    template <typename P> bool __hb##name##2(P a, P b) { return __h##name##2_mask(a, b) == 0xffffffffu; } \
    template <typename H, typename = typename FormatOf<H>::type> bool __h##name(H p, H q) { \
        const double x = value(p), y = value(q); return condition; }
COMPARED(eq, x == y)
COMPARED(ne, x < y || x > y)
COMPARED(lt, x < y)
COMPARED(le, x <= y)
COMPARED(gt, x > y)
COMPARED(ge, x >= y)
COMPARED(equ, !(x < y || x > y))
COMPARED(neu, !(x == y))
COMPARED(ltu, !(x >= y))
COMPARED(gtu, !(x <= y))
template <typename H, typename = typename FormatOf<H>::type> bool __hisnan(H a) { return value(a) != value(a); }

template <typename P> auto low_of(P a) { return a.x; }
inline __half __low2half(__half2 a) { return a.x; }
inline __half __high2half(__half2 a) { return a.y; }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
inline __half2 __halves2half2(__half a, __half b) { return {a, b}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
inline __half2 __half2half2(__half a) { return {a, a}; }
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
inline __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
inline __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
inline __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
inline __half __ushort_as_half(unsigned short x) { return {x}; }
inline unsigned short __half_as_ushort(__half x) { return x.bits; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return {x}; }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
inline float2 __half22float2(__half2 a) { return {float(value(a.x)), float(value(a.y))}; }
inline float2 __bfloat1622float2(__nv_bfloat162 a) { return {float(value(a.x)), float(value(a.y))}; }
inline __half2 __floats2half2_rn(float a, float b) { return {made<__half>(a), made<__half>(b)}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {made<__nv_bfloat16>(a), made<__nv_bfloat16>(b)}; }
inline __half __float2half_rn(float a) { return made<__half>(a); }
inline __half __float2half_rz(float a) { return made<__half>(a, FE_TOWARDZERO); }
inline __half __float2half_ru(float a) { return made<__half>(a, FE_UPWARD); }
inline __half __float2half_rd(float a) { return made<__half>(a, FE_DOWNWARD); }
inline __half __double2half(double a) { return made<__half>(a); }
inline __nv_bfloat16 __float2bfloat16_rn(float a) { return made<__nv_bfloat16>(a); }
inline __nv_bfloat16 __float2bfloat16_rz(float a) { return made<__nv_bfloat16>(a, FE_TOWARDZERO); }
inline __nv_bfloat16 __double2bfloat16(double a) { return made<__nv_bfloat16>(a); }
inline __half __int2half_rn(int a) { return made<__half>(a); }
inline __half __uint2half_rz(unsigned a) { return made<__half>(a, FE_TOWARDZERO); }
inline __half __short2half_rn(short a) { return made<__half>(a); }
inline __half __ll2half_rn(long long a) { return made<__half>(a >> 12 ? sum_odd(double(a >> 32) * 0x1p32, double(unsigned(a))) : double(a)); }
inline int __half2int_rz(__half a) { return clamped<int>(std::trunc(value(a))); }
inline int __half2int_rn(__half a) { return clamped<int>(std::nearbyint(value(a))); }
inline unsigned __half2uint_rd(__half a) { return clamped<unsigned>(std::floor(value(a))); }
inline short __half2short_rz(__half a) { return clamped<short>(std::trunc(value(a))); }
inline unsigned short __half2ushort_rn(__half a) { return clamped<unsigned short>(std::nearbyint(value(a))); }
inline long long __half2ll_rz(__half a) { return clamped<long long>(std::trunc(value(a))); }
inline __nv_bfloat16 __int2bfloat16_rn(int a) { return made<__nv_bfloat16>(a); }
inline int __bfloat162int_rz(__nv_bfloat16 a) { return clamped<int>(std::trunc(value(a))); }

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
inline unsigned char octet_of(double x, int kind) {
    return static_cast<unsigned char>(kind == __NV_E4M3 ? E4m3::narrow(x, FE_TONEAREST, true) : E5m2::narrow(x, FE_TONEAREST, true));
}
inline unsigned short half_of(unsigned char x, int kind) {
    return static_cast<unsigned short>(Fp16::narrow(kind == __NV_E4M3 ? E4m3::widen(x) : E5m2::widen(x)));
}
inline unsigned char __nv_cvt_float_to_fp8(float x, __nv_saturation_t, __nv_fp8_interpretation_t kind) { return octet_of(x, kind); }
inline unsigned char __nv_cvt_double_to_fp8(double x, __nv_saturation_t, __nv_fp8_interpretation_t kind) { return octet_of(x, kind); }
inline unsigned short __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t, __nv_fp8_interpretation_t kind) {
    return static_cast<unsigned short>(octet_of(x.x, kind) | octet_of(x.y, kind) << 8);
}
inline unsigned char __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t, __nv_fp8_interpretation_t kind) {
    return octet_of(Fp16::widen(x.x), kind);
}
inline unsigned short __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t, __nv_fp8_interpretation_t kind) {
    return static_cast<unsigned short>(octet_of(Fp16::widen(x.x), kind) | octet_of(Fp16::widen(x.y), kind) << 8);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(unsigned char x, __nv_fp8_interpretation_t kind) { return {half_of(x, kind)}; }
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(unsigned short x, __nv_fp8_interpretation_t kind) {
    return {half_of(x & 255, kind), half_of(x >> 8, kind)};
}
