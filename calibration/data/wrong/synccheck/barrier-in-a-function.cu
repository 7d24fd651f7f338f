// --grid 1 --block 64 --arg x=arange:64 --arg y=zeros:64
// The barrier is in a function that threads with even numbers alone call.
__device__ __noinline__ int next_of(const int* line, int i) {
    __syncthreads();  // here: divergent-barrier
    return line[(i + 1) % 64];
}

__global__ void wrong(const int* x, int* y) {
    __shared__ int line[64];
    line[threadIdx.x] = x[threadIdx.x];
    y[threadIdx.x] = x[threadIdx.x] % 2 ? 0 : next_of(line, threadIdx.x);  // here: divergent-barrier
}

__global__ void right(const int* x, int* y) {
    __shared__ int line[64];
    line[threadIdx.x] = x[threadIdx.x];
    int next = next_of(line, threadIdx.x);
    y[threadIdx.x] = x[threadIdx.x] % 2 ? 0 : next;
}
