// --grid 1 --block 128 --arg x=arange:128 --arg y=zeros:128
// The sums of warps lie in shared memory; all read them, with no barrier after the writes.
__global__ void wrong(const int* x, int* y) {
    __shared__ int parts[4];
    int sum = __reduce_add_sync(0xffffffff, x[threadIdx.x]);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;  // here: race-RAW-shared-warps
    __syncwarp();
    y[threadIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];  // here: race-RAW-shared-warps
}

__global__ void right(const int* x, int* y) {
    __shared__ int parts[4];
    int sum = __reduce_add_sync(0xffffffff, x[threadIdx.x]);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    y[threadIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];
}
