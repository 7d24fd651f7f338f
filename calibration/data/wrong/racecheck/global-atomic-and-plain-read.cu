// --grid 4 --block 32 --arg total=zeros:1 --arg y=zeros:4
// A block reads a sum to which others still add.
__global__ void wrong(int* total, int* y) {
    if (threadIdx.x != 0) return;
    int before = atomicAdd(total, 1);  // here: race-RAW-global-blocks
    y[blockIdx.x] = *total - before > 0;  // here: race-RAW-global-blocks
}

__global__ void right(int* total, int* y) {
    if (threadIdx.x != 0) return;
    int before = atomicAdd(total, 1);
    y[blockIdx.x] = atomicAdd(total, 0) - before > 0;
}
