// --grid 1 --block 32 --arg n=40 --arg x=arange:40 --arg y=zeros:32
// In the last round of a loop over n some lanes have left it.
__global__ void wrong(int n, const int* x, int* y) {
    int sum = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += 32) sum += __shfl_xor_sync(0xffffffff, x[i], 1);  // here: absent-lanes
    y[threadIdx.x] = sum;
}

__global__ void right(int n, const int* x, int* y) {
    int sum = 0;
#pragma unroll 1
    for (int first = 0; first < n; first += 32) {
        int i = first + threadIdx.x;
        int other = __shfl_xor_sync(0xffffffff, i < n ? x[i] : 0, 1);
        if (i < n) sum += other;
    }
    y[threadIdx.x] = sum;
}
