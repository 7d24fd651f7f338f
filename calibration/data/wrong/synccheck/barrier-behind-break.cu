// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:64
// Threads leave a loop with a barrier at different times.
__global__ void wrong(const int* x, int* y) {
    __shared__ int line[64];
    line[threadIdx.x] = 0;
    int k = 0;
#pragma unroll 1
    for (; k < 4; ++k) {
        if (x[threadIdx.x] % 4 < k) break;
        line[threadIdx.x] += k;
        __syncthreads();  // here: divergent-barrier
    }
    y[threadIdx.x] = line[threadIdx.x] + k;
}

__global__ void right(const int* x, int* y) {
    __shared__ int line[64];
    line[threadIdx.x] = 0;
    int k = 0;
#pragma unroll 1
    for (int round = 0; round < 4; ++round) {
        if (k == round && x[threadIdx.x] % 4 >= k) line[threadIdx.x] += k++;
        __syncthreads();
    }
    y[threadIdx.x] = line[threadIdx.x] + k;
}
