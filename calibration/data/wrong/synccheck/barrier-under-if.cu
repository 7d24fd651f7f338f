// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:64
// 48 of 64 threads come to the barrier: the second warp is split.
__global__ void wrong(const int* x, int* y) {
    __shared__ int line[64];
    line[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x < 48) {
        __syncthreads();  // here: divergent-barrier
        y[threadIdx.x] = line[47 - threadIdx.x];
    }
    y[threadIdx.x] += 1;
}

__global__ void right(const int* x, int* y) {
    __shared__ int line[64];
    line[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 48) y[threadIdx.x] = line[47 - threadIdx.x];
    y[threadIdx.x] += 1;
}
