// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// Two mbarriers, of which one is initialised; the other is waited at.
#include "../asynchronous.cuh"

__global__ void wrong(const int* x, int* y) {
    __shared__ uint64_t bars[2];
    if (threadIdx.x == 0) MBARRIER_INIT(&bars[0], 32);
    __syncwarp();
    MBARRIER_ARRIVE(&bars[0]);
    MBARRIER_WAIT(&bars[1], 1);  // here: mbarrier-misuse
    y[threadIdx.x] = x[threadIdx.x];
}

__global__ void right(const int* x, int* y) {
    __shared__ uint64_t bars[2];
    if (threadIdx.x == 0) {
        MBARRIER_INIT(&bars[0], 32);
        MBARRIER_INIT(&bars[1], 32);
    }
    __syncwarp();
    MBARRIER_ARRIVE(&bars[0]);
    MBARRIER_WAIT(&bars[1], 1);
    y[threadIdx.x] = x[threadIdx.x];
}
