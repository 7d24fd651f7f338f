// Loops over independent (chains_) or dependent (chain_) instructions, timed with clock64: what each pipe and their mixtures allow.
#include "clock.cuh"
typedef unsigned u32;

#define START __syncthreads(); clock_type begin = now();
#define END clock_type end = now(); if (threadIdx.x % 32 == 0) { out[threadIdx.x / 32 * 2] = begin; out[threadIdx.x / 32 * 2 + 1] = end; }

#define CHAINS(NAME, ASM)                                                     \
    extern "C" __global__ void chains_##NAME(int n, clock_type* out, u32* sink) { \
        u32 a[8];                                                             \
        _Pragma("unroll") for (int j = 0; j < 8; ++j) a[j] = threadIdx.x + j; \
        START _Pragma("unroll 1") for (int i = 0; i < n; ++i) {               \
            _Pragma("unroll") for (int j = 0; j < 64; ++j) { u32& x = a[j & 7]; ASM; } \
        } END                                                                 \
        u32 s = 0;                                                            \
        _Pragma("unroll") for (int j = 0; j < 8; ++j) s += a[j];              \
        sink[threadIdx.x] = s;                                                \
    }
#define CHAIN(NAME, ASM)                                                      \
    extern "C" __global__ void chain_##NAME(int n, clock_type* out, u32* sink) { \
        u32 x = threadIdx.x;                                                  \
        START _Pragma("unroll 1") for (int i = 0; i < n; ++i) {               \
            _Pragma("unroll") for (int j = 0; j < 64; ++j) { ASM; }           \
        } END                                                                 \
        sink[threadIdx.x] = x;                                                \
    }
#define BOTH(NAME, ASM) CHAINS(NAME, ASM) CHAIN(NAME, ASM)

#define HI asm volatile("mul.hi.u32 %0,%0,%0;" : "+r"(x))
#define LOP asm volatile("lop3.b32 %0,%0,%0,%0,0x1e;" : "+r"(x))
#define FFMA asm volatile("{.reg .f32 f;mov.b32 f,%0;fma.rn.f32 f,f,f,f;mov.b32 %0,f;}" : "+r"(x))
#define WIDE asm volatile("{.reg .u64 w;.reg .u32 h;mul.wide.u32 w,%0,%0;mov.b64 {%0,h},w;add.u32 %0,%0,h;}" : "+r"(x))
#define IMAD asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x))
#define I2F asm volatile("{.reg .f32 f;cvt.rp.f32.u32 f,%0;mov.b32 %0,f;}" : "+r"(x))
#define F2I asm volatile("{.reg .f32 f;mov.b32 f,%0;cvt.rzi.ftz.u32.f32 %0,f;}" : "+r"(x))
#define EX2 asm volatile("{.reg .f32 f;mov.b32 f,%0;ex2.approx.ftz.f32 f,f;mov.b32 %0,f;}" : "+r"(x))

BOTH(imad_hi, HI)
BOTH(imad_wide, WIDE)
BOTH(i2f, I2F)
BOTH(f2i, F2I)
BOTH(imad, IMAD)
BOTH(lop3, LOP)
BOTH(ffma, FFMA)
BOTH(imad_hi_lop3, HI; LOP)
BOTH(imad_ffma, IMAD; FFMA)
BOTH(imad_3ffma, IMAD; FFMA; FFMA; FFMA)
BOTH(lop3_ffma, LOP; FFMA)
BOTH(lop3_imad, LOP; IMAD)
BOTH(lop3_imad_ffma, LOP; IMAD; FFMA)
BOTH(ex2_4ffma, EX2; FFMA; FFMA; FFMA; FFMA)
BOTH(ex2_4lop3, EX2; LOP; LOP; LOP; LOP)
BOTH(mix, LOP; IMAD; FFMA; LOP; FFMA; FFMA)

// short loops: what a taken branch costs
#define LOOP(K)                                                               \
    extern "C" __global__ void loop_##K(int n, clock_type* out, u32* sink) {  \
        u32 y[K];                                                             \
        _Pragma("unroll") for (int j = 0; j < K; ++j) y[j] = threadIdx.x + j; \
        START _Pragma("unroll 1") for (int i = 0; i < n; ++i) {               \
            _Pragma("unroll") for (int j = 0; j < K; ++j) { u32& x = y[j]; FFMA; } \
        } END                                                                 \
        u32 s = 0;                                                            \
        _Pragma("unroll") for (int j = 0; j < K; ++j) s += y[j];              \
        sink[threadIdx.x] = s;                                                \
    }
LOOP(1) LOOP(2) LOOP(4) LOOP(8) LOOP(16) LOOP(32)

extern "C" __global__ void barriers(int n, clock_type* out, u32* sink) {
    u32 x = threadIdx.x;
    START _Pragma("unroll 1") for (int i = 0; i < n; ++i) { IMAD; __syncthreads(); } END
    sink[threadIdx.x] = x;
}
