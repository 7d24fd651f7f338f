// --grid 1 --block 32 --arg n=8 --arg y=zeros:32
// What malloc gave is read after free.
__global__ void wrong(int n, int* y) {
    volatile int* own = static_cast<int*>(malloc(n * sizeof(int)));
    for (int k = 0; k < n; ++k) own[k] = k * n;
    free(const_cast<int*>(own));
    y[threadIdx.x] = own[threadIdx.x % n];  // here: use-after-free
}

__global__ void right(int n, int* y) {
    volatile int* own = static_cast<int*>(malloc(n * sizeof(int)));
    for (int k = 0; k < n; ++k) own[k] = k * n;
    y[threadIdx.x] = own[threadIdx.x % n];
    free(const_cast<int*>(own));
}
