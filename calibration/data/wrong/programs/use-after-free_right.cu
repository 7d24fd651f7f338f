// memcheck
// An array is freed, and a later launch reads it.
#include <cstdio>

__global__ void add(int n, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1;
}

int main() {
    const int n = 1000;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    add<<<4, 256>>>(n, x, y);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(x);
    cudaFree(y);
    cudaDeviceReset();
    return status != cudaSuccess;
}
