// --grid 1 --block 96 --arg y=zeros:96
// One barrier, for 64 threads says the first warp, for 96 say the others.
__global__ void wrong(int* y) {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");  // here: barrier-count
    else asm volatile("bar.sync 1, 96;" ::: "memory");  // here: barrier-count
    y[threadIdx.x] = 1;
}

__global__ void right(int* y) {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 96;" ::: "memory");
    else asm volatile("bar.sync 1, 96;" ::: "memory");
    y[threadIdx.x] = 1;
}
