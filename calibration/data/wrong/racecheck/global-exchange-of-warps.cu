// --grid 2 --block 64 --arg x=arange:128 --arg scratch=zeros:128 --arg y=zeros:128
// Warps of a block exchange through global memory without a barrier.
__global__ void wrong(const int* x, int* scratch, int* y) {
    int i = blockIdx.x * 64 + threadIdx.x;
    scratch[i] = x[i];  // here: race-RAW-global-warps
    y[i] = scratch[i ^ 32];  // here: race-RAW-global-warps
}

__global__ void right(const int* x, int* scratch, int* y) {
    int i = blockIdx.x * 64 + threadIdx.x;
    scratch[i] = x[i];
    __syncthreads();
    y[i] = scratch[i ^ 32];
}
