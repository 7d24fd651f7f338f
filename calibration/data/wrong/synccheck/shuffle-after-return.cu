// --grid 1 --block 32 --arg n=20 --arg x=arange:20 --arg y=zeros:20
// Lanes beyond n have returned; those left shuffle with a mask of all.
__global__ void wrong(int n, const int* x, int* y) {
    if (threadIdx.x >= n) return;
    int v = x[threadIdx.x];
    y[threadIdx.x] = v + __shfl_down_sync(0xffffffff, v, 4);  // here: absent-lanes
}

__global__ void right(int n, const int* x, int* y) {
    int v = threadIdx.x < n ? x[threadIdx.x] : 0;
    int sum = v + __shfl_down_sync(0xffffffff, v, 4);
    if (threadIdx.x < n) y[threadIdx.x] = sum;
}
