// fp32 and fp64 arithmetic, special functions, conversions of every pair of types.
extern "C" __global__ void arithmetic(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i], y = b[i];
    float r = x * y + 1.5f - fabsf(y) / x + sqrtf(x) + rsqrtf(y) + __fdividef(x, y) + 1.0f / y;
    r += fminf(x, y) * fmaxf(r, -2.25f) + copysignf(x, y) + __saturatef(x * 3.0f) + fmaf(-x, y, r);
    r += floorf(x) + ceilf(y) + truncf(r) + rintf(x) + roundf(y) + fmodf(x, y) + (isnan(x) ? 1.f : 0.f) + (isinf(y) ? 2.f : 0.f);
    r += __fadd_rz(x, y) + __fmul_ru(x, y) + __fmaf_rd(x, y, r) + __frcp_rn(x) + __fsqrt_rz(y) + __fdiv_ru(x, y);
    out[i] = (x < y ? r : -r) + (x != y && !(y >= r) ? x : 3.f) + (x == 0.f || y > 1e30f ? 7.f : y);
}

extern "C" __global__ void functions(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = a[i];
    float r = expf(x) + exp2f(x) + logf(x) + log2f(x) + log10f(x) + tanhf(x) + powf(x, 1.7f) + erff(x) + cbrtf(x);
    r += __expf(x) + __logf(x) + __sinf(x) + __cosf(x) + __powf(x, 2.f) + atan2f(x, r) + asinf(x) + sinhf(x) + lgammaf(x);
    float t;
    asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(x));
    out[i] = r + t + ldexpf(x, i) + frexpf(x, &i) + hypotf(x, r) + log1pf(x) + expm1f(x) + normcdff(x);
}

extern "C" __global__ void trigonometry(const float *a, float *out) {
    float s, c;
    sincosf(a[threadIdx.x], &s, &c);  // Payne-Hanek reduction needs a local array
    out[threadIdx.x] = s + c + tanf(a[threadIdx.x] + 1.f) + sinpif(s);
}

extern "C" __global__ void doubles(const double *a, const double *b, double *out, float *f, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double x = a[i], y = b[i];
    double r = x * y + 0.5 - fabs(y) + fma(-x, y, 3.25) + fmin(x, y) + fmax(x, 1.0) + floor(x) + rint(y) + trunc(x);
    r += x / y + sqrt(x) + 1.0 / y + rsqrt(y) + exp(x) + log(y) + pow(x, y) + sin(x) + __dadd_rz(x, y) + __dmul_ru(x, y);
    f[i] = (float)r + __double2float_rz(x) + (x < y ? 1.f : 2.f) + (x != r || isnan(y) ? 3.f : 4.f);
    out[i] = r > 7.0 ? r : (double)f[i + n];
}

extern "C" __global__ void conversions(const float *f, const double *d, const int *a, const long long *b,
                                       const unsigned char *c, float *fo, double *dout, int *io, long long *lo) {
    int i = threadIdx.x;
    float x = f[i];
    double y = d[i];
    io[i] = (int)x + (int)(unsigned)(x + 1.f) + (int)y + (int)(unsigned)(y + 1.0) + __float2int_rn(x) + __float2int_rd(x)
          + (int)__float2uint_ru(x) + __double2int_rn(y) + (int)(short)x + (int)(unsigned char)x + (int)(signed char)y;
    lo[i] = (long long)x + (long long)(unsigned long long)(x + 2.f) + (long long)y + __double2ll_rd(y) + (long long)__float2ull_rn(x);
    fo[i] = (float)a[i] + (float)(unsigned)a[i + 1] + (float)b[i] + (float)(unsigned long long)b[i + 1] + (float)c[i]
          + __int2float_rz(a[i]) + (float)(short)a[i] + (float)(signed char)c[i] + __ll2float_ru(b[i]) + __uint2float_rd(a[i]);
    dout[i] = (double)a[i] + (double)(unsigned)a[i + 1] + (double)b[i] + (double)(unsigned long long)b[i + 1] + (double)x
          + (double)c[i] + (double)(short)a[i] + __hiloint2double(a[i], a[i + 1]) + __longlong_as_double(b[i]);
}
