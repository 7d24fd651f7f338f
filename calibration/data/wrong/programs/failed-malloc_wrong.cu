// memcheck
// cudaMalloc cannot give that much, nobody looks, and the pointer stays null.
#include <cstdio>

__global__ void fill(int n, float value, float* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;  // here: null
}

int main() {
    const int n = 1000;
    float* x = nullptr;
    if (cudaMalloc(&x, size_t(n) << 40) != cudaSuccess) cudaGetLastError();
    fill<<<4, 256>>>(n, 1, x);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(x);
    cudaDeviceReset();
    return status != cudaSuccess;
}
