// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// Lanes with equal keys are sought among all lanes, in a branch that half of them take.
__global__ void wrong(const int* x, unsigned* y) {
    unsigned peers = 0;
    if (x[threadIdx.x] < 16) peers = __match_any_sync(0xffffffff, x[threadIdx.x] % 4);  // here: absent-lanes
    y[threadIdx.x] = peers;
}

__global__ void right(const int* x, unsigned* y) {
    unsigned peers = 0;
    if (x[threadIdx.x] < 16) peers = __match_any_sync(0x0000ffff, x[threadIdx.x] % 4);
    y[threadIdx.x] = peers;
}
