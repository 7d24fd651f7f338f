// --grid 1 --block 32 --arg n=7 --arg y=zeros:32
// Steps of two come down to zero from even numbers alone.
__device__ __noinline__ int by_twos(int n, int* y) {  // here: stack-overflow
    if (n == 0) return 1;
    return 1 + by_twos(n - 2, y) * y[threadIdx.x];  // here: stack-overflow
}

__global__ void wrong(int n, int* y) {
    y[threadIdx.x] = by_twos(n, y);  // here: stack-overflow
}

__global__ void right(int n, int* y) {
    y[threadIdx.x] = by_twos(n & ~1, y);
}
