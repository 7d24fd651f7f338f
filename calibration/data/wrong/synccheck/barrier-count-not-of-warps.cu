// --grid 1 --block 64 --arg count=48 --arg y=zeros:64
// A barrier counts whole warps; 48 is no multiple of 32.
__global__ void wrong(int count, int* y) {
    asm volatile("bar.sync 1, %0;" ::"r"(count) : "memory");  // here: barrier-count
    y[threadIdx.x] = 1;
}

__global__ void right(int count, int* y) {
    asm volatile("bar.sync 1, %0;" ::"r"((count + 31) / 32 * 32) : "memory");
    y[threadIdx.x] = 1;
}
