// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:64
// Odd lanes come to one barrier, even lanes to another.
__global__ void wrong(const int* x, int* y) {
    __shared__ int line[64];
    if (threadIdx.x % 2) {
        line[threadIdx.x] = 3 * x[threadIdx.x];
        __syncthreads();  // here: divergent-barrier
        y[threadIdx.x] = line[64 - threadIdx.x];
    } else {
        line[threadIdx.x] = x[threadIdx.x] + 1;
        __syncthreads();  // here: divergent-barrier
        y[threadIdx.x] = 2 * line[(threadIdx.x + 2) % 64];
    }
}

__global__ void right(const int* x, int* y) {
    __shared__ int line[64];
    line[threadIdx.x] = threadIdx.x % 2 ? 3 * x[threadIdx.x] : x[threadIdx.x] + 1;
    __syncthreads();
    y[threadIdx.x] = threadIdx.x % 2 ? line[64 - threadIdx.x] : 2 * line[(threadIdx.x + 2) % 64];
}
