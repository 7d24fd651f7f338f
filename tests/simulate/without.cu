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

// A divisor that is known when it runs, one a thread; and the same by a known one.
extern "C" __global__ void divided(const int *x, int *y, int by) {
    unsigned v = x[threadIdx.x];
#pragma unroll 4
    for (int i = 0; i < 64; i++) v = v / by + 12345u * i;
    y[threadIdx.x] = v;
}

extern "C" __global__ void left_over(const int *x, int *y, int by) {
    int v = x[threadIdx.x];
#pragma unroll 4
    for (int i = 0; i < 64; i++) v = v % by + 12345 * i;
    y[threadIdx.x] = v;
}

extern "C" __global__ void divided_by_seven(const int *x, int *y, int by) {
    unsigned v = x[threadIdx.x];
#pragma unroll 4
    for (int i = 0; i < 64; i++) v = v / 7u + 12345u * i;
    y[threadIdx.x] = v;
}

// A constant that is a double by mistake; and doubles that are meant.
extern "C" __global__ void by_mistake(const float *x, float *y) {
    int own = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[own];
#pragma unroll 4
    for (int i = 0; i < 64; i++) v = v * 1.25 + 0.1;
    y[own] = v;
}

extern "C" __global__ void meant(const double *x, double *y, float by) {
    double v = x[threadIdx.x];
#pragma unroll 4
    for (int i = 0; i < 64; i++) v = v * by + 0.1;
    y[threadIdx.x] = v;
}

// Bytes one after another; and at places that were loaded.
extern "C" __global__ void bytes(const unsigned char *x, int *y) {
    int sum = 0;
#pragma unroll 4
    for (int i = 0; i < 64; i++) sum += x[i * 256 + threadIdx.x];
    y[threadIdx.x] = sum;
}

extern "C" __global__ void bytes_at(const unsigned char *x, const int *at, int *y) {
    int sum = 0;
#pragma unroll 4
    for (int i = 0; i < 64; i++) sum += x[at[i * 256 + threadIdx.x]];
    y[threadIdx.x] = sum;
}

// Special functions, one after another.
extern "C" __global__ void waves(const float *x, float *y) {
    float v = x[threadIdx.x];
#pragma unroll 4
    for (int i = 0; i < 64; i++) v = __sinf(v);
    y[threadIdx.x] = v;
}

// Tiles of two matrices, an element a thread; and the same, four times four.
extern "C" __global__ void tiles_of_8(const float *a, const float *b, float *c) {
    __shared__ float as[8][8], bs[8][8];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
    float sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < 256; k += 8) {
        as[y][x] = a[row * 256 + k + x];
        bs[y][x] = b[(k + y) * 256 + column];
        __syncthreads();
        for (int i = 0; i < 8; i++) sum += as[y][i] * bs[i][x];
        __syncthreads();
    }
    c[row * 256 + column] = sum;
}

// An array that is read once, beside one that L1 could hold.
extern "C" __global__ void table_beside(const int *at, const float *table, float *y, int each) {
    extern __shared__ float unused[];
    float sum = 0.0f;
    for (int i = 0; i < each; i++) sum += table[at[(i * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x]];
    y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
