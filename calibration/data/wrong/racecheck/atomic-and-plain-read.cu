// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:64
// The sum of atomics is read before all have added to it.
__global__ void wrong(const int* x, int* y) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[threadIdx.x]);  // here: race-RAW-shared-warps
    y[threadIdx.x] = sum;  // here: race-RAW-shared-warps
}

__global__ void right(const int* x, int* y) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[threadIdx.x]);
    __syncthreads();
    y[threadIdx.x] = sum;
}
