// --grid 1 --block 32 --arg n=32 --arg y=zeros:32
// An ordinary store overwrites an mbarrier that is in use.
#include "../asynchronous.cuh"

__global__ void wrong(int n, int* y) {
    __shared__ uint64_t full;
    if (threadIdx.x == 0) MBARRIER_INIT(&full, 32);
    __syncwarp();
    if (threadIdx.x == 0) *reinterpret_cast<volatile uint64_t*>(&full) = n;  // here: mbarrier-misuse
    __syncwarp();
    MBARRIER_ARRIVE(&full);  // here: mbarrier-misuse
    y[threadIdx.x] = n;
}

__global__ void right(int n, int* y) {
    __shared__ uint64_t full;
    if (threadIdx.x == 0) MBARRIER_INIT(&full, 32);
    __syncwarp();
    MBARRIER_ARRIVE(&full);
    MBARRIER_WAIT(&full, 0);
    y[threadIdx.x] = n;
}
