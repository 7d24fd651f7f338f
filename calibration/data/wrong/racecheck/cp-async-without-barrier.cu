// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:64
// A thread waits for its own copies, and then reads those of another warp.
#include "../asynchronous.cuh"

__global__ void wrong(const int* x, int* y) {
    __shared__ int buffer[64];
    COPY_ASYNC4(&buffer[threadIdx.x], &x[threadIdx.x]);  // here: race-RAW-shared-warps
    COPY_COMMIT();
    COPY_WAIT(0);
    y[threadIdx.x] = buffer[63 - threadIdx.x];  // here: race-RAW-shared-warps
}

__global__ void right(const int* x, int* y) {
    __shared__ int buffer[64];
    COPY_ASYNC4(&buffer[threadIdx.x], &x[threadIdx.x]);
    COPY_COMMIT();
    COPY_WAIT(0);
    __syncthreads();
    y[threadIdx.x] = buffer[63 - threadIdx.x];
}
