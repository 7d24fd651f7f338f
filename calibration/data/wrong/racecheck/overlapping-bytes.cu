// --grid 1 --block 64 --arg y=zeros:64
// Each thread writes two bytes, the second of which is its neighbour's first. The twin writes neighbouring bytes: no race.
__global__ void wrong(unsigned char* y) {
    __shared__ unsigned char bytes[65];
    bytes[threadIdx.x] = threadIdx.x;  // here: race-WAW-shared-warps
    bytes[threadIdx.x + 1] = threadIdx.x / 2;  // here: race-WAW-shared-warps
    __syncthreads();
    y[threadIdx.x] = bytes[threadIdx.x];
}

__global__ void right(unsigned char* y) {
    __shared__ unsigned char bytes[65];
    bytes[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 63) bytes[64] = 31;
    __syncthreads();
    y[threadIdx.x] = bytes[threadIdx.x] + bytes[64];
}
