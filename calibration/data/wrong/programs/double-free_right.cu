// memcheck
// cudaFree is called twice for one array.
#include <cstdio>

__global__ void fill(int n, float value, float* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}

int main() {
    float* x;
    cudaMalloc(&x, 4000);
    fill<<<4, 256>>>(1000, 1, x);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(x);
    cudaDeviceReset();
    return status != cudaSuccess;
}
