// --grid 1 --block 64 --arg x=ones:64 --arg y=zeros:1
// One thread sets the sum to zero while another warp already adds to it.
__global__ void wrong(const int* x, int* y) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;  // here: race-WAW-shared-warps
    __syncwarp();
    atomicAdd(&sum, x[threadIdx.x]);  // here: race-WAW-shared-warps
    __syncthreads();
    if (threadIdx.x == 0) *y = sum;
}

__global__ void right(const int* x, int* y) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) *y = sum;
}
