// --grid 4 --block 32 --arg x=arange:128 --arg scratch=zeros:128 --arg y=zeros:128
// What the block before wrote is read in the same launch: a barrier does not reach that far.
__global__ void wrong(const int* x, int* scratch, int* y) {
    int i = blockIdx.x * 32 + threadIdx.x;
    scratch[i] = 2 * x[i];  // here: race-RAW-global-blocks
    __syncthreads();
    y[i] = i >= 32 ? scratch[i - 32] : 0;  // here: race-RAW-global-blocks
}

__global__ void right(const int* x, int* scratch, int* y) {
    int i = blockIdx.x * 32 + threadIdx.x;
    scratch[i] = 2 * x[i];
    __syncthreads();
    y[i] = i >= 32 ? 2 * x[i - 32] : 0;
}
