// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// Threads arrive at an mbarrier that nobody has initialised.
#include "../asynchronous.cuh"

__global__ void wrong(const int* x, int* y) {
    __shared__ uint64_t full;
    MBARRIER_ARRIVE(&full);  // here: mbarrier-misuse
    y[threadIdx.x] = x[threadIdx.x];
}

__global__ void right(const int* x, int* y) {
    __shared__ uint64_t full;
    if (threadIdx.x == 0) MBARRIER_INIT(&full, 32);
    __syncwarp();
    MBARRIER_ARRIVE(&full);
    MBARRIER_WAIT(&full, 0);
    y[threadIdx.x] = x[threadIdx.x];
}
