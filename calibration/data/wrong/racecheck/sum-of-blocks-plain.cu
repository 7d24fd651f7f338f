// --grid 4 --block 64 --arg x=arange:256 --arg total=zeros:1
// Blocks add their sums to one word without an atomic.
__device__ int sum_of_block(const int* x) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    return sum;
}

__global__ void wrong(const int* x, int* total) {
    int sum = sum_of_block(x);
    if (threadIdx.x == 0) *total += sum;  // here: race-WAW-global-blocks, race-RAW-global-blocks
}

__global__ void right(const int* x, int* total) {
    int sum = sum_of_block(x);
    if (threadIdx.x == 0) atomicAdd(total, sum);
}
