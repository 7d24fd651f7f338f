// memcheck
// The kernel is given memory of the host.
#include <cstdio>

__global__ void fill(int n, float value, float* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}

int main() {
    const int n = 1000;
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    fill<<<4, 256>>>(n, 1, x);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(x);
    cudaDeviceReset();
    return status != cudaSuccess;
}
