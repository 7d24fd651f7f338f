// --grid 1 --block 128 --arg n=128 --arg x=arange:128 --arg y=zeros:128
// A block of 128 threads fills a buffer of 64 floats.
__global__ void wrong(int n, const float* x, float* y) {
    __shared__ float buffer[64];
    buffer[threadIdx.x] = x[threadIdx.x];  // here: out-of-bounds-shared
    __syncthreads();
    if (threadIdx.x < 64) y[threadIdx.x] = buffer[63 - threadIdx.x] + n;
}

__global__ void right(int n, const float* x, float* y) {
    __shared__ float buffer[64];
    if (threadIdx.x < 64) buffer[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 64) y[threadIdx.x] = buffer[63 - threadIdx.x] + n;
}
