// --grid 1 --block 32 --arg n=32 --arg x=arange:32 --arg y=zeros:32
// 0 - 1 is 4294967295 without a sign: 16 GiB past the array.
__global__ void wrong(int n, const int* x, int* y) {
    unsigned before = threadIdx.x - 1u;
    y[threadIdx.x] = n + x[before];  // here: out-of-bounds-global
}

__global__ void right(int n, const int* x, int* y) {
    unsigned before = threadIdx.x - 1u;
    y[threadIdx.x] = n + (before < 32 ? x[before] : 0);
}
