// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:64
// A barrier of the warp does not wait for the other warp.
__global__ void wrong(const int* x, int* y) {
    __shared__ int line[64];
    line[threadIdx.x] = x[threadIdx.x];  // here: race-RAW-shared-warps
    __syncwarp();
    y[threadIdx.x] = line[(threadIdx.x + 32) % 64];  // here: race-RAW-shared-warps
}

__global__ void right(const int* x, int* y) {
    __shared__ int line[64];
    line[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = line[(threadIdx.x + 32) % 64];
}
