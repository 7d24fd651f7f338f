// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:64
// The mbarrier expects 48 arrivals and gets 64: the last 16 belong to the next phase.
#include "../asynchronous.cuh"

__global__ void wrong(const int* x, int* y) {
    __shared__ uint64_t full;
    if (threadIdx.x == 0) MBARRIER_INIT(&full, 48);  // here: mbarrier-misuse
    __syncthreads();
    MBARRIER_ARRIVE(&full);  // here: mbarrier-misuse
    MBARRIER_WAIT(&full, 0);
    y[threadIdx.x] = x[threadIdx.x];
}

__global__ void right(const int* x, int* y) {
    __shared__ uint64_t full;
    if (threadIdx.x == 0) MBARRIER_INIT(&full, 64);
    __syncthreads();
    MBARRIER_ARRIVE(&full);
    MBARRIER_WAIT(&full, 0);
    y[threadIdx.x] = x[threadIdx.x];
}
