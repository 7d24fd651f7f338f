// --grid 1 --block 64 --arg n=50 --arg x=ones:50 --arg y=zeros:1
// Threads beyond n leave their place as it is, and the sum takes all places.
__global__ void wrong(int n, const int* x, int* y) {
    __shared__ int buffer[64];
    if (threadIdx.x < n) buffer[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < 64; ++k) sum += buffer[k];  // here: uninitialized-shared
        *y = sum;
    }
}

__global__ void right(int n, const int* x, int* y) {
    __shared__ int buffer[64];
    buffer[threadIdx.x] = threadIdx.x < n ? x[threadIdx.x] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < 64; ++k) sum += buffer[k];
        *y = sum;
    }
}
