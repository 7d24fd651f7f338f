// --grid 4 --block 64 --arg x=arange:256 --arg bins=zeros:64
// Blocks count in global memory without atomics: counts are lost.
__global__ void wrong(const int* x, int* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bins[x[i] % 64] += 1;  // here: race-WAW-global-blocks, race-RAW-global-blocks
}

__global__ void right(const int* x, int* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&bins[x[i] % 64], 1);
}
