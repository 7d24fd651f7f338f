// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// Lanes with a large number alone count by __syncthreads_count.
__global__ void wrong(const int* x, int* y) {
    int count = 0;
    if (x[threadIdx.x] >= 20) count = __syncthreads_count(x[threadIdx.x] % 2);  // here: divergent-barrier
    y[threadIdx.x] = count;
}

__global__ void right(const int* x, int* y) {
    int count = __syncthreads_count(x[threadIdx.x] >= 20 && x[threadIdx.x] % 2);
    y[threadIdx.x] = x[threadIdx.x] >= 20 ? count : 0;
}
