// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// What cp.async brings is read before it is there.
#include "../asynchronous.cuh"

__global__ void wrong(const int* x, int* y) {
    __shared__ int buffer[32];
    COPY_ASYNC4(&buffer[threadIdx.x], &x[threadIdx.x]);  // here: unawaited-copy
    COPY_COMMIT();
    y[threadIdx.x] = buffer[threadIdx.x];  // here: unawaited-copy
}

__global__ void right(const int* x, int* y) {
    __shared__ int buffer[32];
    COPY_ASYNC4(&buffer[threadIdx.x], &x[threadIdx.x]);
    COPY_COMMIT();
    COPY_WAIT(0);
    y[threadIdx.x] = buffer[threadIdx.x];
}
