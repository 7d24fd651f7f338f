// --grid 1 --block 128 --arg x=ones:128 --arg y=zeros:1
// A block of 4 warps writes 4 of 32 sums, and the first warp adds all 32.
__global__ void wrong(const int* x, int* y) {
    __shared__ int parts[32];
    int sum = __reduce_add_sync(0xffffffff, x[threadIdx.x]);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        int total = __reduce_add_sync(0xffffffff, parts[threadIdx.x]);  // here: uninitialized-shared
        if (threadIdx.x == 0) *y = total;
    }
}

__global__ void right(const int* x, int* y) {
    __shared__ int parts[32];
    int sum = __reduce_add_sync(0xffffffff, x[threadIdx.x]);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        int total = __reduce_add_sync(0xffffffff, threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0);
        if (threadIdx.x == 0) *y = total;
    }
}
