// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:64
// Only numbers that pass a test are kept in shared memory; all are read.
__global__ void wrong(const int* x, int* y) {
    __shared__ int kept[64];
    if (x[threadIdx.x] % 3) kept[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = kept[63 - threadIdx.x];  // here: uninitialized-shared
}

__global__ void right(const int* x, int* y) {
    __shared__ int kept[64];
    kept[threadIdx.x] = x[threadIdx.x] % 3 ? x[threadIdx.x] : 0;
    __syncthreads();
    y[threadIdx.x] = kept[63 - threadIdx.x];
}
