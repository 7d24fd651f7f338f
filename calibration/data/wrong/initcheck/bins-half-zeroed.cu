// --grid 1 --block 32 --arg x=arange:64 --arg y=zeros:64
// A warp sets 32 of 64 bins to zero.
__global__ void wrong(const int* x, int* y) {
    __shared__ int bins[64];
    bins[threadIdx.x] = 0;
    __syncwarp();
    for (int k = threadIdx.x; k < 64; k += 32) atomicAdd(&bins[x[k]], 1);  // here: uninitialized-shared
    __syncwarp();
    for (int k = threadIdx.x; k < 64; k += 32) y[k] = bins[k];
}

__global__ void right(const int* x, int* y) {
    __shared__ int bins[64];
    for (int k = threadIdx.x; k < 64; k += 32) bins[k] = 0;
    __syncwarp();
    for (int k = threadIdx.x; k < 64; k += 32) atomicAdd(&bins[x[k]], 1);
    __syncwarp();
    for (int k = threadIdx.x; k < 64; k += 32) y[k] = bins[k];
}
