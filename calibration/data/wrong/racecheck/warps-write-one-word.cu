// --grid 1 --block 128 --arg y=zeros:1
// The first thread of each warp writes the same word of shared memory.
__global__ void wrong(int* y) {
    __shared__ int last;
    if (threadIdx.x % 32 == 0) last = threadIdx.x;  // here: race-WAW-shared-warps
    __syncthreads();
    if (threadIdx.x == 0) *y = last;
}

__global__ void right(int* y) {
    __shared__ int last;
    if (threadIdx.x == 96) last = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) *y = last;
}
