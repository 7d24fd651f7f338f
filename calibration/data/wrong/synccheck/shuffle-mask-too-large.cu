// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// A shuffle of all lanes in a branch that half of them take.
__global__ void wrong(const int* x, int* y) {
    int v = x[threadIdx.x];
    if (v < 16) v = __shfl_sync(0xffffffff, v, 20);  // here: absent-lanes
    y[threadIdx.x] = v;
}

__global__ void right(const int* x, int* y) {
    int v = x[threadIdx.x];
    int other = __shfl_sync(0xffffffff, v, 20);
    if (v < 16) v = other;
    y[threadIdx.x] = v;
}
