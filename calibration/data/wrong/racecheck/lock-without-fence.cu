// --grid 4 --block 32 --arg lock=zeros:1 --arg total=zeros:1
// A lock by atomics, but what it guards is not fenced: the next owner may read the old sum.
__global__ void wrong(int* lock, int* total) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    *total = *total + blockIdx.x + 1;  // here: race-RAW-global-blocks, race-WAW-global-blocks
    atomicExch(lock, 0);
}

__global__ void right(int* lock, int* total) {
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *total = *total + blockIdx.x + 1;
    __threadfence();
    atomicExch(lock, 0);
}
