// --grid 2 --block 32 --arg n=191 --arg x=arange:191 --arg y=zeros:191
// A loop in steps of two elements looks at the first of them alone: n is odd.
__global__ void wrong(int n, const int* x, int* y) {
    int step = 2 * gridDim.x * blockDim.x;
    for (int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x); i < n; i += step) {
        y[i] = 2 * x[i];
        y[i + 1] = 2 * x[i + 1];  // here: out-of-bounds-global
    }
}

__global__ void right(int n, const int* x, int* y) {
    int step = 2 * gridDim.x * blockDim.x;
    for (int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x); i < n; i += step) {
        y[i] = 2 * x[i];
        if (i + 1 < n) y[i + 1] = 2 * x[i + 1];
    }
}
