// memcheck
// The grid is rounded up, and the kernel has no guard.
#include <cstdio>

__global__ void fill(int n, float value, float* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = value * n;
}

int main() {
    const int n = 1024;
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    fill<<<(n + 255) / 256, 256>>>(n, 1, x);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(x);
    cudaDeviceReset();
    return status != cudaSuccess;
}
