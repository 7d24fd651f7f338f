// --grid 1 --block 64 --arg rounds=4 --arg x=arange:320 --arg y=zeros:64
// Of two buffers the one is read that is being filled.
__global__ void wrong(int rounds, const int* x, int* y) {
    __shared__ int buffer[2][64];
    int sum = 0;
    buffer[0][threadIdx.x] = x[threadIdx.x];
    for (int k = 0; k < rounds; ++k) {
        __syncthreads();
        buffer[(k + 1) % 2][threadIdx.x] = x[(k + 1) * 64 + threadIdx.x];  // here: race-RAW-shared-warps
        sum += buffer[(k + 1) % 2][63 - threadIdx.x];  // here: race-RAW-shared-warps
    }
    y[threadIdx.x] = sum;
}

__global__ void right(int rounds, const int* x, int* y) {
    __shared__ int buffer[2][64];
    int sum = 0;
    buffer[0][threadIdx.x] = x[threadIdx.x];
    for (int k = 0; k < rounds; ++k) {
        __syncthreads();
        buffer[(k + 1) % 2][threadIdx.x] = x[(k + 1) * 64 + threadIdx.x];
        sum += buffer[k % 2][63 - threadIdx.x];
    }
    y[threadIdx.x] = sum;
}
