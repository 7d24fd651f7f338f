// --grid 1 --block 16,16 --arg x=arange:256 --arg y=zeros:256
// A tile is read by columns before other warps have written their rows.
__global__ void wrong(const float* x, float* y) {
    __shared__ float tile[16][17];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 16 + threadIdx.x];  // here: race-RAW-shared-warps
    y[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // here: race-RAW-shared-warps
}

__global__ void right(const float* x, float* y) {
    __shared__ float tile[16][17];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 16 + threadIdx.x];
    __syncthreads();
    y[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
