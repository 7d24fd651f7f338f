// --grid 1 --block 32 --arg x=arange:32 --arg y=zeros:32
// A loop with a barrier runs once in even lanes and twice in odd ones.
__global__ void wrong(const int* x, int* y) {
    __shared__ int line[32];
    line[threadIdx.x] = x[threadIdx.x];
    int sum = 0, rounds = 1 + x[threadIdx.x] % 2;
#pragma unroll 1
    for (int k = 0; k < rounds; ++k) {
        __syncthreads();  // here: divergent-barrier
        sum += line[(threadIdx.x + k) % 32];
    }
    y[threadIdx.x] = sum;
}

__global__ void right(const int* x, int* y) {
    __shared__ int line[32];
    line[threadIdx.x] = x[threadIdx.x];
    int sum = 0, rounds = 1 + x[threadIdx.x] % 2;
#pragma unroll 1
    for (int k = 0; k < 2; ++k) {
        __syncthreads();
        if (k < rounds) sum += line[(threadIdx.x + k) % 32];
    }
    y[threadIdx.x] = sum;
}
