// --grid 2 --block 32 --arg data=zeros:1 --arg flag=zeros:1 --arg y=zeros:1
// A fence whose scope is the block does not order writes for other blocks.
__global__ void wrong(int* data, int* flag, int* y) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 7;  // here: race-RAW-global-blocks
        __threadfence_block();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence_block();
        *y = *data;  // here: race-RAW-global-blocks
    }
}

__global__ void right(int* data, int* flag, int* y) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 7;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        *y = *data;
    }
}
