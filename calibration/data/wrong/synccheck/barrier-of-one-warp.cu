// --grid 1 --block 128 --arg x=arange:128 --arg y=zeros:128
// The first warp waits at a barrier of the block; the others end without it.
__global__ void wrong(const int* x, int* y) {
    if (threadIdx.x < 32) {
        __syncthreads();  // here: exited-barrier
        y[threadIdx.x] = 1;
    } else {
        y[threadIdx.x] = x[threadIdx.x];
    }
}

__global__ void right(const int* x, int* y) {
    __syncthreads();
    if (threadIdx.x < 32) {
        y[threadIdx.x] = 1;
    } else {
        y[threadIdx.x] = x[threadIdx.x];
    }
}
