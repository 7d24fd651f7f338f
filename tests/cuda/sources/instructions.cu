// One kernel for each family of instructions, for sm_90: thread i reads three words a, b, c and writes one word for
// every result, the k-th one to out[k * n + i].  What an H200 gives is in data/instructions-h200.npz of these tests.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

typedef unsigned u32;
typedef unsigned long long u64;
typedef long long s64;

// The words as what an instruction takes: fa is a as fp32, wa is b:a as 64 bits, da that as fp64, and so on.
#define BEGIN                                                                                       \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                                            \
    int k = 0;                                                                                      \
    const u32 a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];                                  \
    [[maybe_unused]] const float fa = __uint_as_float(a), fb = __uint_as_float(b), fc = __uint_as_float(c); \
    [[maybe_unused]] const u64 wa = (u64)b << 32 | a, wb = (u64)c << 32 | b;                        \
    [[maybe_unused]] const double da = __longlong_as_double(wa), db = __longlong_as_double(wb);
#define KERNEL(name) extern "C" __global__ void name(const u32 *in, u32 *out, int n)

// Results: a word, an fp32, 64 bits, an fp64, and what is not done by this thread.
#define PUT(...) out[k++ * n + i] = (u32)(__VA_ARGS__)
#define PUT_F(...) PUT(__float_as_uint(__VA_ARGS__))
#define PUT_W(...)                       \
    {                                    \
        const u64 word = (__VA_ARGS__);  \
        PUT(word);                       \
        PUT(word >> 32);                 \
    }
#define PUT_D(...) PUT_W(__double_as_longlong(__VA_ARGS__))
#define PUT_AS(type, ...)                \
    {                                    \
        const auto value = __VA_ARGS__;  \
        PUT(*(const type *)&value);      \
    }
#define SKIP(count) k += count

// A PTX instruction by its name: the letters say what the result is, and of what type the one to three sources are.
#define PTX(type, letter, text, ...) \
    [&] { type r; asm volatile(text : "=" letter(r) : __VA_ARGS__); return r; }()
#define F_F(op) PUT_F(PTX(float, "f", op " %0, %1;", "f"(fa)))
#define F_FF(op) PUT_F(PTX(float, "f", op " %0, %1, %2;", "f"(fa), "f"(fb)))
#define F_FFF(op) PUT_F(PTX(float, "f", op " %0, %1, %2, %3;", "f"(fa), "f"(fb), "f"(fc)))
#define R_R(op) PUT(PTX(u32, "r", op " %0, %1;", "r"(a)))
#define R_RR(op) PUT(PTX(u32, "r", op " %0, %1, %2;", "r"(a), "r"(b)))
#define R_RRR(op) PUT(PTX(u32, "r", op " %0, %1, %2, %3;", "r"(a), "r"(b), "r"(c)))
#define R_F(op) PUT(PTX(u32, "r", op " %0, %1;", "f"(fa)))
#define R_FF(op) PUT(PTX(u32, "r", op " %0, %1, %2;", "f"(fa), "f"(fb)))
#define F_R(op) PUT_F(PTX(float, "f", op " %0, %1;", "r"(a)))
#define R_OF(op, x, y) PUT(PTX(u32, "r", op " %0, %1, %2;", "r"(x), "r"(y)))
#define R_OF3(op, x, y, z) PUT(PTX(u32, "r", op " %0, %1, %2, %3;", "r"(x), "r"(y), "r"(z)))
#define W_OF(op, x, y) PUT_W(PTX(u64, "l", op " %0, %1, %2;", "l"(x), "r"(y)))

KERNEL(float_arithmetic) {
    BEGIN
    F_FF("add.rn.f32"); F_FF("add.rz.f32"); F_FF("add.rm.f32"); F_FF("add.rp.f32");
    F_FF("add.rn.ftz.f32"); F_FF("add.sat.f32"); F_FF("sub.rn.f32");
    F_FF("mul.rn.f32"); F_FF("mul.rz.f32"); F_FF("mul.rm.f32"); F_FF("mul.rp.f32");
    F_FF("mul.ftz.f32"); F_FF("mul.sat.f32");
    F_FFF("fma.rn.f32"); F_FFF("fma.rz.f32"); F_FFF("fma.rm.f32"); F_FFF("fma.rp.f32");
    F_FFF("fma.rn.ftz.f32"); F_FFF("fma.rn.sat.f32");
    F_FF("min.f32"); F_FF("max.f32"); F_FF("min.NaN.f32"); F_FF("max.NaN.f32"); F_FF("min.ftz.f32");
    F_F("neg.f32"); F_F("abs.f32"); F_FF("copysign.f32");
}

