// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:64
// The mbarrier expects 64 arrivals; half of the threads arrive, and all wait for ever.
#include "../asynchronous.cuh"

__global__ void wrong(const int* x, int* y) {
    __shared__ uint64_t full;
    if (threadIdx.x == 0) MBARRIER_INIT(&full, 64);  // here: mbarrier-misuse
    __syncthreads();
    if (threadIdx.x < 32) MBARRIER_ARRIVE(&full);
    MBARRIER_WAIT(&full, 0);  // here: mbarrier-misuse
    y[threadIdx.x] = x[threadIdx.x];
}

__global__ void right(const int* x, int* y) {
    __shared__ uint64_t full;
    if (threadIdx.x == 0) MBARRIER_INIT(&full, 32);
    __syncthreads();
    if (threadIdx.x < 32) MBARRIER_ARRIVE(&full);
    MBARRIER_WAIT(&full, 0);
    y[threadIdx.x] = x[threadIdx.x];
}
