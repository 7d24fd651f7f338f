// --grid 2,2 --block 8,8 --arg n=16 --arg a=ones:256 --arg b=arange:256 --arg c=zeros:256
// A tiled matrix product with one of its two barriers: tiles are replaced while others multiply.
__global__ void wrong(int n, const float* a, const float* b, float* c) {
    __shared__ float as[8][8], bs[8][8];
    int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += 8) {
        as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];  // here: race-WAR-shared-warps
        __syncthreads();
        for (int j = 0; j < 8; ++j) sum += as[threadIdx.y][j] * bs[j][threadIdx.x];  // here: race-WAR-shared-warps
    }
    c[row * n + column] = sum;
}

__global__ void right(int n, const float* a, const float* b, float* c) {
    __shared__ float as[8][8], bs[8][8];
    int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += 8) {
        as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int j = 0; j < 8; ++j) sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
