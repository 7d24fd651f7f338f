// --grid 1 --block 128 --arg x=zeros:4
// The first lane of each warp writes the same word.
__global__ void wrong(int* x) {
    if (threadIdx.x % 32 == 0) x[0] = threadIdx.x;  // here: race-WAW-global-warps
}

__global__ void right(int* x) {
    if (threadIdx.x % 32 == 0) x[threadIdx.x / 32] = threadIdx.x;
}