KERNEL(float_division) {
    BEGIN
    F_FF("div.rn.f32"); F_FF("div.full.f32"); F_FF("div.approx.f32"); F_FF("div.rz.f32"); F_FF("div.rp.f32");
    F_F("sqrt.rn.f32"); F_F("sqrt.rz.f32"); F_F("sqrt.approx.f32"); F_F("rcp.rn.f32"); F_FF("div.rn.ftz.f32");
    PUT_F(fmodf(fa, fb));
    PUT_F(1.0f / fa);
}

KERNEL(float_special) {
    BEGIN
    F_F("rcp.approx.f32"); F_F("rsqrt.approx.f32"); F_F("ex2.approx.f32"); F_F("lg2.approx.f32");
    F_F("sin.approx.f32"); F_F("cos.approx.f32"); F_F("tanh.approx.f32");
    F_F("ex2.approx.ftz.f32"); F_F("rcp.approx.ftz.f32");
}

KERNEL(float_compare) {
    BEGIN
    PUT(fa < fb); PUT(fa <= fb); PUT(fa > fb); PUT(fa >= fb); PUT(fa == fb); PUT(fa != fb);
    PUT(!(fa < fb)); PUT(!(fa >= fb)); PUT(isnan(fa)); PUT(isinf(fb));
    PUT(!(fa < fb) && fc > 0); PUT(fa < fb || fc > fa); PUT((fa < fb) ^ (fb < fc));
    PUT_F(fa < fb ? fc : fb); PUT(fa < fb ? 0x3f800000u : 0u);
}

KERNEL(conversions) {
    BEGIN
    R_F("cvt.rni.s32.f32"); R_F("cvt.rzi.s32.f32"); R_F("cvt.rmi.s32.f32"); R_F("cvt.rpi.s32.f32");
    R_F("cvt.rni.u32.f32"); R_F("cvt.rzi.u32.f32");
    R_F("cvt.rzi.s16.f32"); R_F("cvt.rzi.u16.f32"); R_F("cvt.rzi.s8.f32"); R_F("cvt.rzi.u8.f32");
    F_F("cvt.rni.f32.f32"); F_F("cvt.rzi.f32.f32"); F_F("cvt.rmi.f32.f32"); F_F("cvt.rpi.f32.f32");
    F_F("cvt.rni.ftz.f32.f32"); F_F("cvt.sat.f32.f32");
    F_R("cvt.rn.f32.s32"); F_R("cvt.rz.f32.s32"); F_R("cvt.rm.f32.s32"); F_R("cvt.rp.f32.s32");
    F_R("cvt.rn.f32.u32"); F_R("cvt.rz.f32.u32");
    PUT_F((float)(signed char)a); PUT_F((float)(unsigned char)(a >> 8));
    PUT_F((float)(short)a); PUT_F((float)(unsigned short)(a >> 16));
    PUT_W(__float2ll_rz(fa)) PUT_W(__float2ull_rn(fa))
    PUT_F(__ll2float_rn((s64)wa)); PUT_F(__ull2float_rz(wa));
    PUT_D((double)fa) PUT_F(__double2float_rn(da)); PUT_F(__double2float_rz(da));
    PUT(__double2int_rz(da)); PUT(__double2uint_rn(da)); PUT_W(__double2ll_rn(da))
    PUT_D((double)(int)a) PUT_D((double)a) PUT_D((double)(s64)wa) PUT_D((double)wa)
    PUT_D(rint(da)) PUT_D(floor(da))
}

KERNEL(conversions_16) {
    BEGIN
    const __half low = __ushort_as_half((unsigned short)a);
    PUT(__half_as_ushort(__float2half_rn(fa))); PUT(__half_as_ushort(__float2half_rz(fa)));
    PUT_F(__half2float(low));
    PUT(__bfloat16_as_ushort(__float2bfloat16_rn(fa)));
    PUT_F(__bfloat162float(__ushort_as_bfloat16((unsigned short)(a >> 16))));
    PUT_AS(u32, __floats2half2_rn(fa, fb))
    PUT_AS(u32, __floats2bfloat162_rn(fa, fb))
    R_FF("cvt.rn.relu.f16x2.f32"); R_FF("cvt.rz.bf16x2.f32");
    PUT(__half2int_rn(low)); PUT(__half_as_ushort(__int2half_rn((int)a))); PUT(__half_as_ushort(hrint(low)));
    PUT(__nv_cvt_float_to_fp8(fa, __NV_SATFINITE, __NV_E4M3));
    PUT(__nv_cvt_float_to_fp8(fa, __NV_SATFINITE, __NV_E5M2));
    PUT_AS(u32, __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)a, __NV_E4M3))
    PUT_AS(u32, __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)a, __NV_E5M2))
}

