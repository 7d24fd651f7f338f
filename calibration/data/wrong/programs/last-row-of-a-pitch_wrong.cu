// memcheck
// Rows are addressed by a width rounded up by hand; the array has rows without padding.
#include <cstdio>

__global__ void rows(int width, int pitch, float* x) {
    x[blockIdx.x * pitch + threadIdx.x] = threadIdx.x < width;  // here: out-of-bounds-global
}

int main() {
    const int width = 100, height = 8;
    float* x;
    cudaMalloc(&x, width * height * sizeof(float));
    rows<<<height, width>>>(width, 128, x);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(x);
    cudaDeviceReset();
    return status != cudaSuccess;
}
