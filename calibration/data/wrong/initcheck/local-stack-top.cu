// --grid 1 --block 32 --arg n=8 --arg x=arange:32 --arg y=zeros:32
// A stack in local memory is read one above its top.
__global__ void wrong(int n, const int* x, int* y) {
    int stack[32], top = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k)
        if (x[k] % 2) stack[top++] = x[k];
    y[threadIdx.x] = stack[top] + top;  // here: uninitialized-local
}

__global__ void right(int n, const int* x, int* y) {
    int stack[32], top = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k)
        if (x[k] % 2) stack[top++] = x[k];
    y[threadIdx.x] = (top > 0 ? stack[top - 1] : 0) + top;
}
