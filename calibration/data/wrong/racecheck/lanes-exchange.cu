// --grid 2 --block 32 --arg x=arange:64 --arg y=zeros:64
// Two lanes exchange through shared memory without __syncwarp.
__global__ void wrong(const int* x, int* y) {
    __shared__ int line[32];
    int i = blockIdx.x * 32 + threadIdx.x;
    line[threadIdx.x] = x[i];  // here: race-RAW-shared-warp
    y[i] = line[threadIdx.x ^ 1];  // here: race-RAW-shared-warp
}

__global__ void right(const int* x, int* y) {
    __shared__ int line[32];
    int i = blockIdx.x * 32 + threadIdx.x;
    line[threadIdx.x] = x[i];
    __syncwarp();
    y[i] = line[threadIdx.x ^ 1];
}
