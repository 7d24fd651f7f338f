// --grid 1 --block 32 --arg n=124 --arg x=arange:124 --arg y=zeros:128
// A bulk copy brings 512 bytes of an array that has 496.
#include "../asynchronous.cuh"

__device__ void copied(const float* buffer, int n, float* y) {
    for (int k = threadIdx.x; k < n; k += 32) y[k] = buffer[n - 1 - k];
}

__global__ void wrong(int n, const float* x, float* y) {
    __shared__ __align__(128) float buffer[128];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&full, 1);
        FENCE_ASYNC();
        MBARRIER_EXPECT(&full, 512);
        BULK_LOAD(buffer, x, 512, &full);  // here: out-of-bounds-global
    }
    __syncthreads();
    MBARRIER_WAIT(&full, 0);
    copied(buffer, n, y);
}

__global__ void right(int n, const float* x, float* y) {
    __shared__ __align__(128) float buffer[128];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&full, 1);
        FENCE_ASYNC();
        MBARRIER_EXPECT(&full, 496);
        BULK_LOAD(buffer, x, 496, &full);
    }
    __syncthreads();
    MBARRIER_WAIT(&full, 0);
    copied(buffer, n, y);
}
