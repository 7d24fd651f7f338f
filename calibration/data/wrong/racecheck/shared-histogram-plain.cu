// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:8
// Threads count in shared memory without atomics: counts are lost.
__global__ void wrong(const int* x, int* y) {
    __shared__ int bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    bins[x[threadIdx.x] % 8] += 1;  // here: race-WAW-shared-warps, race-RAW-shared-warps, race-WAW-shared-warp
    __syncthreads();
    if (threadIdx.x < 8) y[threadIdx.x] = bins[threadIdx.x];
}

__global__ void right(const int* x, int* y) {
    __shared__ int bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[x[threadIdx.x] % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8) y[threadIdx.x] = bins[threadIdx.x];
}
