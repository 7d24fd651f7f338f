// memcheck
// An array for each round, of which the last alone is freed.
#include <cstdio>

__global__ void fill(int n, float value, float* x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value;
}

int main() {
    float* x = nullptr;
    for (int round = 0; round < 3; ++round) {
        cudaMalloc(&x, 512);  // here: leak
        fill<<<1, 128>>>(128, round, x);
    }
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(x);
    cudaDeviceReset();
    return status != cudaSuccess;
}
