// --grid 1 --block 64 --arg x=ones:64 --arg y=zeros:64
// A prefix sum in place needs a barrier between reading and writing, too.
__global__ void wrong(const int* x, int* y) {
    __shared__ int sums[64];
    sums[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int far = 1; far < 64; far *= 2) {
        int other = threadIdx.x >= far ? sums[threadIdx.x - far] : 0;  // here: race-WAR-shared-warps
        sums[threadIdx.x] += other;  // here: race-WAR-shared-warps
        __syncthreads();
    }
    y[threadIdx.x] = sums[threadIdx.x];
}

__global__ void right(const int* x, int* y) {
    __shared__ int sums[64];
    sums[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    for (int far = 1; far < 64; far *= 2) {
        int other = threadIdx.x >= far ? sums[threadIdx.x - far] : 0;
        __syncthreads();
        sums[threadIdx.x] += other;
        __syncthreads();
    }
    y[threadIdx.x] = sums[threadIdx.x];
}
