// --grid 1 --block 32 --arg n=32 --arg y=zeros:64
// The source of a bulk copy to global memory is written again before the copy has read it.
#include "../asynchronous.cuh"

__global__ void wrong(int n, int* y) {
    __shared__ __align__(128) int buffer[32];
    for (int k = 0; k < 2; ++k) {
        buffer[threadIdx.x] = n * k + threadIdx.x;  // here: unawaited-copy
        FENCE_ASYNC();
        __syncwarp();
        if (threadIdx.x == 0) {
            BULK_STORE(y + 32 * k, buffer, 128);  // here: unawaited-copy
            BULK_COMMIT();
        }
        __syncwarp();
    }
    if (threadIdx.x == 0) BULK_WAIT();
}

__global__ void right(int n, int* y) {
    __shared__ __align__(128) int buffer[32];
    for (int k = 0; k < 2; ++k) {
        buffer[threadIdx.x] = n * k + threadIdx.x;
        FENCE_ASYNC();
        __syncwarp();
        if (threadIdx.x == 0) {
            BULK_STORE(y + 32 * k, buffer, 128);
            BULK_COMMIT();
            BULK_WAIT();
        }
        __syncwarp();
    }
}
