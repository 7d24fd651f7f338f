// --grid 1 --block 64 --arg rounds=3 --arg x=arange:192 --arg y=zeros:64
// One thread begins the next bulk copy while other warps still read the buffer.
#include "../asynchronous.cuh"

__global__ void wrong(int rounds, const int* x, int* y) {
    __shared__ __align__(128) int buffer[64];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&full, 1);
        FENCE_ASYNC();
    }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < rounds; ++k) {
        if (threadIdx.x == 0) {
            MBARRIER_EXPECT(&full, 256);
            BULK_LOAD(buffer, x + k * 64, 256, &full);  // here: race-WAR-shared-warps
        }
        MBARRIER_WAIT(&full, k % 2);
        sum += buffer[63 - threadIdx.x];  // here: race-WAR-shared-warps
    }
    y[threadIdx.x] = sum;
}

__global__ void right(int rounds, const int* x, int* y) {
    __shared__ __align__(128) int buffer[64];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&full, 1);
        FENCE_ASYNC();
    }
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < rounds; ++k) {
        if (threadIdx.x == 0) {
            MBARRIER_EXPECT(&full, 256);
            BULK_LOAD(buffer, x + k * 64, 256, &full);
        }
        MBARRIER_WAIT(&full, k % 2);
        sum += buffer[63 - threadIdx.x];
        __syncthreads();
    }
    y[threadIdx.x] = sum;
}