KERNEL(half2_arithmetic) {
    BEGIN
    R_RR("add.f16x2"); R_RR("add.rn.ftz.f16x2"); R_RR("add.rn.sat.f16x2");
    R_RR("mul.f16x2"); R_RR("mul.rn.sat.f16x2");
    R_RRR("fma.rn.f16x2"); R_RRR("fma.rn.relu.f16x2"); R_RRR("fma.rn.sat.f16x2");
    R_RR("sub.f16x2"); R_RR("min.f16x2"); R_RR("max.f16x2"); R_RR("min.NaN.f16x2");
    R_R("neg.f16x2"); R_R("abs.f16x2");
    R_RRR("fma.rn.bf16x2"); R_RRR("fma.rn.relu.bf16x2");
    R_RR("add.rn.bf16x2"); R_RR("mul.rn.bf16x2"); R_RR("min.bf16x2"); R_RR("max.NaN.bf16x2"); R_RR("sub.rn.bf16x2");
    const __half2 x = *(const __half2 *)&a, y = *(const __half2 *)&b;
    PUT(__hbeq2(x, y)); PUT(__hblt2(x, y)); PUT(__hbge2(x, y)); PUT(__hbneu2(x, y));
    PUT_AS(u32, __hge2(x, y))
    PUT_AS(u32, __hne2(x, y))
    PUT_AS(u32, __hadd2(__low2half2(x), __high2half2(y)))
    PUT_AS(u32, __hfma2(__lowhigh2highlow(x), y, __low2half2(y)))
    PUT_AS(unsigned short, __hmul(__low2half(x), __high2half(y)))
    PUT_AS(unsigned short, hexp2(__low2half(x)))
    PUT_AS(u32, h2rcp(x))
    PUT_AS(u32, h2sqrt(x))
    PUT_AS(unsigned short, hlog2(__low2half(x)))
}

KERNEL(double_arithmetic) {
    BEGIN
    PUT_D(__dadd_rn(da, db)) PUT_D(__dadd_rz(da, db))
    PUT_D(__dmul_rn(da, db)) PUT_D(__dmul_ru(da, db))
    PUT_D(__fma_rn(da, db, da)) PUT_D(__fma_rd(da, db, -da))
    PUT_D(da / db) PUT_D(sqrt(da)) PUT_D(__drcp_rn(da))
    PUT_D(fmin(da, db)) PUT_D(fmax(da, db))
    PUT(da < db); PUT(da == db); PUT(!(da >= db));
    PUT_D(fabs(da)) PUT_D(-db) PUT_D(exp2((double)fa)) PUT_D(rsqrt(da))
}

KERNEL(integer_arithmetic) {
    BEGIN
    PUT(a + b + c); PUT(a - b + c); PUT(a * b + c); PUT(a - b * c);
    R_RR("mul.hi.s32"); R_RR("mul.hi.u32"); R_RRR("mad.hi.s32"); R_RRR("mad.lo.u32");
    PUT(__mul24((int)a, (int)b)); PUT(__sad((int)a, (int)b, c)); PUT(__usad(a, b, c));
    PUT_W((s64)(int)a * (int)b + (s64)wb) PUT_W((u64)a * b + wb)
    PUT_W(wa + wb) PUT_W(wa - wb) PUT_W(wa * wb)
    PUT_W(__umul64hi(wa, wb)) PUT_W(__mul64hi((s64)wa, (s64)wb))
    PUT((int)a / (int)(b | 1)); PUT((int)a % (int)(b | 1)); PUT(a / (b | 1)); PUT(a % (b | 1));
    PUT(a / 7); PUT((int)a / 10); PUT((int)a % 8);
    PUT_W(wa / (wb | 1)) PUT_W((s64)wa % (s64)(wb | 1)) PUT_W(wa / 1000)
    PUT(min((int)a, (int)b)); PUT(max(a, b)); PUT(abs((int)a)); PUT(max((int)a, max((int)b, (int)c)));
    PUT(__vabsdiffu4(a, b)); PUT(__vadd2(a, b));
    R_OF3("{.reg .b32 low; add.cc.u32 low, %1, %2; addc.u32 %0, %3, %1;} //", a, b, c);
    R_OF3("{.reg .b32 low; sub.cc.u32 low, %1, %2; subc.u32 %0, %3, %1;} //", a, b, c);
    PUT(__dp4a((int)a, (int)b, (int)c)); PUT(__dp4a(a, b, c)); PUT(__dp2a_lo((int)a, (int)b, (int)c));
    PUT(a == b); PUT((int)a < (int)b); PUT(a < b);
    PUT((s64)wa < (s64)wb); PUT(wa < wb); PUT(wa == wb); PUT(wa >= wb); PUT((s64)wa != (s64)wb);
}

