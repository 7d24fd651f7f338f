// --grid 1 --block 64 --arg x=arange:32 --arg y=zeros:32
// The consumer waits for the phase of parity 1, the one before the first, which counts as complete.
#include "../asynchronous.cuh"

__global__ void wrong(const int* x, int* y) {
    __shared__ int buffer[32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) MBARRIER_INIT(&full, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        buffer[threadIdx.x] = x[threadIdx.x];  // here: race-RAW-shared-warps
        MBARRIER_ARRIVE(&full);
    } else {
        MBARRIER_WAIT(&full, 1);
        y[threadIdx.x - 32] = buffer[63 - threadIdx.x];  // here: race-RAW-shared-warps
    }
}

__global__ void right(const int* x, int* y) {
    __shared__ int buffer[32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) MBARRIER_INIT(&full, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        buffer[threadIdx.x] = x[threadIdx.x];
        MBARRIER_ARRIVE(&full);
    } else {
        MBARRIER_WAIT(&full, 0);
        y[threadIdx.x - 32] = buffer[63 - threadIdx.x];
    }
}
