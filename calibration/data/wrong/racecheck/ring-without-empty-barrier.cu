// --grid 1 --block 64 --arg rounds=4 --arg x=arange:128 --arg y=zeros:32
// The producer does not wait until the consumer has emptied the buffer.
__global__ void wrong(int rounds, const int* x, int* y) {
    __shared__ int buffer[32];
    int sum = 0, lane = threadIdx.x % 32;
    for (int k = 0; k < rounds; ++k) {
        if (threadIdx.x < 32) {
            buffer[lane] = x[k * 32 + lane];  // here: race-WAR-shared-warps
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 3, 32;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += buffer[31 - lane];  // here: race-WAR-shared-warps
            asm volatile("bar.sync 4, 32;" ::: "memory");
        }
    }
    if (threadIdx.x >= 32) y[lane] = sum;
}

__global__ void right(int rounds, const int* x, int* y) {
    __shared__ int buffer[32];
    int sum = 0, lane = threadIdx.x % 32;
    for (int k = 0; k < rounds; ++k) {
        if (threadIdx.x < 32) {
            buffer[lane] = x[k * 32 + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += buffer[31 - lane];
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
    if (threadIdx.x >= 32) y[lane] = sum;
}
