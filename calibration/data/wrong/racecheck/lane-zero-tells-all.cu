// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:64
// Lane 0 of each warp leaves a number for its warp, without __syncwarp after a branch that splits it.
__global__ void wrong(const int* x, int* y) {
    __shared__ int told[2];
    int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) told[warp] = x[threadIdx.x] + 1;  // here: race-RAW-shared-warp
    y[threadIdx.x] = told[warp];  // here: race-RAW-shared-warp
}

__global__ void right(const int* x, int* y) {
    __shared__ int told[2];
    int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) told[warp] = x[threadIdx.x] + 1;
    __syncwarp();
    y[threadIdx.x] = told[warp];
}
