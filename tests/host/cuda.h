// Enough of CUDA to run an emitted kernel on a CPU, a block at a time, every thread a fiber.
#pragma once
#include <cmath>
#include <cstring>
#include <utility>

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};
extern dim3 threadIdx, blockIdx, blockDim, gridDim;

#define __global__
#define __shared__ static
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(threads)
#define __align__(bytes) __attribute__((aligned(bytes)))

struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(2) uchar2 { unsigned char x, y; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }

template <typename T> T __ldcg(const T* p) { return *p; }
template <typename T> T __ldcs(const T* p) { return *p; }
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
inline long long min(long long a, long long b) { return a < b ? a : b; }
inline long long max(long long a, long long b) { return a > b ? a : b; }
inline unsigned long long min(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
inline unsigned long long max(unsigned long long a, unsigned long long b) { return a > b ? a : b; }
inline float __int_as_float(int bits) { float x; std::memcpy(&x, &bits, 4); return x; }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __log2f(float x) { return std::log2(x); }
inline float __sinf(float x) { return std::sin(x); }
inline float __cosf(float x) { return std::cos(x); }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline float fast_sqrt(float x) { return std::sqrt(x); }
inline float fast_rcp(float x) { return 1 / x; }
inline float fast_tanh(float x) { return std::tanh(x); }
inline int sm_id() { return 0; }
inline unsigned __activemask() { return 0; }  // the fibers know who is there

struct __nv_bfloat16 { unsigned short bits; };
inline float __bfloat162float(__nv_bfloat16 x) { return __int_as_float(int(unsigned(x.bits) << 16)); }
inline __nv_bfloat16 __float2bfloat16(float x) {
    unsigned bits;
    std::memcpy(&bits, &x, 4);
    return {static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

struct __half { unsigned short bits; };
inline float __half2float(__half h) {
    unsigned rest = h.bits & 0x7fffu;
    float x = rest < 0x7c00u ? __int_as_float(int(rest << 13)) * 0x1p112f  // exact: only the exponents' bias differs
                             : __int_as_float(int(rest << 13 | 0x7f800000u));
    return h.bits >> 15 ? -x : x;
}
inline __half __float2half(float x) {
    unsigned bits;
    std::memcpy(&bits, &x, 4);
    unsigned sign = bits >> 16 & 0x8000u, rest = bits & 0x7fffffffu;
    if (rest > 0x7f800000u) rest = 0x7fffu;
    else if (rest >= 0x477ff000u) rest = 0x7c00u;  // 65520 and more round to infinity
    else if (rest < 0x38800000u) rest = unsigned(std::nearbyint(std::fabs(x) * 0x1p24f));  // below the least normal
    else rest = (rest + 0xfffu + (rest >> 13 & 1) - 0x38000000u) >> 13;
    return {static_cast<unsigned short>(sign | rest)};
}

// fp8, with so many bits of fraction; what is too large becomes the largest number.
template <int fraction, int bias, unsigned most, unsigned nan> struct fp8 {
    unsigned char bits;
    fp8() = default;
    explicit fp8(float x) {
        float size = std::fabs(x), unit;
        int exponent = size < std::ldexp(1.0f, 1 - bias) ? 1 - bias : std::ilogb(size);
        unit = std::nearbyint(std::ldexp(size, fraction - exponent));  // in units of the last place
        unsigned n = unsigned(std::min(unit, 64.0f)) + (unsigned(exponent + bias - 1) << fraction);
        bits = std::isnan(x) ? nan : (n < most && !std::isinf(x) && exponent < 32 ? n : most) | (std::signbit(x) ? 128 : 0);
    }
    explicit operator float() const {
        unsigned n = bits & 127;
        int exponent = int(n >> fraction);
        float last = n & ((1 << fraction) - 1), x;
        x = n > most && n >= nan ? NAN : n > most ? INFINITY
          : exponent ? std::ldexp(last + (1 << fraction), exponent - bias - fraction) : std::ldexp(last, 1 - bias - fraction);
        return bits & 128 ? -x : x;
    }
};
using __nv_fp8_e4m3 = fp8<3, 7, 0x7e, 0x7f>;
using __nv_fp8_e5m2 = fp8<2, 15, 0x7b, 0x7d>;

// Fibers run one after the other, so nothing comes between these.
template <typename T> T atomicAdd(T* p, T v) { return std::exchange(*p, *p + v); }
template <typename T> T atomicMin(T* p, T v) { return std::exchange(*p, min(*p, v)); }
template <typename T> T atomicMax(T* p, T v) { return std::exchange(*p, max(*p, v)); }

void __syncthreads();
unsigned this_lane();

// What the lanes of a mask (0: those that are there) tell one another.
struct Exchange {
    unsigned lanes = 0;
    unsigned long long values[32] = {};
};
Exchange gather(unsigned mask, unsigned long long value);

template <typename T> T exchanged(unsigned mask, T v, unsigned lane) {
    unsigned long long bits = 0;
    std::memcpy(&bits, &v, sizeof v);
    const Exchange all = gather(mask, bits);
    if (lane < 32 && all.lanes >> lane & 1) std::memcpy(&v, &all.values[lane], sizeof v);
    return v;
}
// Lanes from `first` on are a group of `width`; a lane out of it leaves a value as it is.
inline unsigned within(unsigned lane, int width) {
    return lane / width == this_lane() / width ? lane : this_lane();
}
template <typename T> T __shfl_sync(unsigned mask, T v, unsigned lane, int width = 32) {
    return exchanged(mask, v, this_lane() / width * width + lane % width);
}
template <typename T> T __shfl_up_sync(unsigned mask, T v, unsigned n, int width = 32) {
    return exchanged(mask, v, within(this_lane() - n, width));
}
template <typename T> T __shfl_down_sync(unsigned mask, T v, unsigned n, int width = 32) {
    return exchanged(mask, v, within(this_lane() + n, width));
}
template <typename T> T __shfl_xor_sync(unsigned mask, T v, unsigned n, int width = 32) {
    const unsigned lane = this_lane() ^ n;
    return exchanged(mask, v, lane / width <= this_lane() / width ? lane : this_lane());
}

void run_grid(const unsigned* shape, void (*thread)(void*), void* of);

// shape: blocks and threads along x, y, z; args: where each argument is, as for cuLaunchKernel.
template <typename... P> void launch(void (*kernel)(P...), const unsigned* shape, void** args) {
    auto thread = [&] {
        auto each = [&]<std::size_t... i>(std::index_sequence<i...>) { kernel(*static_cast<P*>(args[i])...); };
        each(std::index_sequence_for<P...>{});
    };
    run_grid(shape, [](void* of) { (*static_cast<decltype(thread)*>(of))(); }, &thread);
}

#include "matrices.h"