KERNEL(integer_bits) {
    BEGIN
    const u32 s = b & 63, t = c & 31, far = s + (c & 7) * 8;
    PUT(__popc(a)); PUT(__clz(a)); PUT(__ffs(a)); PUT(__brev(a));
    R_R("bfind.s32"); R_R("bfind.u32"); R_R("bfind.shiftamt.u32");
    PUT(__popcll(wa)); PUT(__clzll(wa)); PUT_W(__brevll(wa))
    R_OF("shl.b32", a, s); R_OF("shr.u32", a, s); R_OF("shr.s32", a, s);
    W_OF("shl.b64", wa, far) W_OF("shr.u64", wa, far) W_OF("shr.s64", wa, s)
    PUT(__funnelshift_l(a, b, c)); PUT(__funnelshift_r(a, b, c));
    PUT(__funnelshift_lc(a, b, s)); PUT(__funnelshift_rc(a, b, s)); PUT(a << 5 | b >> 27);
    PUT(__byte_perm(a, b, c));
    R_RRR("prmt.b32.f4e"); R_RRR("prmt.b32.b4e"); R_RRR("prmt.b32.rc8");
    R_RRR("prmt.b32.ecl"); R_RRR("prmt.b32.ecr"); R_RRR("prmt.b32.rc16");
    R_OF3("bfe.u32", a, s, t); R_OF3("bfe.s32", a, s, t);
    PUT(PTX(u32, "r", "bfi.b32 %0, %1, %2, %3, %4;", "r"(a), "r"(b), "r"(s), "r"(t)));
    R_OF("bmsk.clamp.b32", s, t); R_OF("bmsk.wrap.b32", s, c);
    R_OF("szext.wrap.s32", a, c); R_OF("szext.clamp.u32", a, s);
#define LUT(table) PUT(PTX(u32, "r", "lop3.b32 %0, %1, %2, %3, " #table ";", "r"(a), "r"(b), "r"(c)))
    LUT(0x96); LUT(0x1e); LUT(0xe8); LUT(0xca); LUT(0x80); LUT(0xfe); LUT(0x2d);
    PUT((a & b) != 0); PUT((a & 0x10) == 0 && (b & 2));
    PUT((int)(signed char)a); PUT((int)(short)(b >> 16)); PUT(a ^ ~b);
}

KERNEL(exchange) {
    BEGIN
    PUT(__shfl_sync(~0u, a, b & 31)); PUT(__shfl_up_sync(~0u, a, c & 31)); PUT(__shfl_down_sync(~0u, a, 3, 8));
    PUT(__shfl_xor_sync(~0u, a, b & 31, 16)); PUT(__shfl_sync(~0u, a, b, 4));
    u32 got;
    int inside, agree;
    asm volatile("{.reg .pred q; shfl.sync.up.b32 %0|q, %2, %3, %4, -1; selp.s32 %1, 1, 0, q;}"
                 : "=r"(got), "=r"(inside) : "r"(a), "r"(c & 31), "r"(b & 0x1f1f));
    PUT(got); PUT(inside);
    PUT(__ballot_sync(~0u, a & 1)); PUT(__any_sync(~0u, a == b)); PUT(__all_sync(~0u, a != b));
    PUT(__activemask());
    if (a & 4) PUT(__activemask()); else SKIP(1);
    PUT(__match_any_sync(~0u, a & 3));
    PUT(__match_all_sync(~0u, b & 0, &agree)); PUT(agree);
    PUT(__match_all_sync(~0u, b, &agree)); PUT(agree);
    PUT(__match_any_sync(~0u, wa & 0x100000003ull));
    PUT(__reduce_add_sync(~0u, a)); PUT(__reduce_min_sync(~0u, a)); PUT(__reduce_max_sync(~0u, (int)a));
    PUT(__reduce_and_sync(~0u, a)); PUT(__reduce_xor_sync(~0u, b));
    PUT(__syncthreads_count(a & 1)); PUT(__syncthreads_or(a == 7)); PUT(__syncthreads_and(a | 1));
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(got)); PUT(got);
    asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(got)); PUT(got);
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(got)); PUT(got);
    if (a & 1) PUT(__shfl_sync(__activemask(), a, 31 - __clz(__activemask()))); else SKIP(1);
}

