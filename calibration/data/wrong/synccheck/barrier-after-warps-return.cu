// --grid 1 --block 128 --arg n=64 --arg x=arange:64 --arg y=zeros:64
// Two of four warps return before the barrier.
__global__ void wrong(int n, const int* x, int* y) {
    __shared__ int line[128];
    if (threadIdx.x >= n) return;
    line[threadIdx.x] = x[threadIdx.x];
    __syncthreads();  // here: exited-barrier
    y[threadIdx.x] = line[n - 1 - threadIdx.x];
}

__global__ void right(int n, const int* x, int* y) {
    __shared__ int line[128];
    if (threadIdx.x < n) line[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < n) y[threadIdx.x] = line[n - 1 - threadIdx.x];
}
