// --grid 1 --block 32 --dynamic-shared 256 --arg y=zeros:32
// 32 threads write 32 of the 64 floats of dynamic shared memory.
__global__ void wrong(float* y) {
    extern __shared__ float buffer[];
    buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = buffer[2 * threadIdx.x];  // here: uninitialized-shared
}

__global__ void right(float* y) {
    extern __shared__ float buffer[];
    for (int k = threadIdx.x; k < 64; k += 32) buffer[k] = k;
    __syncthreads();
    y[threadIdx.x] = buffer[2 * threadIdx.x];
}
