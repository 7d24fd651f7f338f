// --grid 1 --block 32 --arg x=arange:64 --arg y=zeros:32
// The mbarrier is told to expect 256 bytes, and the copy brings 128: all wait for ever.
#include "../asynchronous.cuh"

__global__ void wrong(const int* x, int* y) {
    __shared__ __align__(128) int buffer[32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&full, 1);
        FENCE_ASYNC();
        MBARRIER_EXPECT(&full, 256);  // here: mbarrier-misuse
        BULK_LOAD(buffer, x, 128, &full);
    }
    __syncwarp();
    MBARRIER_WAIT(&full, 0);  // here: mbarrier-misuse
    y[threadIdx.x] = buffer[threadIdx.x];
}

__global__ void right(const int* x, int* y) {
    __shared__ __align__(128) int buffer[32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&full, 1);
        FENCE_ASYNC();
        MBARRIER_EXPECT(&full, 128);
        BULK_LOAD(buffer, x, 128, &full);
    }
    __syncwarp();
    MBARRIER_WAIT(&full, 0);
    y[threadIdx.x] = buffer[threadIdx.x];
}
