// --grid 2 --block 64 --arg n=100 --arg x=zeros:100
// Nothing keeps the last 28 threads from writing past the end of x.
__global__ void wrong(int n, int* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = n - i;  // here: out-of-bounds-global
}

__global__ void right(int n, int* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = n - i;
}
