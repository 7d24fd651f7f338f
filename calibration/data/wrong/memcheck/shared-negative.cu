// --grid 1 --block 64 --arg n=64 --arg y=zeros:64
// The left neighbour of the first element lies before the shared array.
__global__ void wrong(int n, int* y) {
    __shared__ int line[64];
    line[threadIdx.x] = threadIdx.x * n;
    __syncthreads();
    int left = static_cast<int>(threadIdx.x) - 1;
    y[threadIdx.x] = line[left];  // here: out-of-bounds-shared
}

__global__ void right(int n, int* y) {
    __shared__ int line[64];
    line[threadIdx.x] = threadIdx.x * n;
    __syncthreads();
    int left = static_cast<int>(threadIdx.x) - 1;
    y[threadIdx.x] = left >= 0 ? line[left] : 0;
}
