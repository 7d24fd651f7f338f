// CUDA's functions of fp32 and fp64 for the host, in every rounding.
#pragma once
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

#include "integers.h"

template <typename To, typename From> To same_bits(From x) {
    static_assert(sizeof(To) == sizeof(From));
    To y;
    std::memcpy(&y, &x, sizeof y);
    return y;
}
inline float __uint_as_float(unsigned x) { return same_bits<float>(x); }
inline unsigned __float_as_uint(float x) { return same_bits<unsigned>(x); }
inline int __float_as_int(float x) { return same_bits<int>(x); }
inline double __longlong_as_double(long long x) { return same_bits<double>(x); }
inline long long __double_as_longlong(double x) { return same_bits<long long>(x); }
inline int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return int(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) { return same_bits<double>(u64(unsigned(high)) << 32 | unsigned(low)); }

// -0 is less than +0, and a NaN gives the other operand.
template <typename T> T least(T a, T b) { return a != a ? b : b != b ? a : a < b || (a == b && std::signbit(a)) ? a : b; }
template <typename T> T most(T a, T b) { return a != a ? b : b != b ? a : a > b || (a == b && std::signbit(b)) ? a : b; }
#define fminf least<float>
#define fmaxf most<float>
#define fmin least<double>
#define fmax most<double>

template <typename F> auto __attribute__((noinline)) rounding(int how, F f) {
    const int before = std::fegetround();
    std::fesetround(how);
    volatile auto result = f();
    std::fesetround(before);
    return result;
}
#define ROUNDED(T, name, parameters, expression) \
    inline T name##_rn parameters { return rounding(FE_TONEAREST, [&] { return expression; }); } \
    inline T name##_rz parameters { return rounding(FE_TOWARDZERO, [&] { return expression; }); } \
    inline T name##_ru parameters { return rounding(FE_UPWARD, [&] { return expression; }); } \
    inline T name##_rd parameters { return rounding(FE_DOWNWARD, [&] { return expression; }); }
ROUNDED(float, __fadd, (volatile float a, volatile float b), a + b)
ROUNDED(float, __fsub, (volatile float a, volatile float b), a - b)
ROUNDED(float, __fmul, (volatile float a, volatile float b), a * b)
ROUNDED(float, __fdiv, (volatile float a, volatile float b), a / b)
ROUNDED(float, __frcp, (volatile float a), 1 / a)
ROUNDED(float, __fsqrt, (volatile float a), std::sqrt(a))
ROUNDED(float, __fmaf, (volatile float a, volatile float b, volatile float c), std::fma(a, b, c))
ROUNDED(double, __dadd, (volatile double a, volatile double b), a + b)
ROUNDED(double, __dsub, (volatile double a, volatile double b), a - b)
ROUNDED(double, __dmul, (volatile double a, volatile double b), a * b)
ROUNDED(double, __ddiv, (volatile double a, volatile double b), a / b)
ROUNDED(double, __drcp, (volatile double a), 1 / a)
ROUNDED(double, __dsqrt, (volatile double a), std::sqrt(a))
ROUNDED(double, __fma, (volatile double a, volatile double b, volatile double c), std::fma(a, b, c))
ROUNDED(float, __double2float, (volatile double a), float(a))
ROUNDED(float, __int2float, (volatile int a), float(a))
ROUNDED(float, __uint2float, (volatile unsigned a), float(a))
ROUNDED(float, __ll2float, (volatile long long a), float(a))
ROUNDED(double, __ll2double, (volatile long long a), double(a))

// Of 64 unsigned bits g++ converts the upper half where the highest is set, which rounds to nearest alone.
template <typename F> F unsigned_to(u64 a) {
    if (a >> 63) return F((long long)(a >> 1 | (a & 1))) * 2;
    return F((long long)a);
}
ROUNDED(float, __ull2float, (volatile u64 a), unsigned_to<float>(a))
ROUNDED(double, __ull2double, (volatile u64 a), unsigned_to<double>(a))

// A float's whole part, clamped to what an integer type holds.
template <typename T, typename F> T clamped(F x) {
    if (x >= std::ldexp(F(1), std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
    if (x < F(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    return T(x);
}
ROUNDED(int, __float2int, (volatile float a), clamped<int>(std::nearbyint(double(a))))
ROUNDED(unsigned, __float2uint, (volatile float a), clamped<unsigned>(std::nearbyint(double(a))))
ROUNDED(long long, __float2ll, (volatile float a), clamped<long long>(std::nearbyint(double(a))))
ROUNDED(u64, __float2ull, (volatile float a), clamped<u64>(std::nearbyint(double(a))))
ROUNDED(int, __double2int, (volatile double a), clamped<int>(std::nearbyint(a)))
ROUNDED(unsigned, __double2uint, (volatile double a), clamped<unsigned>(std::nearbyint(a)))
ROUNDED(long long, __double2ll, (volatile double a), clamped<long long>(std::nearbyint(a)))
ROUNDED(u64, __double2ull, (volatile double a), clamped<u64>(std::nearbyint(a)))
inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
