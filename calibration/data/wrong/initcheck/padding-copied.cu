// --grid 1 --block 16,16 --arg x=arange:256 --arg y=zeros:272
// A padded tile is copied out with its padding, which holds nothing. The twin reads what was written alone.
__global__ void wrong(const float* x, float* y) {
    __shared__ float tile[16][17];
    int at = threadIdx.y * 16 + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = x[at];
    __syncthreads();
    for (int k = at; k < 16 * 17; k += 256) y[k] = tile[k / 17][k % 17];  // here: uninitialized-shared
}

__global__ void right(const float* x, float* y) {
    __shared__ float tile[16][17];
    int at = threadIdx.y * 16 + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = x[at];
    __syncthreads();
    for (int k = at; k < 16 * 16; k += 256) y[k] = tile[k / 16][k % 16];
}
