// --grid 1 --block 64 --arg y=zeros:64
// The upper half of a buffer is read, and nobody has written it.
__global__ void wrong(float* y) {
    __shared__ float buffer[128];
    buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = buffer[threadIdx.x + 64];  // here: uninitialized-shared
}

__global__ void right(float* y) {
    __shared__ float buffer[128];
    buffer[threadIdx.x] = threadIdx.x;
    buffer[threadIdx.x + 64] = 0;
    __syncthreads();
    y[threadIdx.x] = buffer[threadIdx.x + 64];
}