// Global memory: 64 words of each block from the 40th row of the output on.  Sums of floats are of small integers,
// so that their order does not matter.
KERNEL(atomics) {
    BEGIN
    __shared__ u32 s[16];
    __shared__ u64 w[8];
    if (threadIdx.x < 16) s[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 8) w[threadIdx.x] = threadIdx.x;
    __syncthreads();
    atomicAdd(&s[0], a); atomicMin((int *)&s[1], (int)b); atomicMax(&s[2], c);
    atomicAnd(&s[3], a); atomicOr(&s[4], b); atomicXor(&s[5], c); atomicInc(&s[6], 100); atomicDec(&s[7], 50);
    atomicAdd((int *)&s[8], -(int)a); atomicMin(&s[9], a); atomicMax((int *)&s[10], (int)a);
    atomicAdd(&w[0], wa); atomicMax(&w[1], wb); atomicXor(&w[2], wa);
    u32 *g = out + 40 * n + blockIdx.x * 64;
    atomicAdd(g, a); atomicMin((int *)g + 1, (int)b); atomicMax(g + 2, c);
    atomicAnd(g + 3, a); atomicOr(g + 4, b); atomicXor(g + 5, c); atomicInc(g + 6, 100); atomicDec(g + 7, 50);
    atomicAdd((u64 *)(g + 8), wa); atomicMax((u64 *)(g + 10), wb); atomicMin((s64 *)(g + 12), (s64)wa);
    atomicAdd((float *)(g + 14), (float)(a & 255)); atomicAdd((double *)(g + 16), (double)(b & 255));
    atomicAdd((__half2 *)(g + 18), __floats2half2_rn((float)(a & 3), (float)(b & 3)));
    atomicAdd((__nv_bfloat162 *)(g + 19), __floats2bfloat162_rn((float)(a & 1), 1.f));
    if (threadIdx.x == 5) {
        PUT(atomicExch(g + 20, i)); PUT(atomicCAS(g + 21, 0u, (u32)i)); PUT(atomicCAS(g + 21, (u32)i, 9u));
    } else {
        SKIP(3);
    }
    __syncthreads();
    if (threadIdx.x < 16) PUT(s[threadIdx.x]); else SKIP(1);
    if (threadIdx.x < 8) PUT_W(w[threadIdx.x]) else SKIP(2);
}

#define MMA_F32(text, ...)                                                                             \
    {                                                                                                  \
        float d0, d1, d2, d3;                                                                          \
        asm volatile("mma.sync.aligned." text : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3) : __VA_ARGS__); \
        PUT_F(d0); PUT_F(d1); PUT_F(d2); PUT_F(d3);                                                    \
    }
#define MMA_S32(text)                                                                                                 \
    {                                                                                                                 \
        int d0, d1, d2, d3;                                                                                           \
        asm volatile("mma.sync.aligned." text : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3) : "r"(a), "r"(b), "r"(c));     \
        PUT(d0); PUT(d1); PUT(d2); PUT(d3);                                                                           \
    }

