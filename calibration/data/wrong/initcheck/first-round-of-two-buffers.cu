// --grid 1 --block 32 --arg rounds=3 --arg x=arange:128 --arg y=zeros:32
// The first round reads the second of two buffers, which is filled only later.
__global__ void wrong(int rounds, const int* x, int* y) {
    __shared__ int buffer[2][32];
    int sum = 0;
    for (int k = 0; k < rounds; ++k) {
        buffer[k % 2][threadIdx.x] = x[k * 32 + threadIdx.x];
        __syncwarp();
        sum += buffer[(k + 1) % 2][31 - threadIdx.x];  // here: uninitialized-shared
        __syncwarp();
    }
    y[threadIdx.x] = sum;
}

__global__ void right(int rounds, const int* x, int* y) {
    __shared__ int buffer[2][32];
    int sum = 0;
    for (int k = 0; k < rounds; ++k) {
        buffer[k % 2][threadIdx.x] = x[k * 32 + threadIdx.x];
        __syncwarp();
        if (k > 0) sum += buffer[(k + 1) % 2][31 - threadIdx.x];
        __syncwarp();
    }
    y[threadIdx.x] = sum;
}
