// --grid 1 --block 32 --arg n=120 --arg x=arange:120 --arg y=zeros:128
// 128 floats are copied to shared memory, where x has 120.
#include "../asynchronous.cuh"

__global__ void wrong(int n, const float* x, float* y) {
    __shared__ __align__(16) float buffer[128];
    COPY_ASYNC16(&buffer[4 * threadIdx.x], &x[4 * threadIdx.x]);  // here: out-of-bounds-global
    COPY_COMMIT();
    COPY_WAIT(0);
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += 32) y[k] = buffer[n - 1 - k];
}

__global__ void right(int n, const float* x, float* y) {
    __shared__ __align__(16) float buffer[128];
    if (4 * threadIdx.x + 3 < n) COPY_ASYNC16(&buffer[4 * threadIdx.x], &x[4 * threadIdx.x]);
    COPY_COMMIT();
    COPY_WAIT(0);
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += 32) y[k] = buffer[n - 1 - k];
}
