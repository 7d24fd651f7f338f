// What volatile and cache-global stores write is written for launches that come.
__global__ void put(int* x) {
    *(volatile int*)(x + threadIdx.x) = threadIdx.x;
    __stcg(x + 32 + threadIdx.x, 1);
}

__global__ void get(const int* x, int* y) {
    y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x + 32];
}

int main() {
    int *x, *y;
    cudaMalloc(&x, 64 * sizeof(int));
    cudaMalloc(&y, 32 * sizeof(int));
    put<<<1, 32>>>(x);
    get<<<1, 32>>>(x, y);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(y);
    return 0;
}
