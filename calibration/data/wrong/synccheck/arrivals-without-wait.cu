// --grid 1 --block 96 --arg y=zeros:96
// Three warps come to a barrier of two: one of them is left over.
__global__ void wrong(int* y) {
    if (threadIdx.x < 64) asm volatile("bar.arrive 1, 64;" ::: "memory");  // here: barrier-count
    else asm volatile("bar.sync 1, 64;" ::: "memory");  // here: barrier-count
    y[threadIdx.x] = 1;
}

__global__ void right(int* y) {
    if (threadIdx.x < 64) asm volatile("bar.arrive 1, 96;" ::: "memory");
    else asm volatile("bar.sync 1, 96;" ::: "memory");
    y[threadIdx.x] = 1;
}
