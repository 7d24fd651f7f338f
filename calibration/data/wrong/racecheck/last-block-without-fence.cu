// --grid 4 --block 32 --arg x=arange:4 --arg parts=zeros:4 --arg ticket=zeros:1 --arg total=zeros:1
// The last block sums up the parts of all. Without a fence it may take its ticket before the parts can be seen.
__global__ void wrong(const int* x, int* parts, int* ticket, int* total) {
    if (threadIdx.x != 0) return;
    parts[blockIdx.x] = 10 * x[blockIdx.x];  // here: race-RAW-global-blocks
    if (atomicAdd(ticket, 1) == gridDim.x - 1) {
        int sum = 0;
        for (int k = 0; k < gridDim.x; ++k) sum += parts[k];  // here: race-RAW-global-blocks
        *total = sum;
    }
}

__global__ void right(const int* x, int* parts, int* ticket, int* total) {
    if (threadIdx.x != 0) return;
    parts[blockIdx.x] = 10 * x[blockIdx.x];
    __threadfence();
    if (atomicAdd(ticket, 1) == gridDim.x - 1) {
        __threadfence();
        int sum = 0;
        for (int k = 0; k < gridDim.x; ++k) sum += parts[k];
        *total = sum;
    }
}
