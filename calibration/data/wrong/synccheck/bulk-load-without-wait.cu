// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// What a bulk copy brings is read without waiting at its mbarrier.
#include "../asynchronous.cuh"

__global__ void wrong(const int* x, int* y) {
    __shared__ __align__(128) int buffer[32];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&full, 1);
        FENCE_ASYNC();
        MBARRIER_EXPECT(&full, 128);
        BULK_LOAD(buffer, x, 128, &full);  // here: unawaited-copy
    }
    __syncthreads();
    y[threadIdx.x] = buffer[threadIdx.x];  // here: unawaited-copy
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
    __syncthreads();
    MBARRIER_WAIT(&full, 0);
    y[threadIdx.x] = buffer[threadIdx.x];
}
