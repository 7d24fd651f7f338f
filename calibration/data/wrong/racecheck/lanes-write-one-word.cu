// --grid 1 --block 32 --arg y=zeros:1
// Lanes of one store write different numbers to the same word: which stays is not defined.
__global__ void wrong(int* y) {
    __shared__ int last[4];
    last[threadIdx.x % 4] = threadIdx.x;  // here: race-WAW-shared-warp
    __syncwarp();
    if (threadIdx.x == 0) *y = last[0] + last[3];
}

__global__ void right(int* y) {
    __shared__ int last[4];
    if (threadIdx.x >= 28) last[threadIdx.x % 4] = threadIdx.x;
    __syncwarp();
    if (threadIdx.x == 0) *y = last[0] + last[3];
}
