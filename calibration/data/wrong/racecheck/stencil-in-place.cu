// --grid 4 --block 32 --arg n=128 --arg x=arange:128 --arg y=zeros:128
// A stencil in place reads across the border of two blocks what the other block writes.
__global__ void wrong(int n, float* x, float* y) {
    int i = blockIdx.x * 32 + threadIdx.x;
    float next = i + 1 < n ? x[i + 1] : 0;  // here: race-WAR-global-blocks
    __syncthreads();
    x[i] = x[i] + next;  // here: race-WAR-global-blocks
    y[i] = next;
}

__global__ void right(int n, float* x, float* y) {
    int i = blockIdx.x * 32 + threadIdx.x;
    float next = i + 1 < n ? x[i + 1] : 0;
    y[i] = x[i] + next;
}
