// --grid 1 --block 64 --arg n=64 --arg y=zeros:64
// A bulk copy takes the buffer away before the other warp has filled its part.
#include "../asynchronous.cuh"

__global__ void wrong(int n, int* y) {
    __shared__ __align__(128) int buffer[64];
    buffer[threadIdx.x] = n - threadIdx.x;  // here: race-RAW-shared-warps
    FENCE_ASYNC();
    __syncwarp();
    if (threadIdx.x == 0) {
        BULK_STORE(y, buffer, 256);  // here: race-RAW-shared-warps
        BULK_COMMIT();
        BULK_WAIT();
    }
}

__global__ void right(int n, int* y) {
    __shared__ __align__(128) int buffer[64];
    buffer[threadIdx.x] = n - threadIdx.x;
    FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(y, buffer, 256);
        BULK_COMMIT();
        BULK_WAIT();
    }
}
