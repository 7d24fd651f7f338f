// --grid 1 --block 32 --arg n=32 --arg y=zeros:32
// A block ends while a bulk copy may still read its shared memory.
#include "../asynchronous.cuh"

__global__ void wrong(int n, int* y) {
    __shared__ __align__(128) int buffer[32];
    buffer[threadIdx.x] = n + threadIdx.x;
    FENCE_ASYNC();
    __syncwarp();
    if (threadIdx.x == 0) BULK_STORE(y, buffer, 128);  // here: unawaited-copy
}

__global__ void right(int n, int* y) {
    __shared__ __align__(128) int buffer[32];
    buffer[threadIdx.x] = n + threadIdx.x;
    FENCE_ASYNC();
    __syncwarp();
    if (threadIdx.x == 0) {
        BULK_STORE(y, buffer, 128);
        BULK_COMMIT();
        BULK_WAIT();
    }
}
