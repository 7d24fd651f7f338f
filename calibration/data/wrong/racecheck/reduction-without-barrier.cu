// --grid 2 --block 128 --arg x=arange:256 --arg sums=zeros:2
// The steps of a tree of sums are not kept apart: a warp adds what another has yet to write.
__global__ void wrong(const int* x, int* sums) {
    __shared__ int part[128];
    part[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2)
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];  // here: race-RAW-shared-warps, race-WAR-shared-warps
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void right(const int* x, int* sums) {
    __shared__ int part[128];
    part[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
