// --grid 1 --block 32 --arg n=8 --arg y=zeros:32
// free is called twice for the same memory.
__global__ void wrong(int n, int* y) {
    int* own = static_cast<int*>(malloc(n * sizeof(int)));
    own[n - 1] = threadIdx.x;
    y[threadIdx.x] = own[n - 1];
    free(own);
    if (n > 4) free(own);  // here: double-free
}

__global__ void right(int n, int* y) {
    int* own = static_cast<int*>(malloc(n * sizeof(int)));
    own[n - 1] = threadIdx.x;
    y[threadIdx.x] = own[n - 1];
    free(own);
}
