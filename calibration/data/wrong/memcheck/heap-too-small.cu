// --grid 1 --block 32 --arg n=8 --arg y=zeros:32
// malloc is asked for one int less than is written.
__global__ void wrong(int n, int* y) {
    int* own = static_cast<int*>(malloc((n - 1) * sizeof(int)));
    for (int k = 0; k < n; ++k) own[k] = k * n;  // here: out-of-bounds-global
    y[threadIdx.x] = own[threadIdx.x % (n - 1)];
    free(own);
}

__global__ void right(int n, int* y) {
    int* own = static_cast<int*>(malloc(n * sizeof(int)));
    for (int k = 0; k < n; ++k) own[k] = k * n;
    y[threadIdx.x] = own[threadIdx.x % (n - 1)];
    free(own);
}
