// initcheck
// Nobody writes the input: the kernel adds up whatever lies there.
#include <cstdio>

__global__ void sums(int n, const int* x, int* y) {
    int sum = 0;
    for (int k = threadIdx.x; k < n; k += blockDim.x) sum += x[k];
    y[threadIdx.x] = sum;
}

int main() {
    const int n = 512;
    int *x, *y;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&y, 64 * sizeof(int));
    cudaMemset(x, 0, n * sizeof(int));
    sums<<<1, 64>>>(n, x, y);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(x);
    cudaFree(y);
    cudaDeviceReset();
    return status != cudaSuccess;
}
