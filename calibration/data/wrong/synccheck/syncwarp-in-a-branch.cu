// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// The lower half of a warp waits for all of it; the upper half is elsewhere.
__global__ void wrong(const int* x, int* y) {
    __shared__ int line[32];
    line[threadIdx.x] = x[threadIdx.x];
    if (x[threadIdx.x] < 16) {
        __syncwarp();  // here: absent-lanes
        y[threadIdx.x] = line[15 - threadIdx.x];
    }
}

__global__ void right(const int* x, int* y) {
    __shared__ int line[32];
    line[threadIdx.x] = x[threadIdx.x];
    __syncwarp();
    if (x[threadIdx.x] < 16) y[threadIdx.x] = line[15 - threadIdx.x];
}
