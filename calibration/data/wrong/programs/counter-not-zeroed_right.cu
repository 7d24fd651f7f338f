// initcheck
// Atomics count in an array that nobody has set to zero.
#include <cstdio>

__global__ void count(int n, int* bins) {
    if (threadIdx.x < n) atomicAdd(&bins[threadIdx.x % 16], 1);
}

int main() {
    int* bins;
    cudaMalloc(&bins, 16 * sizeof(int));
    cudaMemset(bins, 0, 16 * sizeof(int));
    count<<<2, 64>>>(64, bins);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(bins);
    cudaDeviceReset();
    return status != cudaSuccess;
}
