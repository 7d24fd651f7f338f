// --grid 2 --block 64 --arg x=arange:128 --arg y=zeros:128
// The neighbour at the border between two warps may not be there yet.
__global__ void wrong(const float* x, float* y) {
    __shared__ float line[65];
    int i = blockIdx.x * 64 + threadIdx.x;
    line[threadIdx.x] = x[i];  // here: race-RAW-shared-warps
    if (threadIdx.x == 0) line[64] = 0;
    __syncwarp();
    y[i] = line[threadIdx.x] + line[threadIdx.x + 1];  // here: race-RAW-shared-warps
}

__global__ void right(const float* x, float* y) {
    __shared__ float line[65];
    int i = blockIdx.x * 64 + threadIdx.x;
    line[threadIdx.x] = x[i];
    if (threadIdx.x == 0) line[64] = 0;
    __syncthreads();
    y[i] = line[threadIdx.x] + line[threadIdx.x + 1];
}
