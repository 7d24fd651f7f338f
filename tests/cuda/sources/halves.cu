// fp16 and bf16, in pairs and alone; fp8 where the architecture has it.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#if __CUDA_ARCH__ >= 800
#define HAS_BF16 1
#endif

extern "C" __global__ void half_pairs(const __half2 *a, const __half2 *b, __half2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half2 x = a[i], y = b[i];
    __half2 r = __hfma2(x, y, __hadd2(x, y));
    r = __hadd2(r, __hmul2(__hneg2(x), __habs2(y)));
    r = __hsub2(r, __hadd2_sat(x, y));
    r = __hadd2(r, __h2div(x, y));
    r = __hadd2(r, h2exp(x));
    r = __hadd2(r, h2sqrt(y));
    r = __hadd2(r, __hfma2_sat(x, y, r));
    r = __hfma2(r, __lowhigh2highlow(r), __low2half2(x));
    r = __hadd2(r, __high2half2(y));
    if (__hbgt2(x, y)) r = __hadd2(r, __hgt2(x, r));
    r = __hadd2(r, __hequ2(x, y));
    out[i] = __halves2half2(__low2half(r), __hadd(__high2half(r), __float2half(1.5f)));
}

extern "C" __global__ void half_scalars(const __half *a, const float *f, __half *out, float *fo, int *io, short *so, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __half x = a[i];
    __half r = x * x + __float2half(f[i]) - __int2half_rn(i) / x;
    if (x > r) r = hsin(x) + hlog(x);
    out[i] = r;
    fo[i] = __half2float(x) + __half2float(r) * f[i];
    io[i] = __half2int_rz(x) + __half2uint_rn(r) + (__hisnan(x) ? 1 : 2) + (x == r && !(x < __float2half(2.f)));
    so[i] = __half2short_rd(x) + (short)__half2ushort_ru(r);
}

#ifdef HAS_BF16
extern "C" __global__ void bfloat_pairs(const __nv_bfloat162 *a, const __nv_bfloat162 *b, __nv_bfloat162 *out, float2 *fo, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    __nv_bfloat162 x = a[i], y = b[i];
    __nv_bfloat162 r = __hfma2(x, y, __hadd2(x, y));
    r = __hadd2(__hmul2(r, x), __hmax2(x, y));
    r = __hmin2(r, __hfma2_relu(x, y, r));
    if (__hbge2(x, r)) r = __hsub2(r, __hlt2(x, y));
    r = __hadd2(r, __floats2bfloat162_rn(fo[i].x, fo[i].y));
    out[i] = r;
    fo[i + n] = __bfloat1622float2(r);
}

extern "C" __global__ void half_minmax(const __half2 *a, const __half2 *b, __half2 *out, __half *scalar) {
    int i = threadIdx.x;
    __half2 x = a[i], y = b[i];
    out[i] = __hmax2(__hmin2(x, y), __hmin2_nan(x, out[i]));
    out[i + 64] = __hfma2_relu(x, y, __floats2half2_rn(1.f, 2.f));
    scalar[i] = __hmax(__low2half(x), __high2half(y));
}
#endif
