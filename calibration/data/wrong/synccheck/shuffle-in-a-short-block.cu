// --grid 1 --block 48 --arg x=arange:48 --arg y=zeros:48
// The second warp has 16 lanes; the mask names 32.
__global__ void wrong(const int* x, int* y) {
    int v = x[threadIdx.x];
    y[threadIdx.x] = v + __shfl_xor_sync(0xffffffff, v, 1);  // here: absent-lanes
}

__global__ void right(const int* x, int* y) {
    int v = x[threadIdx.x];
    unsigned mask = threadIdx.x < 32 ? 0xffffffffu : 0xffffu;
    y[threadIdx.x] = v + __shfl_xor_sync(mask, v, 1);
}
