// --grid 1 --block 32 --arg n=8 --arg x=arange:8 --arg y=zeros:32
// A function adds up twelve numbers of an array of which eight were filled.
__device__ __noinline__ int sum_of(const int* numbers, int count) {
    int sum = 0;
#pragma unroll 1
    for (int k = 0; k < count; ++k) sum += numbers[k];  // here: uninitialized-local
    return sum;
}

__global__ void wrong(int n, const int* x, int* y) {
    int kept[12];
#pragma unroll 1
    for (int k = 0; k < n; ++k) kept[k] = x[k];
    y[threadIdx.x] = sum_of(kept, n + 4);  // here: uninitialized-local
}

__global__ void right(int n, const int* x, int* y) {
    int kept[12];
#pragma unroll 1
    for (int k = 0; k < n; ++k) kept[k] = x[k];
    y[threadIdx.x] = sum_of(kept, n);
}
