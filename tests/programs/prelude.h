// What random programs and their host twins share: arguments, memory, and what makes every bit defined.
#define LANES 0xffffffffu
// The lanes of this one's group, of 2, 4, 8 or 16: another mask in each group of a warp.
#define GROUP(n) ((0xffffffffu >> (32 - (2u << (n)))) << (threadIdx.x & 31 & ~((2u << (n)) - 1)))
#define THREADS 128

typedef unsigned long long u64;
typedef unsigned (*Function)(unsigned, unsigned);

struct Arg {
    unsigned u[4];
    float f[2];
    double d;
    u64 q;
    unsigned char c[4];
    short s;
};
struct Part {
    unsigned a, b;
    double d;
};
struct alignas(16) Own {  // of one thread
    uint4 v;
    float4 w;
    uchar4 c;
    short4 s;
    unsigned a, b;
    int i;
    float f;
    u64 q;
    long long j;
    double d;
    Part part;
    unsigned char bytes[16];
    unsigned short shorts[8];
    unsigned short h;
};
struct Global {  // of all threads; each array for one operation, so that their order does not matter
    unsigned add[16], most[16], all[16], any[16], odd[16], turns[4], most2[4];
    int least[16];
    u64 wide[8], widest[8], wideodd[8];
    long long narrowest[8];
    float real[8];
    double real2[8];
    Own own[THREADS];
};
struct Shared {
    unsigned w[64], a[16];
    u64 q[8];
    double d[64];
    uint4 v[64];
    unsigned short h[64];
    unsigned char b[64];
};
union Union {
    unsigned w[4];
    unsigned short h[8];
    unsigned char b[16];
    signed char c[16];
    u64 q[2];
    struct {
        unsigned low, part : 13, more : 19;
        int sign : 7;
    } p;
};

#ifdef EXPLICIT  // products and sums that are never made one
#define DEFINE_OPERATORS(T, add, sub, mul) \
    __device__ __forceinline__ T ADD(T a, T b) { return add(a, b); } \
    __device__ __forceinline__ T SUB(T a, T b) { return sub(a, b); } \
    __device__ __forceinline__ T MUL(T a, T b) { return mul(a, b); } \
    __device__ __forceinline__ T DIV(T a, T b) { return a / b; }
DEFINE_OPERATORS(float, __fadd_rn, __fsub_rn, __fmul_rn)
DEFINE_OPERATORS(double, __dadd_rn, __dsub_rn, __dmul_rn)
#define HADD2 __hadd2_rn
#define HSUB2 __hsub2_rn
#define HMUL2 __hmul2_rn
#else
#define ADD(a, b) (a + b)
#define SUB(a, b) (a - b)
#define MUL(a, b) (a * b)
#define DIV(a, b) (a / b)
#define HADD2 __hadd2
#define HSUB2 __hsub2
#define HMUL2 __hmul2
#endif

// Any NaN becomes one NaN, by integers: a compiler may take "x != x ? nan : x" for x.
__device__ __forceinline__ float plain(float x) {
    const unsigned word = __float_as_uint(x);
    return __uint_as_float((word & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : word);
}
__device__ __forceinline__ double plain(double x) {
    const u64 word = u64(__double_as_longlong(x));
    const bool nan = (word & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
    return __longlong_as_double(nan ? 0x7fffffffffffffffll : (long long)word);
}
__device__ __forceinline__ float4 plain4(float4 v) { return make_float4(plain(v.x), plain(v.y), plain(v.z), plain(v.w)); }
__device__ __forceinline__ float number(float x) { return x != x ? 0.0f : x; }
__device__ __forceinline__ double number(double x) { return x != x ? 0.0 : x; }
__device__ __forceinline__ double double_of(unsigned high, unsigned low) { return __hiloint2double(int(high), int(low)); }
__device__ __forceinline__ unsigned fold(u64 x) { return unsigned(x) * 31u + unsigned(x >> 32); }
__device__ __forceinline__ unsigned bits(bool x) { return x; }
__device__ __forceinline__ unsigned bits(unsigned x) { return x; }
__device__ __forceinline__ unsigned bits(int x) { return unsigned(x); }
__device__ __forceinline__ unsigned bits(unsigned short x) { return x; }
__device__ __forceinline__ unsigned bits(signed char x) { return unsigned(x); }
__device__ __forceinline__ unsigned bits(u64 x) { return fold(x); }
__device__ __forceinline__ unsigned bits(long long x) { return fold(u64(x)); }
__device__ __forceinline__ unsigned bits(float x) { return __float_as_uint(plain(x)); }
__device__ __forceinline__ unsigned bits(double x) { return fold(u64(__double_as_longlong(plain(x)))); }
__device__ __forceinline__ unsigned bits(uint4 v) { return v.x + 3 * v.y + 5 * v.z + 7 * v.w; }
__device__ __forceinline__ unsigned bits(float4 v) { return bits(v.x) + 3 * bits(v.y) + 5 * bits(v.z) + 7 * bits(v.w); }
__device__ __forceinline__ unsigned bits(uchar4 v) { return v.x | v.y << 8 | v.z << 16 | unsigned(v.w) << 24; }
__device__ __forceinline__ unsigned bits(short4 v) { return unsigned(v.x) + 3u * v.y + 5u * v.z + 7u * v.w; }

#ifdef HALVES
__device__ __forceinline__ unsigned half_bits(unsigned short x) { return (x & 0x7fff) > 0x7c00 ? 0x7fff : x; }
__device__ __forceinline__ unsigned bfloat_bits(unsigned short x) { return (x & 0x7fff) > 0x7f80 ? 0x7fff : x; }
__device__ __forceinline__ __half2 half2_of(unsigned x) {
    return __halves2half2(__ushort_as_half((unsigned short)x), __ushort_as_half((unsigned short)(x >> 16)));
}
__device__ __forceinline__ unsigned bits(__half2 x) {
    return half_bits(__half_as_ushort(__low2half(x))) | half_bits(__half_as_ushort(__high2half(x))) << 16;
}
__device__ __forceinline__ __half number(__half x) { return __hisnan(x) ? __ushort_as_half(0) : x; }
#endif
#ifdef BRAINS
__device__ __forceinline__ __nv_bfloat162 bfloat2_of(unsigned x) {
    return __halves2bfloat162(__ushort_as_bfloat16((unsigned short)x), __ushort_as_bfloat16((unsigned short)(x >> 16)));
}
__device__ __forceinline__ unsigned bits(__nv_bfloat162 x) {
    return bfloat_bits(__bfloat16_as_ushort(__low2bfloat16(x))) | bfloat_bits(__bfloat16_as_ushort(__high2bfloat16(x))) << 16;
}
__device__ __forceinline__ __nv_bfloat16 number(__nv_bfloat16 x) { return __hisnan(x) ? __ushort_as_bfloat16(0) : x; }
#endif
#ifdef OCTETS
__device__ __forceinline__ __half_raw raw_half(unsigned x) { __half_raw h; h.x = (unsigned short)x; return h; }
__device__ __forceinline__ unsigned octet(unsigned char x, int kind) {
    return (x & 0x7f) > (kind == __NV_E4M3 ? 0x7e : 0x7c) ? 0x7f : x;
}
#endif
