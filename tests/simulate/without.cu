// Kernels with one thing each that costs them time.

extern "C" __global__ void two_ways(const float *x, float *y, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    if (threadIdx.x & 1) for (int k = 0; k < rounds; k++) v = v * 1.5f + 0.5f;
    else for (int k = 0; k < rounds; k++) v = v * 0.5f - 0.25f;
    y[i] = v;
}

extern "C" __global__ void chosen(const float *x, float *y, const int *which) {
    float own[8];
    for (int i = 0; i < 8; i++) own[i] = x[8 * threadIdx.x + i];
    for (int i = 0; i < 32; i++) own[which[i] & 7] += own[which[i + 1] & 7];
    float sum = 0.0f;
    for (int i = 0; i < 8; i++) sum += own[i];
    y[threadIdx.x] = sum;
}

extern "C" __global__ void one_bin(const float *x, float *sum) { atomicAdd(sum, x[blockIdx.x * blockDim.x + threadIdx.x]); }

// Where a thread reads is what another one has written: nobody may pass the barrier early.
extern "C" __global__ void passed_on(const float *x, float *y, int rounds) {
    __shared__ int place[256];
    int at = threadIdx.x;
    for (int i = 0; i < rounds; i++) {
        place[threadIdx.x] = at;
        __syncthreads();
        at = place[(threadIdx.x + 32) & 255];
        __syncthreads();
    }
    y[threadIdx.x] = x[at];
}

extern "C" __global__ void counted(const float *x, int *place, float *y) { y[atomicAdd(place, 1)] = x[place[0] & 31]; }

extern "C" __global__ void twice(const float4 *x, float *y, int n) {
    float sum = 0.0f;
    for (int k = 0; k < 2; k++)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i].x;
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
