// --grid 1 --block 32 --arg n=8 --arg y=zeros:32
// What malloc gives holds anything; sums are added to it.
__global__ void wrong(int n, int* y) {
    volatile int* own = static_cast<int*>(malloc(n * sizeof(int)));
    for (int k = 0; k < n; ++k) own[k] = own[k] + k;  // here: uninitialized-global
    y[threadIdx.x] = own[threadIdx.x % n];
    free(const_cast<int*>(own));
}

__global__ void right(int n, int* y) {
    volatile int* own = static_cast<int*>(malloc(n * sizeof(int)));
    for (int k = 0; k < n; ++k) own[k] = k;
    y[threadIdx.x] = own[threadIdx.x % n];
    free(const_cast<int*>(own));
}
