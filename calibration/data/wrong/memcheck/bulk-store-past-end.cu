// --grid 1 --block 32 --arg n=60 --arg y=zeros:60
// A bulk copy writes 256 bytes to an array that has 240.
#include "../asynchronous.cuh"

__global__ void wrong(int n, float* y) {
    __shared__ __align__(128) float buffer[64];
    for (int k = threadIdx.x; k < 64; k += 32) buffer[k] = k + n;
    FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(y, buffer, 256);  // here: out-of-bounds-global
        BULK_COMMIT();
        BULK_WAIT();
    }
}

__global__ void right(int n, float* y) {
    __shared__ __align__(128) float buffer[64];
    for (int k = threadIdx.x; k < 64; k += 32) buffer[k] = k + n;
    FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(y, buffer, 4 * n);
        BULK_COMMIT();
        BULK_WAIT();
    }
}
