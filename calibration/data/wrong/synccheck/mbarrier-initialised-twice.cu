// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// An mbarrier in use is initialised again, without being invalidated.
#include "../asynchronous.cuh"

__global__ void wrong(const int* x, int* y) {
    __shared__ uint64_t full;
    for (int k = 0; k < 2; ++k) {
        if (threadIdx.x == 0) MBARRIER_INIT(&full, 32);  // here: mbarrier-misuse
        __syncwarp();
        MBARRIER_ARRIVE(&full);
        MBARRIER_WAIT(&full, 0);
        __syncwarp();
    }
    y[threadIdx.x] = x[threadIdx.x];
}

__global__ void right(const int* x, int* y) {
    __shared__ uint64_t full;
    for (int k = 0; k < 2; ++k) {
        if (threadIdx.x == 0) MBARRIER_INIT(&full, 32);
        __syncwarp();
        MBARRIER_ARRIVE(&full);
        MBARRIER_WAIT(&full, 0);
        __syncwarp();
        if (threadIdx.x == 0) MBARRIER_INVALIDATE(&full);
        __syncwarp();
    }
    y[threadIdx.x] = x[threadIdx.x];
}
