// initcheck
// The copy counts elements where it should count bytes: a quarter of the input arrives.
#include <cstdio>

__global__ void sums(int n, const int* x, int* y) {
    int sum = 0;
    for (int k = threadIdx.x; k < n; k += blockDim.x) sum += x[k];
    y[threadIdx.x] = sum;
}

int main() {
    const int n = 512;
    static int host[n];
    for (int k = 0; k < n; ++k) host[k] = k;
    int *x, *y;
    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&y, 64 * sizeof(int));
    cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
    sums<<<1, 64>>>(n, x, y);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(x);
    cudaFree(y);
    cudaDeviceReset();
    return status != cudaSuccess;
}
