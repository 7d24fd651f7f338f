// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// The lower half of a warp waits with a mask of the upper half.
__global__ void wrong(const int* x, int* y) {
    __shared__ int line[32];
    line[threadIdx.x] = x[threadIdx.x];
    if (x[threadIdx.x] < 16) {
        __syncwarp(0xffff0000);  // here: absent-lanes
        y[threadIdx.x] = line[15 - threadIdx.x];
    }
}

__global__ void right(const int* x, int* y) {
    __shared__ int line[32];
    line[threadIdx.x] = x[threadIdx.x];
    if (x[threadIdx.x] < 16) {
        __syncwarp(0x0000ffff);
        y[threadIdx.x] = line[15 - threadIdx.x];
    }
}
