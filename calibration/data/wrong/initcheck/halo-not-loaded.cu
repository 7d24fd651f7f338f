// --grid 2 --block 64 --arg n=128 --arg x=arange:128 --arg y=zeros:128
// A stencil loads its elements to shared memory, but not the neighbours at both ends.
__global__ void wrong(int n, const float* x, float* y) {
    __shared__ float line[66];
    int i = blockIdx.x * 64 + threadIdx.x;
    line[threadIdx.x + 1] = x[i];
    __syncthreads();
    y[i] = line[threadIdx.x] + line[threadIdx.x + 1] + line[threadIdx.x + 2];  // here: uninitialized-shared
}

__global__ void right(int n, const float* x, float* y) {
    __shared__ float line[66];
    int i = blockIdx.x * 64 + threadIdx.x;
    line[threadIdx.x + 1] = x[i];
    if (threadIdx.x == 0) line[0] = i > 0 ? x[i - 1] : 0;
    if (threadIdx.x == 63) line[65] = i + 1 < n ? x[i + 1] : 0;
    __syncthreads();
    y[i] = line[threadIdx.x] + line[threadIdx.x + 1] + line[threadIdx.x + 2];
}
