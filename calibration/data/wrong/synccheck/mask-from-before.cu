// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// The mask of active lanes is taken before the branch in which it is used.
__global__ void wrong(const int* x, int* y) {
    unsigned mask = __activemask();
    int v = x[threadIdx.x];
    if (v % 3 == 0) v = __shfl_xor_sync(mask, v, 3);  // here: absent-lanes
    y[threadIdx.x] = v;
}

__global__ void right(const int* x, int* y) {
    unsigned mask = __activemask();
    int v = x[threadIdx.x];
    int other = __shfl_xor_sync(mask, v, 3);
    if (v % 3 == 0) v = other;
    y[threadIdx.x] = v;
}
