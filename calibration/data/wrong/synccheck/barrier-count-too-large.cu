// --grid 1 --block 64 --arg count=128 --arg y=zeros:64
// The barrier waits for 128 threads of a block that has 64.
__global__ void wrong(int count, int* y) {
    asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory");  // here: barrier-count
    y[threadIdx.x] = 1;
}

__global__ void right(int count, int* y) {
    asm volatile("bar.sync 1, %0;" ::"r"(count / 2) : "memory");
    y[threadIdx.x] = 1;
}
