// --grid 1 --block 64 --arg n=64 --arg x=arange:64 --arg y=zeros:64
// The first thread reads the element before the first.
__global__ void wrong(int n, const int* x, int* y) {
    int i = threadIdx.x;
    y[i] = x[i - 1] + n;  // here: out-of-bounds-global
}

__global__ void right(int n, const int* x, int* y) {
    int i = threadIdx.x;
    y[i] = (i > 0 ? x[i - 1] : 0) + n;
}
