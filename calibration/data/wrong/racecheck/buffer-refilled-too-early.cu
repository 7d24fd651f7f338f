// --grid 1 --block 64 --arg rounds=4 --arg x=arange:256 --arg y=zeros:64
// No barrier at the end of the loop: a fast warp fills the buffer for the next round while a slow one still reads.
__global__ void wrong(int rounds, const int* x, int* y) {
    __shared__ int buffer[64];
    int sum = 0;
    for (int k = 0; k < rounds; ++k) {
        buffer[threadIdx.x] = x[k * 64 + threadIdx.x];  // here: race-WAR-shared-warps
        __syncthreads();
        sum += buffer[63 - threadIdx.x] * (k + 1);  // here: race-WAR-shared-warps
    }
    y[threadIdx.x] = sum;
}

__global__ void right(int rounds, const int* x, int* y) {
    __shared__ int buffer[64];
    int sum = 0;
    for (int k = 0; k < rounds; ++k) {
        buffer[threadIdx.x] = x[k * 64 + threadIdx.x];
        __syncthreads();
        sum += buffer[63 - threadIdx.x] * (k + 1);
        __syncthreads();
    }
    y[threadIdx.x] = sum;
}
