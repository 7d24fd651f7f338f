// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// The sum of all lanes is asked for by eight of them.
__global__ void wrong(const unsigned* x, unsigned* y) {
    unsigned sum = 0;
    if (x[threadIdx.x] < 8) sum = __reduce_add_sync(0xffffffff, x[threadIdx.x]);  // here: absent-lanes
    y[threadIdx.x] = sum;
}

__global__ void right(const unsigned* x, unsigned* y) {
    unsigned sum = 0;
    if (x[threadIdx.x] < 8) sum = __reduce_add_sync(0x000000ff, x[threadIdx.x]);
    y[threadIdx.x] = sum;
}
