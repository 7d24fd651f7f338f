// initcheck
// A sum over whole rows takes the padding between them, which the copy left as it was.
#include <cstdio>

__global__ void rows(int width, size_t pitch, const char* x, float* y) {
    const float* row = reinterpret_cast<const float*>(x + blockIdx.x * pitch);
    float sum = 0;
    for (int k = 0; k < width; ++k) sum += row[k];
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

int main() {
    const int width = 100, height = 4;
    static float host[height][width];
    char* x;
    float* y;
    size_t pitch;
    cudaMallocPitch(&x, &pitch, width * sizeof(float), height);
    cudaMalloc(&y, height * sizeof(float));
    cudaMemcpy2D(x, pitch, host, sizeof(host[0]), sizeof(host[0]), height, cudaMemcpyHostToDevice);
    rows<<<height, 32>>>(width, pitch, x, y);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(status));
    cudaFree(x);
    cudaFree(y);
    cudaDeviceReset();
    return status != cudaSuccess;
}
