// --grid 1 --block 32 --arg n=16 --arg x=arange:16 --arg y=zeros:32
// Even elements of a thread's array are written, any are read.
__global__ void wrong(int n, const int* x, int* y) {
    int kept[16];
#pragma unroll 1
    for (int k = 0; k < n; k += 2) kept[k] = x[k];
    y[threadIdx.x] = kept[threadIdx.x % n];  // here: uninitialized-local
}

__global__ void right(int n, const int* x, int* y) {
    int kept[16];
#pragma unroll 1
    for (int k = 0; k < n; k += 1) kept[k] = x[k];
    y[threadIdx.x] = kept[threadIdx.x % n];
}
