// --grid 1 --block 32 --arg x=arange:64 --arg y=zeros:64
// Copies to shared memory fill 32 of 64 elements.
#include "../asynchronous.cuh"

__global__ void wrong(const int* x, int* y) {
    __shared__ int buffer[64];
    COPY_ASYNC4(&buffer[threadIdx.x], &x[threadIdx.x]);
    COPY_COMMIT();
    COPY_WAIT(0);
    __syncwarp();
    for (int k = threadIdx.x; k < 64; k += 32) y[k] = buffer[63 - k];  // here: uninitialized-shared
}

__global__ void right(const int* x, int* y) {
    __shared__ int buffer[64];
    COPY_ASYNC4(&buffer[threadIdx.x], &x[threadIdx.x]);
    COPY_ASYNC4(&buffer[threadIdx.x + 32], &x[threadIdx.x + 32]);
    COPY_COMMIT();
    COPY_WAIT(0);
    __syncwarp();
    for (int k = threadIdx.x; k < 64; k += 32) y[k] = buffer[63 - k];
}