// Inputs of tensor cores: pairs of fp16 (h) and bf16 (z), and fp32 (g), around one.
KERNEL(matrices) {
    BEGIN
    const u32 h0 = (a & 0x83ff83ff) | 0x38003800, h1 = (b & 0x83ff83ff) | 0x34003400;
    const u32 h2 = (c & 0x83ff83ff) | 0x38003800, h3 = (h0 ^ h1) & 0xbfffbfff, h4 = h1 ^ (c & 0x03ff03ff);
    const u32 z0 = (a & 0x807f807f) | 0x3f003f00, z1 = (b & 0x807f807f) | 0x3f003f00;
    const float g0 = (float)(int)a * 0x1p-31f, g1 = (float)(int)b * 0x1p-31f;
    MMA_F32("m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%10,%11};",
            "r"(h0), "r"(h1), "r"(h2), "r"(h3), "r"(h4), "r"(h2), "f"(g0), "f"(g1))
    MMA_F32("m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%7,%8};",
            "r"(h0), "r"(h1), "r"(h4), "f"(g0), "f"(g1))
    MMA_F32("m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%4,%5}, {%5,%4}, {%6,%7,%6,%7};",
            "r"(z0), "r"(z1), "f"(g0), "f"(g1))
    MMA_F32("m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%5,%4}, {%5,%4}, {%6,%7,%6,%7};",
            "r"(__float_as_uint(g0)), "r"(__float_as_uint(g1)), "f"(g0), "f"(g1))
    u32 r0, r1, r2, r3;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%2,%3};"
                 : "=r"(r0), "=r"(r1) : "r"(h0), "r"(h1), "r"(h2), "r"(h3), "r"(h4), "r"(h2));
    PUT(r0); PUT(r1);
    MMA_S32("m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%4}, {%5,%6}, {%4,%5,%6,%5};")
    MMA_S32("m16n8k16.row.col.s32.u8.u8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%4,%5,%6,%5};")
    double e0, e1;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
                 : "=d"(e0), "=d"(e1) : "d"((double)g0), "d"((double)g1), "d"(1.0), "d"((double)g0));
    PUT_D(e0) PUT_D(e1)

    __shared__ __align__(16) u32 tile[1024];
    const u32 own = threadIdx.x * 4 % 1024;
    tile[own] = a; tile[own + 1] = b; tile[own + 2] = c; tile[own + 3] = a ^ b;
    __syncthreads();
    const u32 row = (u32)__cvta_generic_to_shared(&tile[(threadIdx.x & ~31) * 4 % 1024]) + (threadIdx.x & 31) * 16;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(row));
    PUT(r0); PUT(r1); PUT(r2); PUT(r3);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(row));
    PUT(r0); PUT(r1);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r0) : "r"(row));
    PUT(r0);
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r0) : "r"(a));
    PUT(r0);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((u32)__cvta_generic_to_shared(&tile[own])),
                 "l"(in + (3 * (i & ~3) & ~3)), "r"((a & 1) * 16));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    PUT(tile[own + 1]);
}

__constant__ u32 table[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3,
                              8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7, 9, 5, 0, 2, 8, 8};

__device__ __noinline__ u32 twist(u32 x, u32 y) {
    for (u32 j = 0; j < (y & 7); ++j) x = x * 1664525u + (x >> 13) + y;
    return x;
}

__device__ __forceinline__ u32 switched(u32 x, u32 b, u32 c) {
    switch (b & 15) {
    case 0: return x + 1;
    case 1: return x ^ b;
    case 2: return x * 3;
    case 3: return ~x;
    case 4: return x - c;
    case 5: return x / 3;
    case 6: return x << 3;
    case 7: return __popc(x);
    case 8: return x | c;
    case 9: return x & 77;
    case 10: return x % 13;
    default: return 0;
    }
}

KERNEL(control) {
    BEGIN
    PUT(table[a & 63]);
    PUT(twist(a, b));
    if (b & 1) PUT(twist(b, c) ^ twist(c, a)); else PUT(twist(c, b));
    PUT(switched(a, b, c));

    u32 stack[24], sum = 0;
    for (int j = 0; j < 24; ++j) stack[j] = a * j + b;
    for (int j = 0; j < (int)(c & 15); ++j) {
        sum += stack[(a + j) % 24];
        stack[(b + j) % 24] ^= sum;
    }
    PUT(sum);
    PUT(stack[c % 24]);

    u32 r = 0;
    while (true) {
        if ((r ^ a) % 7 == 3) break;
        r++;
        if (r > 40) goto late;
    }
    r += 1000;
late:
    PUT(r);
    for (int j = 0; j < 5; ++j) {
        if ((a >> j) & 1) {
            if ((b >> j) & 1) continue;
            r += j;
        } else if ((c >> j) & 1) {
            r ^= 5 * j;
            if (r & 8) break;
        }
    }
    PUT(r);

    PUT(((const unsigned char *)in)[a & 4095]); PUT(((const signed char *)in)[b & 4095]);
    PUT(((const unsigned short *)in)[c & 2047]); PUT(((const short *)in)[a & 2047]);
    const uint4 four = ((const uint4 *)in)[a & 255];
    PUT(four.x ^ four.y); PUT(four.z + four.w);
    const ulonglong2 two = ((const ulonglong2 *)in)[b & 255];
    PUT_W(two.x ^ two.y)
    if (a & 2) return;
    PUT(i);
}
