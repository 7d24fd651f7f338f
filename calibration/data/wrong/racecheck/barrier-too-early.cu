// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:64
// The barrier stands before the store that it should follow.
__global__ void wrong(const int* x, int* y) {
    __shared__ int line[64];
    __syncthreads();
    line[threadIdx.x] = x[threadIdx.x];  // here: race-RAW-shared-warps
    y[threadIdx.x] = line[63 - threadIdx.x];  // here: race-RAW-shared-warps
}

__global__ void right(const int* x, int* y) {
    __shared__ int line[64];
    line[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = line[63 - threadIdx.x];
}
