// --grid 2 --block 32 --arg x=arange:64 --arg scratch=zeros:64 --arg y=zeros:64
// Lanes of a warp exchange through global memory without __syncwarp.
__global__ void wrong(const int* x, int* scratch, int* y) {
    int i = blockIdx.x * 32 + threadIdx.x;
    scratch[i] = x[i];  // here: race-RAW-global-warp
    y[i] = scratch[i ^ 3];  // here: race-RAW-global-warp
}

__global__ void right(const int* x, int* scratch, int* y) {
    int i = blockIdx.x * 32 + threadIdx.x;
    scratch[i] = x[i];
    __syncwarp();
    y[i] = scratch[i ^ 3];
}
