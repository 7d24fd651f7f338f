// Every width, cache operator and space.
#include <cuda_pipeline.h>

__constant__ float coefficients[64];
__constant__ int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__device__ float state[1024];

extern "C" __global__ void widths(const char *c, const short *s, const float2 *f2, const float4 *f4, const uchar4 *u4,
                                  double2 *d2, float4 *out, long long *l, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = f4[i];
    v.x += c[i] + s[i] + f2[i].y;
    v.y += u4[i].w;
    out[i] = v;
    d2[i] = make_double2(v.x, v.y);
    l[i] = (long long)v.z;
    state[i & 1023] += v.w;
}

extern "C" __global__ void operators(const float *__restrict__ a, float *b, volatile float *v, const float4 *__restrict__ q) {
    int i = threadIdx.x;
    float r = __ldg(a + i) + __ldca(a + i + 32) + __ldcg(a + i + 64) + __ldcs(a + i + 96) + __ldcv(a + i + 128) + __ldlu(a + i + 160);
    r += v[i] + __ldg(q + i).w + __ldcg(q + i + 1).x;
    __stcg(b + i, r);
    __stcs(b + i + 32, r);
    __stwt(b + i + 64, r);
    __stwb(b + i + 96, r);
    v[i + 32] = r;
    float x, y, z, w;
    asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(x) : "l"(a + i + 192));
    asm volatile("ld.acquire.sys.global.f32 %0, [%1];" : "=f"(y) : "l"(a + i + 224));
    asm volatile("ld.relaxed.cta.global.f32 %0, [%1];" : "=f"(z) : "l"(a + i + 256));
    asm volatile("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(w) : "l"(a + i + 288));
    asm volatile("st.release.gpu.global.f32 [%0], %1;" ::"l"(b + i + 128), "f"(x + y + z + w));
    asm volatile("st.relaxed.cta.global.f32 [%0], %1;" ::"l"(b + i + 160), "f"(w));
    asm volatile("ld.global.L1::evict_last.f32 %0, [%1];" : "=f"(x) : "l"(a + i + 320));
    asm volatile("ld.global.nc.L1::evict_first.f32 %0, [%1];" : "=f"(y) : "l"(a + i + 352));
    asm volatile("ld.global.L2::128B.f32 %0, [%1];" : "=f"(z) : "l"(a + i + 384));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(a + i + 4096));
    asm volatile("prefetch.global.L1 [%0];" ::"l"(a + i + 8192));
    b[i + 256] = x + y + z;
}

extern "C" __global__ void constants(float *out, int n, float4 p) {
    int i = threadIdx.x;
    float r = coefficients[3] + coefficients[i & 63] * table[i & 15] + p.z;
    for (int k = 0; k < n; k++) r += coefficients[k] * p.x;
    out[i] = r;
}

extern "C" __global__ void shared(float *out, const float4 *in) {
    extern __shared__ float dynamic[];
    __shared__ float fixed[256];
    __shared__ double wide[64];
    __shared__ unsigned char small[128];
    int i = threadIdx.x;
    reinterpret_cast<float4 *>(dynamic)[i] = in[i];
    fixed[i & 255] = out[i];
    small[i & 127] = (unsigned char)i;
    wide[i & 63] = out[i + 1];
    __syncthreads();
    out[i] = dynamic[(i * 7) & 511] + fixed[255 - (i & 255)] + (float)wide[(i * 3) & 63] + small[(i * 5) & 127]
           + reinterpret_cast<short *>(fixed)[i] + reinterpret_cast<float2 *>(dynamic)[i].y;
}

extern "C" __global__ void generic(float *g, int which) {
    __shared__ float s[128];
    s[threadIdx.x] = g[threadIdx.x];
    __syncthreads();
    float *p = which & 1 ? s : g;
    p[threadIdx.x ^ 1] += 2.0f;
    volatile float *v = which & 2 ? s : g;
    g[threadIdx.x] = v[threadIdx.x] + (p == s) + (float)__isShared(p) + (float)__isGlobal(p);
}

extern "C" __global__ void local(const int *index, float *out, int n) {
    float a[40];
    char b[40];
    for (int k = 0; k < 40; k++) { a[k] = out[k * n]; b[k] = (char)k; }
    for (int k = 0; k < n; k++) a[index[k]] += a[index[k + 1]] + b[index[k + 2]];
    float r = 0;
    for (int k = 0; k < 40; k++) r += a[index[k]];
    out[threadIdx.x] = r;
}

extern "C" __global__ void __launch_bounds__(1024, 2) spills(const float *a, float *out) {
    float v[64];
#pragma unroll
    for (int k = 0; k < 64; k++) v[k] = a[k * 1024 + threadIdx.x];
    __syncthreads();
    float r = 0;
#pragma unroll
    for (int k = 0; k < 64; k++) r = r * v[k] + v[63 - k];
#pragma unroll
    for (int k = 0; k < 64; k++) out[k * 1024 + threadIdx.x] = v[k] * r;
}

extern "C" __global__ void pipelines(const float4 *in, float *out, int n) {
    __shared__ float4 stage[2][128];
    int i = threadIdx.x;
    __pipeline_memcpy_async(&stage[0][i], in + i, 16);
    __pipeline_commit();
    float r = 0;
    for (int k = 1; k < n; k++) {
        __pipeline_memcpy_async(&stage[k & 1][i], in + k * 128 + i, 16, (i + k) & 1 ? 4 : 0);
        __pipeline_memcpy_async(&stage[k & 1][i].x, reinterpret_cast<const float *>(in) + k, 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        r += stage[(k - 1) & 1][127 - i].y;
        __syncthreads();
    }
    __pipeline_wait_prior(0);
    out[i] = r;
}
