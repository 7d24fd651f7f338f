// memcheck
// An array goes back to its pool before the launch that reads it.
#include <cstdio>

__global__ void add(int n, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 1;  // here: use-after-free
}

int main() {
    const int n = 1000;
    float *x, *y;
    cudaMallocAsync(&x, n * sizeof(float), 0);
    cudaMallocAsync(&y, n * sizeof(float), 0);
    cudaMemsetAsync(x, 0, n * sizeof(float), 0);
    cudaFreeAsync(x, 0);
    add<<<4, 256>>>(n, x, y);
    cudaFreeAsync(y, 0);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaDeviceReset();
    return status != cudaSuccess;
}
