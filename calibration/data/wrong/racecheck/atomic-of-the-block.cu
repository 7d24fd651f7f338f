// --grid 4 --block 32 --arg total=zeros:1
// An atomic whose scope is the block does not hold between blocks.
__global__ void wrong(int* total) {
    if (threadIdx.x == 0) atomicAdd_block(total, blockIdx.x + 1);  // here: race-WAW-global-blocks, race-RAW-global-blocks
}

__global__ void right(int* total) {
    if (threadIdx.x == 0) atomicAdd(total, blockIdx.x + 1);
}
