// initcheck
// Memory that was freed and is given out again holds nothing that counts.
#include <cstdio>

__global__ void sums(int n, const int* x, int* y) {
    int sum = 0;
    for (int k = threadIdx.x; k < n; k += blockDim.x) sum += x[k];  // here: uninitialized-global
    y[threadIdx.x] = sum;
}

int main() {
    const int n = 512;
    int *first, *x, *y;
    cudaMalloc(&first, n * sizeof(int));
    cudaMalloc(&y, 64 * sizeof(int));
    cudaMemset(first, 0, n * sizeof(int));
    cudaFree(first);
    cudaMalloc(&x, n * sizeof(int));
    sums<<<1, 64>>>(n, x, y);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(x);
    cudaFree(y);
    cudaDeviceReset();
    return status != cudaSuccess;
}
