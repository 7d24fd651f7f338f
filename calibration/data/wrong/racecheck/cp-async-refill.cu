// --grid 1 --block 64 --arg rounds=3 --arg x=arange:192 --arg y=zeros:64
// The next copies into the buffer are begun while other warps still read it.
#include "../asynchronous.cuh"

__global__ void wrong(int rounds, const int* x, int* y) {
    __shared__ int buffer[64];
    int sum = 0;
    for (int k = 0; k < rounds; ++k) {
        COPY_ASYNC4(&buffer[threadIdx.x], &x[k * 64 + threadIdx.x]);  // here: race-WAR-shared-warps
        COPY_COMMIT();
        COPY_WAIT(0);
        __syncthreads();
        sum += buffer[63 - threadIdx.x];  // here: race-WAR-shared-warps
    }
    y[threadIdx.x] = sum;
}

__global__ void right(int rounds, const int* x, int* y) {
    __shared__ int buffer[64];
    int sum = 0;
    for (int k = 0; k < rounds; ++k) {
        COPY_ASYNC4(&buffer[threadIdx.x], &x[k * 64 + threadIdx.x]);
        COPY_COMMIT();
        COPY_WAIT(0);
        __syncthreads();
        sum += buffer[63 - threadIdx.x];
        __syncthreads();
    }
    y[threadIdx.x] = sum;
}
