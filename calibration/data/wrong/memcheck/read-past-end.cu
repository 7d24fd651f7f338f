// --grid 1 --block 64 --arg n=64 --arg x=arange:64 --arg y=zeros:64
// The last thread takes the difference to an element that x does not have.
__global__ void wrong(int n, const float* x, float* y) {
    int i = threadIdx.x;
    if (i < n) y[i] = x[i + 1] - x[i];  // here: out-of-bounds-global
}

__global__ void right(int n, const float* x, float* y) {
    int i = threadIdx.x;
    if (i + 1 < n) y[i] = x[i + 1] - x[i];
}
