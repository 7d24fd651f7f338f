// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:16
// Numbers up to 63 go to 16 bins in shared memory.
__global__ void wrong(const int* x, int* y) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[x[threadIdx.x]], 1);  // here: out-of-bounds-shared
    __syncthreads();
    if (threadIdx.x < 16) y[threadIdx.x] = bins[threadIdx.x];
}

__global__ void right(const int* x, int* y) {
    __shared__ int bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[x[threadIdx.x] / 4], 1);
    __syncthreads();
    if (threadIdx.x < 16) y[threadIdx.x] = bins[threadIdx.x];
}
