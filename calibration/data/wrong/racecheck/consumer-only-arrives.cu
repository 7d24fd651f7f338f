// --grid 1 --block 64 --arg x=arange:32 --arg y=zeros:32
// The consumer arrives at the named barrier and goes on; it should wait, and the producer arrive.
__global__ void wrong(const int* x, int* y) {
    __shared__ int buffer[32];
    if (threadIdx.x < 32) {
        buffer[threadIdx.x] = x[threadIdx.x];  // here: race-RAW-shared-warps
        asm volatile("bar.sync 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        y[threadIdx.x - 32] = buffer[63 - threadIdx.x];  // here: race-RAW-shared-warps
    }
}

__global__ void right(const int* x, int* y) {
    __shared__ int buffer[32];
    if (threadIdx.x < 32) {
        buffer[threadIdx.x] = x[threadIdx.x];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[threadIdx.x - 32] = buffer[63 - threadIdx.x];
    }
}
