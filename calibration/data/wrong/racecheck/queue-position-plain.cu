// --grid 1 --block 64 --arg x=arange:64 --arg queue=zeros:64
// Places in a queue are handed out without an atomic: two threads get the same.
__global__ void wrong(const int* x, int* queue) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (x[threadIdx.x] % 32 == 3) {
        int place = count;  // here: race-RAW-shared-warps
        count = place + 1;  // here: race-RAW-shared-warps, race-WAW-shared-warps
        queue[place] = 1;
    }
}

__global__ void right(const int* x, int* queue) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (x[threadIdx.x] % 32 == 3) queue[atomicAdd(&count, 1)] = 1;
}
