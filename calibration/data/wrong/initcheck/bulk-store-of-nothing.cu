// --grid 1 --block 32 --arg n=32 --arg y=zeros:64
// A bulk copy takes 64 ints away; 32 were written.
#include "../asynchronous.cuh"

__global__ void wrong(int n, int* y) {
    __shared__ __align__(128) int buffer[64];
    buffer[threadIdx.x] = n - threadIdx.x;
    FENCE_ASYNC();
    __syncwarp();
    if (threadIdx.x == 0) {
        BULK_STORE(y, buffer, 256);  // here: uninitialized-shared
        BULK_COMMIT();
        BULK_WAIT();
    }
}

__global__ void right(int n, int* y) {
    __shared__ __align__(128) int buffer[64];
    buffer[threadIdx.x] = n - threadIdx.x;
    FENCE_ASYNC();
    __syncwarp();
    if (threadIdx.x == 0) {
        BULK_STORE(y, buffer, 128);
        BULK_COMMIT();
        BULK_WAIT();
    }
}
