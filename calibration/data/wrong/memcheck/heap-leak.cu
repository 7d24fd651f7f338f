// --grid 1 --block 32 --arg n=8 --arg y=zeros:32
// A thread that finds its number returns without free.
__global__ void wrong(int n, int* y) {
    volatile int* own = static_cast<int*>(malloc(n * sizeof(int)));  // here: leak
    own[0] = threadIdx.x;
    y[threadIdx.x] = own[0];
    if (threadIdx.x > 16) return;
    free(const_cast<int*>(own));
}

__global__ void right(int n, int* y) {
    volatile int* own = static_cast<int*>(malloc(n * sizeof(int)));
    own[0] = threadIdx.x;
    y[threadIdx.x] = own[0];
    free(const_cast<int*>(own));
}
