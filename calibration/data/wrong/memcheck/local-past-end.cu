// --grid 1 --block 32 --arg n=12 --arg x=arange:12 --arg y=zeros:32
// A thread keeps 12 elements in an array of 8.
__global__ void wrong(int n, const int* x, int* y) {
    int kept[8];
#pragma unroll 1
    for (int k = 0; k < n; ++k) kept[k] = x[k];  // here: out-of-bounds-local
    y[threadIdx.x] = kept[(threadIdx.x + n) % 8];
}

__global__ void right(int n, const int* x, int* y) {
    int kept[8];
#pragma unroll 1
    for (int k = 0; k < n; ++k) kept[k % 8] = x[k];
    y[threadIdx.x] = kept[(threadIdx.x + n) % 8];
}
