// --grid 2 --block 32 --arg data=zeros:32 --arg flag=zeros:1 --arg y=zeros:32
// The flag between two blocks is an ordinary variable: a data race itself, with fences or without.
__global__ void wrong(int* data, int* flag, int* y) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        __threadfence();
        __syncwarp();
        if (threadIdx.x == 0) *flag = 1;  // here: race-RAW-global-blocks
    } else {
        int raised = *flag;  // here: race-RAW-global-blocks
        __threadfence();
        if (raised) y[threadIdx.x] = data[threadIdx.x];
    }
}

__global__ void right(int* data, int* flag, int* y) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        __syncwarp();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (threadIdx.x == 0) {
            while (atomicAdd(flag, 0) == 0) {}
            __threadfence();
        }
        __syncwarp();
        y[threadIdx.x] = data[threadIdx.x];
    }
}
