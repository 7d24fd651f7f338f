// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// The mask is right, but the lane asked for is not in it: what comes is not defined.
__global__ void wrong(const int* x, int* y) {
    int v = x[threadIdx.x];
    if (v < 16) v = __shfl_sync(0x0000ffff, v, v + 8);  // here: absent-lanes
    y[threadIdx.x] = v;
}

__global__ void right(const int* x, int* y) {
    int v = x[threadIdx.x];
    if (v < 16) v = __shfl_sync(0x0000ffff, v, (v + 8) % 16);
    y[threadIdx.x] = v;
}
