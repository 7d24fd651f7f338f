// --grid 1 --block 128 --dynamic-shared 256 --arg y=zeros:128
// The launch gives 256 bytes of shared memory; 128 floats need 512.
__global__ void wrong(float* y) {
    extern __shared__ float buffer[];
    buffer[threadIdx.x] = threadIdx.x;  // here: out-of-bounds-shared
    __syncthreads();
    if (threadIdx.x < 64) y[threadIdx.x] = buffer[63 - threadIdx.x];
}

__global__ void right(float* y) {
    extern __shared__ float buffer[];
    if (threadIdx.x < 64) buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x < 64) y[threadIdx.x] = buffer[63 - threadIdx.x];
}
