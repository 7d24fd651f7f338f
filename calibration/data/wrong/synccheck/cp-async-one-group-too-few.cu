// --grid 1 --block 32 --arg x=arange:64 --arg y=zeros:32
// Of two groups of copies one may be under way still, and both are read.
#include "../asynchronous.cuh"

__global__ void wrong(const int* x, int* y) {
    __shared__ int buffer[64];
    COPY_ASYNC4(&buffer[threadIdx.x], &x[threadIdx.x]);
    COPY_COMMIT();
    COPY_ASYNC4(&buffer[threadIdx.x + 32], &x[threadIdx.x + 32]);  // here: unawaited-copy
    COPY_COMMIT();
    COPY_WAIT(1);
    y[threadIdx.x] = buffer[threadIdx.x] + buffer[threadIdx.x + 32];  // here: unawaited-copy
}

__global__ void right(const int* x, int* y) {
    __shared__ int buffer[64];
    COPY_ASYNC4(&buffer[threadIdx.x], &x[threadIdx.x]);
    COPY_COMMIT();
    COPY_ASYNC4(&buffer[threadIdx.x + 32], &x[threadIdx.x + 32]);
    COPY_COMMIT();
    COPY_WAIT(0);
    y[threadIdx.x] = buffer[threadIdx.x] + buffer[threadIdx.x + 32];
}
