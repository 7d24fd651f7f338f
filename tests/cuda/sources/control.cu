// Loops, switch tables, calls that are not inlined, early exits, traps.
__device__ __noinline__ float polynomial(float x, int n) {
    float r = 1.f;
    for (int k = 0; k < n; k++) r = r * x + (float)k;
    return r;
}

__device__ __noinline__ void both(int *a, int b) {
    if (b > 3) a[threadIdx.x] += b;
    else a[threadIdx.x + 1] -= (int)polynomial((float)b, b);
}

extern "C" __global__ void calls(float *x, int *a, int n) {
    x[threadIdx.x] = polynomial(x[threadIdx.x], n) + polynomial(x[threadIdx.x + 1], n + 1);
    if (threadIdx.x & 1) both(a, n);
    x[threadIdx.x] /= x[threadIdx.x + 7];
}

extern "C" __global__ void switches(const int *a, float *x, int *out) {
    int i = threadIdx.x, r = 0;
    switch (a[i]) {
    case 0: r = i * 3; break;
    case 1: x[i] = 2.f; break;
    case 2: r = a[i + 1] / 7; x[i + 1] = 1.f;  // falls through
    case 3: x[i + 3] = (float)r; break;
    case 4: r = a[i + 2] * a[i + 3]; break;
    case 5: out[i + 5] = 4; r = 8; break;
    case 6: x[i] = x[i + 7] * 3.f; return;
    case 7: r = __popc(a[i + 9]); break;
    case 8: x[i + 2] = sqrtf(x[i]); break;
    case 9: out[i + 7] = out[i + 6]; break;
    default: r = -1;
    }
    out[i] = r;
}

extern "C" __global__ void nested(const int *a, int *out, int n, int m) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, r = 0;
    for (int i = t; i < n; i += gridDim.x * blockDim.x) {
        int j = 0;
        while (true) {
            if (a[i + j] == 0) break;
            if (a[i + j] < 0) { r--; j += 2; continue; }
            for (int k = 0; k < m; k++) {
                if (a[k] > i) goto done;
                r += a[k] * j;
            }
            if (++j > m) break;
        }
    }
done:
    out[t] = r;
}

extern "C" __global__ void traps(const int *a, int *out) {
    if (a[threadIdx.x] > 100) __trap();
    if (a[threadIdx.x] < -100) __brkpt();
    if (a[0] == 5) { asm volatile("exit;"); }
    __nanosleep(100);
    out[threadIdx.x] = a[threadIdx.x];
    if (a[1] == 3) __builtin_unreachable();
}
