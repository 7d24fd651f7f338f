// --grid 2 --block 64 --arg n=128 --arg x=arange:128 --arg bins=zeros:16
// Remainders of 17 go to 16 bins.
__global__ void wrong(int n, const int* x, int* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[x[i] % 17], 1);  // here: out-of-bounds-global
}

__global__ void right(int n, const int* x, int* bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[x[i] % 16], 1);
}
