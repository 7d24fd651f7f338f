// --grid 1 --block 128 --arg x=arange:64 --arg y=zeros:64
// Producers wait at barrier 1, consumers at barrier 2: neither waits for the other.
__global__ void wrong(const int* x, int* y) {
    __shared__ int buffer[64];
    if (threadIdx.x < 64) {
        buffer[threadIdx.x] = x[threadIdx.x];  // here: race-RAW-shared-warps
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        y[threadIdx.x - 64] = buffer[127 - threadIdx.x];  // here: race-RAW-shared-warps
    }
}

__global__ void right(const int* x, int* y) {
    __shared__ int buffer[64];
    if (threadIdx.x < 64) {
        buffer[threadIdx.x] = x[threadIdx.x];
        asm volatile("bar.sync 1, 128;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        y[threadIdx.x - 64] = buffer[127 - threadIdx.x];
    }
}
