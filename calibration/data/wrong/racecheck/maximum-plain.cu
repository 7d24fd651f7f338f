// --grid 4 --block 32 --arg x=arange:128 --arg best=zeros:1
// The maximum is compared and then stored: between both another block may store a larger one.
__global__ void wrong(const int* x, int* best) {
    int mine = x[blockIdx.x * 32 + threadIdx.x];
    if (threadIdx.x == 31 && mine > *best) *best = mine;  // here: race-WAW-global-blocks, race-RAW-global-blocks
}

__global__ void right(const int* x, int* best) {
    int mine = x[blockIdx.x * 32 + threadIdx.x];
    if (threadIdx.x == 31) atomicMax(best, mine);
}
