// memcheck
// An array is freed and another one is given its place; the old pointer is still written to.
#include <cstdio>

__global__ void fill(int n, int value, int* x) {
    if (threadIdx.x < n) x[threadIdx.x] = value;
}

int main() {
    const int n = 256;
    int *first, *second = nullptr;
    cudaMalloc(&first, n * sizeof(int));
    fill<<<1, 256>>>(n, 1, first);
    cudaDeviceSynchronize();
    cudaMalloc(&second, n / 2 * sizeof(int));
    fill<<<1, 256>>>(n / 2, 2, second);
    fill<<<1, 256>>>(n, 3, first);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(first);
    cudaFree(second);
    cudaDeviceReset();
    return status != cudaSuccess;
}
