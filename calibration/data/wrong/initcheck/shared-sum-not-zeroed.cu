// --grid 1 --block 64 --arg x=ones:64 --arg y=zeros:1
// Atomics add to a word of shared memory that nobody has set to zero.
__global__ void wrong(const int* x, int* y) {
    __shared__ int sum;
    atomicAdd(&sum, x[threadIdx.x]);  // here: uninitialized-shared
    __syncthreads();
    if (threadIdx.x == 0) *y = sum;
}

__global__ void right(const int* x, int* y) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) *y = sum;
}
