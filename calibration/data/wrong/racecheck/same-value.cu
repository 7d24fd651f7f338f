// --grid 1 --block 64 --arg n=5 --arg y=zeros:64
// All write the same number: a race by the rules of C++, though the value is known. NVIDIA's tool may call it no error.
__global__ void wrong(int n, int* y) {
    __shared__ int shared_n;
    shared_n = n;  // here: race-WAW-shared-warps
    __syncthreads();
    y[threadIdx.x] = shared_n;
}

__global__ void right(int n, int* y) {
    __shared__ int shared_n;
    if (threadIdx.x == 0) shared_n = n;
    __syncthreads();
    y[threadIdx.x] = shared_n;
}
