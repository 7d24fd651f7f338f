// --grid 1 --block 8,8 --arg x=arange:64 --arg y=zeros:64
// The row below the last row of a tile.
__global__ void wrong(const int* x, int* y) {
    __shared__ int tile[8][8];
    int column = threadIdx.x, row = threadIdx.y;
    tile[row][column] = x[row * 8 + column];
    __syncthreads();
    y[row * 8 + column] = tile[row + 1][column] - tile[row][column];  // here: out-of-bounds-shared
}

__global__ void right(const int* x, int* y) {
    __shared__ int tile[8][8];
    int column = threadIdx.x, row = threadIdx.y;
    tile[row][column] = x[row * 8 + column];
    __syncthreads();
    if (row < 7) y[row * 8 + column] = tile[row + 1][column] - tile[row][column];
}
