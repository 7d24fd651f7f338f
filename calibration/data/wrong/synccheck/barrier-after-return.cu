// --grid 1 --block 128 --arg n=100 --arg x=arange:100 --arg y=zeros:100
// Threads beyond n return before the barrier, part of a warp among them.
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
