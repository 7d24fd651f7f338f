// --grid 2 --block 32 --arg data=zeros:32 --arg flag=zeros:1 --arg y=zeros:32
// Block 0 raises a flag for block 1, but nothing orders its data before the flag.
__global__ void wrong(int* data, int* flag, int* y) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;  // here: race-RAW-global-blocks
        __syncwarp();
        if (threadIdx.x == 0) atomicExch(flag, 1);
    } else {
        if (threadIdx.x == 0)
            while (atomicAdd(flag, 0) == 0) {}
        __syncwarp();
        y[threadIdx.x] = data[31 - threadIdx.x];  // here: race-RAW-global-blocks
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
        y[threadIdx.x] = data[31 - threadIdx.x];
    }
}
