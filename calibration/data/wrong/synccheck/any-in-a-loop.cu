// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// Each lane leaves the loop when it is done; those left ask all.
__global__ void wrong(const int* x, int* y) {
    int left = x[threadIdx.x] % 4 + 1, rounds = 0;
#pragma unroll 1
    while (left > 0) {
        --left;
        if (__any_sync(0xffffffff, left > 1)) ++rounds;  // here: absent-lanes
    }
    y[threadIdx.x] = rounds;
}

__global__ void right(const int* x, int* y) {
    int left = x[threadIdx.x] % 4 + 1, rounds = 0;
    while (__any_sync(0xffffffff, left > 0)) {
        --left;
        if (__any_sync(0xffffffff, left > 1)) ++rounds;
    }
    y[threadIdx.x] = rounds;
}
