// initcheck
// One kernel writes 768 numbers, since its grid is rounded down, and the next reads 1000.
#include <cstdio>

__global__ void write(int n, float* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i;
}

__global__ void read(int n, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}

int main() {
    const int n = 1000;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    write<<<(n + 255) / 256, 256>>>(n, x);
    read<<<(n + 255) / 256, 256>>>(n, x, y);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(x);
    cudaFree(y);
    cudaDeviceReset();
    return status != cudaSuccess;
}
